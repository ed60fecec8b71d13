// Gathering and scattering along an axis or by coordinates.
#include <algorithm>
#include <cmath>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// Whether all elements of row `row` of a constant are 0; false if `table` is not constant.
bool is_constant_zero_row(const NodeContext& n, Value table, std::int64_t row) {
  auto content = n.find_constant(table);
  if (!content || content->shape.size() != 2 || row >= content->shape[0]) return false;
  auto size = static_cast<std::size_t>(content->shape[1]) * size_of(content->dtype);
  auto bytes = content->bytes.substr(static_cast<std::size_t>(row) * size, size);
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0; });
}

// Looks up rows of `table`; the row `padding_idx` is read as zeros.
Value emit_embedding(NodeContext& n, Value table, Value ids) {
  auto rows =
      n.emit("Gather", {table, invalidate_negative_indices(n, ids)}, {{"axis", std::int64_t{0}}});
  auto padding = n.attr("padding_idx", -1);
  if (padding < 0 || is_constant_zero_row(n, table, padding)) return rows;
  auto is_padding =
      n.unsqueeze(n.emit("Equal", {ids, n.scalar_like(static_cast<double>(padding), ids)}), {-1});
  return n.emit("Where", {is_padding, n.scalar(0, n.require_known_dtype(table)), rows});
}

void lookup_table_v2(NodeContext& n) {
  n.set_output("Out", emit_embedding(n, n.input("W"), n.input("Ids")));
}

// The op lookup_table (version 1) takes ids of shape [..., 1] and drops the last dim.
void lookup_table_v1(NodeContext& n) {
  auto ids = n.input("Ids");
  n.set_output("Out",
               emit_embedding(n, n.input("W"), n.squeeze(ids, {n.require_known_rank(ids) - 1})));
}

// ---- along an axis ----

// The index input of a slot as [n], also if its shape is [n, 1].
Value read_index_vector_invalidating_negatives(NodeContext& n, std::string_view slot) {
  auto ids = read_index_input_invalidating_negatives(n, slot);
  return n.rank(ids) == 2 ? n.reshape(ids, {-1}) : ids;
}

void gather(NodeContext& n) {
  auto x = n.input("X");
  auto axis = require_const_axis(n, "axis", "Axis", 0, n.require_known_rank(x));
  set_scalar_output_as_declared(
      n, "Out",
      n.emit("Gather", {x, read_index_vector_invalidating_negatives(n, "Index")},
             {{"axis", axis}}));
}

void index_select(NodeContext& n) {
  auto x = n.input("X");
  n.set_output("Out",
               n.emit("Gather", {x, read_index_vector_invalidating_negatives(n, "Index")},
                      {{"axis", n.normalized_axis_attr("dim", 0, n.require_known_rank(x))}}));
}

void index_sample(NodeContext& n) {
  n.set_output("Out", n.emit("GatherElements",
                             {n.input("X"), read_index_input_invalidating_negatives(n, "Index")},
                             {{"axis", std::int64_t{1}}}));
}

void take_along_axis(NodeContext& n) {
  auto x = n.input("Input");
  auto axis = n.normalized_axis_attr("Axis", 0, n.require_known_rank(x));
  n.set_output("Result",
               n.emit("GatherElements", {x, read_index_input_invalidating_negatives(n, "Index")},
                      {{"axis", axis}}));
}

struct ReductionMapping {
  std::string_view paddle, onnx;
  int since_opset;
  double identity;  // the identity of the reduction
};

const ReductionMapping& find_reduction_mapping_or_fail(const NodeContext& n,
                                                       std::string_view name) {
  static constexpr ReductionMapping all[] = {
      {"assign", "none", 11, 0},    {"add", "add", 16, 0},  {"mul", "mul", 16, 1},
      {"multiply", "mul", 16, 1},   {"mean", "add", 16, 0}, {"amax", "max", 18, -INFINITY},
      {"amin", "min", 18, INFINITY}};
  auto it = std::find_if(std::begin(all), std::end(all),
                         [&](const ReductionMapping& r) { return r.paddle == name; });
  n.require(it != std::end(all), "reduction '" + std::string(name) + "' has no lowering");
  return *it;
}

// ScatterElements with a reduction, or with "none"; float16 is reduced in float32, because ONNX
// Runtime has no float16 kernel for reductions.
Value scatter_elements(NodeContext& n, Value x, Value at, Value values, std::int64_t axis,
                       std::string_view reduction) {
  NodeContext::Attrs attrs{{"axis", axis}};
  if (reduction != "none") attrs.emplace_back("reduction", std::string(reduction));
  bool half = n.dtype(x) == DType::float16 && reduction != "none";
  auto widen = [&](Value v) { return half ? n.cast(v, DType::float32) : v; };
  auto result = n.emit("ScatterElements", {widen(x), at, widen(values)}, attrs);
  return half ? n.cast(result, DType::float16) : result;
}

// The number of values that a scatter combines at each position of `x`, at least 1; with
// `include_self`, the element of `x` is counted too.
Expr num_contributions_per_position(NodeContext& n, Value x, Value at, std::int64_t axis,
                                    bool include_self) {
  Expr like(n, x);
  auto own = full_like(like, include_self ? 1 : 0, n.emit_shape(x));
  auto ones = full_like(like, 1, n.emit_shape(at));
  return max(Expr(n, scatter_elements(n, own, at, ones, axis, "add")), 1);
}

// Brings `values` to the shape of the indices `at`: values beyond the shape are dropped, a single
// value is repeated.
Value slice_or_expand_values_to_index_shape(NodeContext& n, Value values, Value at) {
  auto value_shape = n.shape(values), index_shape = n.shape(at);
  if (value_shape && value_shape == index_shape &&
      std::count(value_shape->begin(), value_shape->end(), -1) == 0)
    return values;
  auto sizes = n.emit_shape(at);
  if (n.rank(values) != n.rank(at)) return n.emit("Expand", {values, sizes});
  auto starts = n.int64_vector(Ints(static_cast<std::size_t>(n.rank(at)), 0));
  return n.emit("Expand", {n.emit("Slice", {values, starts, sizes}), sizes});
}

void put_along_axis(NodeContext& n) {
  auto x = n.input("Input"), at = read_index_input_invalidating_negatives(n, "Index"),
       values = n.input("Value");
  auto axis = n.normalized_axis_attr("Axis", 0, n.require_known_rank(x));
  auto name = n.attr("Reduce", "assign");
  const ReductionMapping& reduction = find_reduction_mapping_or_fail(n, name);
  n.require_opset(reduction.since_opset);
  bool include_self = n.attr("Include_self", true);
  values = slice_or_expand_values_to_index_shape(n, values, at);
  if (reduction.onnx != "none" && !include_self) {
    auto identity = n.emit("Expand", {n.scalar_like(reduction.identity, x), n.emit_shape(at)});
    x = scatter_elements(n, x, at, identity, axis, "none");
  }
  Expr result(n, scatter_elements(n, x, at, values, axis, reduction.onnx));
  n.set_output("Result", name == "mean"
                             ? result / num_contributions_per_position(n, x, at, axis, include_self)
                             : result);
}

// ---- by coordinates ----

Value cast_indices_to_int64(NodeContext& n, Value v) { return n.cast(v, DType::int64); }

void gather_nd(NodeContext& n) {
  n.set_output("Out",
               n.emit("GatherND",
                      {n.input("X"), cast_indices_to_int64(
                                         n, read_index_input_invalidating_negatives(n, "Index"))}));
}

Value add_at_indices(NodeContext& n, Value x, Value at, Value updates) {
  return scatter_nd_reduce(n, x, at, updates, "add");
}

void scatter_nd_add(NodeContext& n) {
  n.require_opset(16);
  n.set_output("Out", add_at_indices(n, n.input("X"),
                                     cast_indices_to_int64(
                                         n, read_index_input_invalidating_negatives(n, "Index")),
                                     n.input("Updates")));
}

// With attribute `overwrite`, rows of X are replaced by updates; otherwise the rows are set to zero
// and all updates are added.
void scatter(NodeContext& n) {
  auto x = n.input("X"), updates = n.input("Updates");
  auto ids = cast_indices_to_int64(
      n, n.unsqueeze(read_index_vector_invalidating_negatives(n, "Ids"), {-1}));
  if (n.attr("overwrite", true)) return n.set_output("Out", n.emit("ScatterND", {x, ids, updates}));
  n.require_opset(16);
  auto zeros = full_like({n, updates}, 0, n.emit_shape(updates));
  n.set_output("Out", add_at_indices(n, n.emit("ScatterND", {x, ids, zeros}), ids, updates));
}

}  // namespace

std::span<const Rule> gather_scatter_rules() {
  static const Rule rules[] = {
      {"lookup_table_v2", 9, lookup_table_v2},
      {"lookup_table", 9, lookup_table_v1},
      {"gather", 7, gather, {.ignore_declared_shape = true}},
      {"index_select", 7, index_select},
      {"index_sample", 11, index_sample},
      {"take_along_axis", 11, take_along_axis},
      {"put_along_axis", 11, put_along_axis},
      {"gather_nd", 11, gather_nd, {.ignore_declared_shape = true}},
      {"scatter_nd_add", 11, scatter_nd_add},
      {"scatter", 11, scatter},
  };
  return rules;
}

}  // namespace oarlock
