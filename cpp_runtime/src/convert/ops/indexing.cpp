// Entries by their positions.
#include <algorithm>
#include <cmath>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// Whether a row of a weight holds zeros only.   False where it is not known.
bool zero_row(const Node& n, const Value& table, std::int64_t row) {
  auto content = n.constant(table);
  if (!content || content->shape.size() != 2 || row >= content->shape[0]) return false;
  auto size = static_cast<std::size_t>(content->shape[1]) * size_of(content->dtype);
  auto bytes = content->bytes.substr(static_cast<std::size_t>(row) * size, size);
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0; });
}

// The row of `padding_idx` counts as zeros, whatever the table holds there.
Value looked_up(Node& n, const Value& table, const Value& ids) {
  auto rows = n.emit("Gather", {table, positions(n, ids)}, {{"axis", std::int64_t{0}}});
  auto padding = n.attr("padding_idx", -1);
  if (padding < 0 || zero_row(n, table, padding)) return rows;
  auto is_padding =
      n.unsqueeze(n.emit("Equal", {ids, n.scalar_like(static_cast<double>(padding), ids)}), {-1});
  return n.emit("Where", {is_padding, n.scalar(0, n.need_dtype(table)), rows});
}

void lookup(Node& n) { n.out("Out", looked_up(n, n.in("W"), n.in("Ids"))); }

// The first form wants ids of shape [..., 1], and drops that dim.
void lookup_column(Node& n) {
  auto ids = n.in("Ids");
  n.out("Out", looked_up(n, n.in("W"), n.squeeze(ids, {n.need_rank(ids) - 1})));
}

// ---- along an axis ----

// ids of shape [n, 1] are the same list as [n]
Value id_list(Node& n, std::string_view slot) {
  auto ids = positions_in(n, slot);
  return n.rank(ids) == 2 ? n.reshape(ids, {-1}) : ids;
}

void gather(Node& n) {
  auto x = n.in("X");
  auto axis = axis_operand(n, "axis", "Axis", 0, n.need_rank(x));
  out_scalar(n, "Out", n.emit("Gather", {x, id_list(n, "Index")}, {{"axis", axis}}));
}

void index_select(Node& n) {
  auto x = n.in("X");
  n.out("Out",
        n.emit("Gather", {x, id_list(n, "Index")}, {{"axis", n.axis("dim", 0, n.need_rank(x))}}));
}

void index_sample(Node& n) {
  n.out("Out", n.emit("GatherElements", {n.in("X"), positions_in(n, "Index")},
                      {{"axis", std::int64_t{1}}}));
}

void take_along_axis(Node& n) {
  auto x = n.in("Input");
  auto axis = n.axis("Axis", 0, n.need_rank(x));
  n.out("Result", n.emit("GatherElements", {x, positions_in(n, "Index")}, {{"axis", axis}}));
}

struct Reduction {
  std::string_view paddle, onnx;
  int since;
  double neutral;  // with it an entry counts as not there
};

const Reduction& find_reduction(const Node& n, std::string_view name) {
  static constexpr Reduction all[] = {{"assign", "none", 11, 0},    {"add", "add", 16, 0},
                                      {"mul", "mul", 16, 1},        {"multiply", "mul", 16, 1},
                                      {"mean", "add", 16, 0},       {"amax", "max", 18, -INFINITY},
                                      {"amin", "min", 18, INFINITY}};
  auto found = std::find_if(std::begin(all), std::end(all),
                            [&](const Reduction& r) { return r.paddle == name; });
  n.require(found != std::end(all), "reduction '" + std::string(name) + "' has no lowering");
  return *found;
}

// ONNX Runtime brings no float16 together.
Value scattered(Node& n, const Value& x, const Value& at, const Value& values, std::int64_t axis,
                std::string_view how) {
  Node::Attrs attrs{{"axis", axis}};
  if (how != "none") attrs.emplace_back("reduction", std::string(how));
  bool half = n.dtype(x) == DType::float16 && how != "none";
  auto held = [&](const Value& v) { return half ? n.cast(v, DType::float32) : v; };
  auto found = n.emit("ScatterElements", {held(x), at, held(values)}, attrs);
  return half ? n.cast(found, DType::float16) : found;
}

// How many values meet in each place, at least 1.
Expr meeting(Node& n, const Value& x, const Value& at, std::int64_t axis, bool include_self) {
  Expr like(n, x);
  auto own = filled_like(like, include_self ? 1 : 0, n.shape_of(x));
  auto ones = filled_like(like, 1, n.shape_of(at));
  return max(Expr(n, scattered(n, own, at, ones, axis, "add")), 1);
}

// The values that have an index: the first ones where there are more, one again and again where
// there is one.
Value as_far_as(Node& n, const Value& values, const Value& at) {
  auto have = n.shape(values), wanted = n.shape(at);
  if (have && have == wanted && std::count(have->begin(), have->end(), -1) == 0) return values;
  auto sizes = n.shape_of(at);
  if (n.rank(values) != n.rank(at)) return n.emit("Expand", {values, sizes});
  auto starts = n.ints(Ints(static_cast<std::size_t>(n.rank(at)), 0));
  return n.emit("Expand", {n.emit("Slice", {values, starts, sizes}), sizes});
}

void put_along_axis(Node& n) {
  auto x = n.in("Input"), at = positions_in(n, "Index"), values = n.in("Value");
  auto axis = n.axis("Axis", 0, n.need_rank(x));
  auto name = n.attr("Reduce", "assign");
  const Reduction& how = find_reduction(n, name);
  n.need_opset(how.since);
  bool include_self = n.attr("Include_self", true);
  values = as_far_as(n, values, at);
  if (how.onnx != "none" && !include_self) {
    auto neutral = n.emit("Expand", {n.scalar_like(how.neutral, x), n.shape_of(at)});
    x = scattered(n, x, at, neutral, axis, "none");
  }
  Expr found(n, scattered(n, x, at, values, axis, how.onnx));
  n.out("Result", name == "mean" ? found / meeting(n, x, at, axis, include_self) : found);
}

// ---- by coordinates ----

Value coordinates(Node& n, const Value& v) { return n.cast(v, DType::int64); }

void gather_nd(Node& n) {
  n.out("Out", n.emit("GatherND", {n.in("X"), coordinates(n, positions_in(n, "Index"))}));
}

Value added_at(Node& n, const Value& x, const Value& at, const Value& updates) {
  return gathered_at(n, x, at, updates, "add");
}

void scatter_nd_add(Node& n) {
  n.need_opset(16);
  n.out("Out", added_at(n, n.in("X"), coordinates(n, positions_in(n, "Index")), n.in("Updates")));
}

// Rows are replaced; or set to zero and then added up.
void scatter(Node& n) {
  auto x = n.in("X"), updates = n.in("Updates");
  auto ids = coordinates(n, n.unsqueeze(id_list(n, "Ids"), {-1}));
  if (n.attr("overwrite", true)) return n.out("Out", n.emit("ScatterND", {x, ids, updates}));
  n.need_opset(16);
  auto zeros = n.emit("Sub", {updates, updates});
  n.out("Out", added_at(n, n.emit("ScatterND", {x, ids, zeros}), ids, updates));
}

}  // namespace

std::span<const Rule> index_rules() {
  static const Rule rules[] = {
      {"lookup_table_v2", 9, lookup},
      {"lookup_table", 9, lookup_column},
      {"gather", 7, gather, {.careless = true}},
      {"index_select", 7, index_select},
      {"index_sample", 11, index_sample},
      {"take_along_axis", 11, take_along_axis},
      {"put_along_axis", 11, put_along_axis},
      {"gather_nd", 11, gather_nd, {.careless = true}},
      {"scatter_nd_add", 11, scatter_nd_add},
      {"scatter", 11, scatter},
  };
  return rules;
}

}  // namespace oarlock
