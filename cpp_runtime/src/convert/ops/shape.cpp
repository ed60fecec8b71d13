// Changes of shape and axis order.
#include <algorithm>

#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

constexpr std::int64_t kMaxAxes = 64;  // valid programs have at most 9; each becomes an op

// A shape with at most one unknown element becomes a constant, because -1 means both "unknown" and
// "inferred by Reshape".
void reshape(NodeContext& n) {
  auto x = n.input("X"), shape = read_int_list_as_vector(n, {"shape", "Shape", "ShapeTensor"});
  auto known = n.find_partially_known_ints(shape);
  bool one_dynamic = known && std::count(known->begin(), known->end(), -1) <= 1;
  n.set_output("Out", one_dynamic ? n.reshape(x, *known) : n.emit("Reshape", {x, shape}));
}

void transpose(NodeContext& n) {
  auto x = n.input("X");
  Ints perm = n.attr("axis", Ints{});
  for (auto& axis : perm)
    if (axis < 0) axis += static_cast<std::int64_t>(perm.size());
  n.set_output("Out", n.transpose(x, perm));
}

// The product of shape(x)[from:to], int64[1].
Value product_of_dims_in_range(NodeContext& n, Value x, std::int64_t from, std::int64_t to) {
  auto dims = n.slice(n.emit_shape(x), {from}, {to}, {0});
  auto known = n.find_constant_ints(dims);
  if (!known) return reduce(n, "ReduceProd", dims, {0}, true);
  return n.int64_vector({element_count(*known).value_or(-1)});
}

// Merges the axes `start` to `stop` by a Reshape, which copies the dims before `start`. The shape
// is computed at run time if one of the other dims of the result is 0 or if several are unknown.
Value flatten_axes(NodeContext& n, Value x, std::int64_t start, std::int64_t stop, int rank) {
  Ints dims = *n.shape(x), to(static_cast<std::size_t>(start), 0);
  Ints merged(dims.begin() + start, dims.begin() + stop + 1);
  bool known = std::count(merged.begin(), merged.end(), -1) ==
               0;  // -1 cannot be inferred if other dims are 0
  to.push_back(known ? element_count(merged).value_or(-1) : -1);
  to.insert(to.end(), dims.begin() + stop + 1, dims.end());
  bool is_empty = std::count(to.begin() + start, to.end(), 0) > 0;  // 0 would copy a dim of x
  if (!is_empty && std::count(to.begin(), to.end(), -1) <= 1) return n.reshape(x, to);
  auto head = n.slice(n.emit_shape(x), {0}, {start}, {0}),
       tail = n.slice(n.emit_shape(x), {stop + 1}, {rank}, {0});
  auto target = n.concat({head, product_of_dims_in_range(n, x, start, stop + 1), tail}, 0);
  if (n.opset() < 14) return n.emit("Reshape", {x, target});
  return n.emit("Reshape", {x, target}, {{"allowzero", std::int64_t{1}}});
}

void flatten_contiguous_range(NodeContext& n) {
  auto x = n.input("X");
  int rank = n.require_known_rank(x);
  if (rank == 0) return n.set_output("Out", n.unsqueeze(x, {0}));
  auto start = n.normalized_axis_attr("start_axis", 1, rank),
       stop = n.normalized_axis_attr("stop_axis", 1, rank);
  n.require(start <= stop, "attribute 'stop_axis' is before 'start_axis'");
  n.set_output("Out", flatten_axes(n, x, start, stop, rank));
}

void lower_flatten_op(NodeContext& n) {
  auto axis = n.attr("axis", 1);
  n.set_output("Out", n.emit("Flatten", {n.input("X")}, {{"axis", axis}}));
}

// A squeeze without axes removes all dims that are 1 at run time. The declared rank, on which later
// ops rely, assumes that unknown dims are larger than 1.
Value squeeze_all_unit_dims_at_run_time(NodeContext& n, Value x, Ints shape) {
  auto y = n.emit("Squeeze", {x});
  std::erase(shape, 1);
  n.declare_type(y, n.dtype(x), shape);
  return y;
}

// The op squeeze does not remove requested axes whose size is known and not 1, as in Paddle.
void squeeze(NodeContext& n) {
  auto x = n.input("X");
  int rank = n.require_known_rank(x);
  Ints requested = normalize_sort_and_deduplicate_axes(
           n, require_const_int_list(n, {"axes", "", ""}), rank),
       axes;
  Ints shape = n.shape(x).value_or(Ints{});
  bool is_dynamic = std::find(shape.begin(), shape.end(), -1) != shape.end();
  if (requested.empty() && is_dynamic)
    return n.set_output("Out", squeeze_all_unit_dims_at_run_time(n, x, shape));
  for (auto a : requested.empty() ? all_axes(rank) : requested)
    if (rank > 0 && (n.dim(x, a) == 1 || n.dim(x, a) < 0)) axes.push_back(a);
  n.set_output("Out", n.squeeze(x, axes));
}

// Paddle inserts axes one by one, each relative to the current shape; ONNX's are relative to the
// final one.
Ints axes_in_final_shape_if_inserted_in_order(const NodeContext& n, const Ints& axes, int rank) {
  std::vector<bool> added(static_cast<std::size_t>(rank), false);
  for (auto a : axes) {
    auto size = static_cast<std::int64_t>(added.size()), at = a < 0 ? a + size + 1 : a;
    n.require(0 <= at && at <= size, "axis " + std::to_string(a) +
                                         " is not among those of a tensor of rank " +
                                         std::to_string(size + 1));
    added.insert(added.begin() + at, true);
  }
  Ints final;
  for (std::size_t i = 0; i < added.size(); ++i)
    if (added[i]) final.push_back(static_cast<std::int64_t>(i));
  return final;
}

// Inserts axes that are known only at run time, one by one, as in Paddle. The number of axes must
// be known at conversion time.
Value unsqueeze_runtime_axes(NodeContext& n, Value x, Value axes) {
  auto count = n.dim(axes, 0);
  n.require(count >= 0, "the number of 'axes' is computed at run time, which has no lowering");
  n.require_opset(13, "'axes' computed at run time");
  n.require(count <= kMaxAxes, "there are " + std::to_string(count) + " 'axes'");
  for (std::int64_t i = 0; i < count; ++i) {
    auto longer = n.emit("Unsqueeze", {x, n.slice(axes, {i}, {i + 1}, {0})});
    n.declare_type(longer, n.dtype(x),
                   Ints(require_unrollable_size(n, n.require_known_rank(x) + 1, "the rank"), -1));
    x = longer;
  }
  return x;
}

void unsqueeze(NodeContext& n) {
  auto x = n.input("X");
  auto axes_value = read_int_list_as_vector(n, {"axes", "AxesTensor", "AxesTensorList"});
  if (!n.find_constant_ints(axes_value))
    return n.set_output("Out", unsqueeze_runtime_axes(n, x, axes_value));
  auto axes = require_const_int_list(n, {"axes", "AxesTensor", "AxesTensorList"});
  n.set_output("Out", n.unsqueeze(x, n.rank(x) < 0 ? axes
                                                   : axes_in_final_shape_if_inserted_in_order(
                                                         n, axes, n.rank(x))));
}

void lower_shape_op(NodeContext& n) {
  n.set_output("Out", n.cast(n.emit_shape(n.input("Input")), DType::int32));
}

void size(NodeContext& n) {
  auto x = n.input("Input");
  auto dims = n.shape(x);
  auto total = dims ? element_count(*dims).value_or(-1) : -1;
  set_scalar_output_as_declared(n, "Out", total >= 0 ? n.int64_scalar(total) : n.emit("Size", {x}));
}

}  // namespace

std::span<const Rule> shape_rules() {
  static const Rule rules[] = {
      {"reshape2", 7, reshape},
      {"transpose2", 7, transpose},
      {"flatten2", 9, lower_flatten_op, {.ignore_declared_shape = true}},
      {"flatten_contiguous_range", 7, flatten_contiguous_range},
      {"squeeze2", 7, squeeze},
      {"unsqueeze2", 7, unsqueeze},
      {"shape", 7, lower_shape_op},
      {"size", 7, size},
  };
  return rules;
}

}  // namespace oarlock
