// Concatenation, repetition, expansion, reordering (flip, roll), meshgrid and triangles.
#include <algorithm>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

void concat(NodeContext& n) {
  auto parts = require_one_or_more_inputs(n, "X");
  n.set_output("Out", n.concat(parts, require_const_axis(n, "axis", "AxisTensor", 0,
                                                         n.require_known_rank(parts[0]))));
}

void stack(NodeContext& n) {
  auto parts = require_one_or_more_inputs(n, "X");
  auto axis = n.normalized_axis_attr("axis", 0, n.require_known_rank(parts[0]) + 1);
  for (Value& part : parts) part = n.unsqueeze(part, {axis});
  n.set_output("Y", n.concat(parts, axis));
}

// Slices the same columns out of every input.
Values slice_input_columns(NodeContext& n) {
  auto from = n.attr("start_index", 0), length = n.attr("length", -1);
  auto parts = require_one_or_more_inputs(n, "X");
  for (Value& part : parts)
    part = n.slice(part, {from}, {length < 0 ? kSliceToEnd : from + length}, {1});
  return parts;
}

void partial_concat(NodeContext& n) { n.set_output("Out", n.concat(slice_input_columns(n), 1)); }

void partial_sum(NodeContext& n) {
  auto parts = slice_input_columns(n);
  Value sum = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) sum = n.emit("Add", {sum, parts[i]});
  n.set_output("Out", sum);
}

// ---- repetition ----

// The op expand (version 2): -1 in the new shape keeps a dim; in ONNX's Expand, 1 does.
void expand_v2(NodeContext& n) {
  auto x = n.input("X"),
       shape = read_int_list_as_vector(n, {"shape", "Shape", "expand_shapes_tensor"});
  if (auto known = n.find_constant_ints(shape)) {
    std::replace(known->begin(), known->end(), std::int64_t{-1}, std::int64_t{1});
    shape = n.int64_vector(*known);
  } else {
    auto keeps = n.emit("Less", {shape, n.int64_scalar(0)});
    shape = n.emit("Where", {keeps, n.int64_scalar(1), shape});
  }
  n.set_output("Out", n.emit("Expand", {x, shape}));
}

// The op expand (version 1): repeats each dim by a factor.
void expand_v1(NodeContext& n) {
  auto times = read_int_list_as_vector(n, {"expand_times", "ExpandTimes", "expand_times_tensor"});
  n.set_output("Out", n.emit("Tile", {n.input("X"), times}));
}

void expand_as_v1(NodeContext& n) {
  auto x = input_expr(n, "X"), target = input_expr(n, "target_tensor");
  n.require(n.require_known_rank(x) == n.require_known_rank(target),
            "needs as many axes as the target");
  n.set_output("Out",
               n.emit("Tile", {x, Expr(n, n.emit_shape(target)) / Expr(n, n.emit_shape(x))}));
}

void expand_as_v2(NodeContext& n) {
  auto x = n.input("X");
  auto target = n.attr("target_shape", Ints{});
  bool known = !target.empty() && std::count(target.begin(), target.end(), -1) == 0;
  n.require(known || n.has_input("Y"), "an open target_shape needs Y");
  n.set_output("Out",
               n.emit("Expand", {x, known ? n.int64_vector(target) : n.emit_shape(n.input("Y"))}));
}

// The shorter of the shape of x and the list of repeats is extended by leading ones.
void tile(NodeContext& n) {
  auto x = n.input("X"),
       repeats = read_int_list_as_vector(n, {"repeat_times", "RepeatTimes", "repeat_times_tensor"});
  auto count = n.dim(repeats, 0);
  int rank = n.require_known_rank(x);
  n.require(count >= 0 && count <= 64, "needs a known number of repeats");
  if (count > rank) x = n.unsqueeze(x, all_axes(static_cast<int>(count) - rank));
  if (count < rank)
    repeats =
        n.concat({n.int64_vector(Ints(static_cast<std::size_t>(rank - count), 1)), repeats}, 0);
  n.set_output("Out", n.emit("Tile", {x, repeats}));
}

void broadcast_tensors(NodeContext& n) {
  auto parts = require_one_or_more_inputs(n, "X");
  Value sum = n.emit("ConstantOfShape", {n.emit_shape(parts[0])});
  for (std::size_t i = 1; i < parts.size(); ++i)
    sum = n.emit("Add", {sum, n.emit("ConstantOfShape", {n.emit_shape(parts[i])})});
  auto shape = n.shape(sum);
  bool fixed = shape && std::count(shape->begin(), shape->end(), -1) == 0;
  for (Value& part : parts)
    part = n.emit("Expand", {part, fixed ? n.int64_vector(*shape) : n.emit_shape(sum)});
  n.set_outputs("Out", parts);
}

// Broadcasts vectors to a grid: input i varies along axis i.
void meshgrid(NodeContext& n) {
  auto parts = n.inputs("X");
  auto count = static_cast<std::int64_t>(parts.size());
  Values sizes;
  for (Value& part : parts) {
    part = n.rank(part) == 0 ? n.unsqueeze(part, {0}) : part;
    sizes.push_back(n.emit_shape(part));
  }
  auto shape = n.concat(sizes, 0);
  for (std::int64_t i = 0; i < count; ++i) {
    Ints ones = all_axes(static_cast<int>(count));
    ones.erase(ones.begin() + i);
    auto& part = parts[static_cast<std::size_t>(i)];
    part = n.emit("Expand", {n.unsqueeze(part, ones), shape});
  }
  n.set_outputs("Out", parts);
}

// ---- reordering ----

void flip(NodeContext& n) {
  auto x = n.input("X");
  Ints axes = normalize_sort_and_deduplicate_axes(n, require_const_int_list(n, {"axis", "", ""}),
                                                  n.require_known_rank(x));
  if (axes.empty()) return n.set_output("Out", x);
  auto all = [&](std::int64_t v) { return Ints(axes.size(), v); };
  n.set_output("Out", n.slice(x, all(-1), all(-kSliceToEnd), axes, all(-1)));
}

// Rotates the elements along an axis by `shift` positions. shift: int64[1]
Value roll_axis(NodeContext& n, Value x, Value shift, std::int64_t axis) {
  auto size_or_one = n.emit("Max", {dim_as_vector(n, x, axis), n.int64_vector({1})});
  auto cut = n.emit("Mod", {n.emit("Sub", {n.int64_vector({0}), shift}), size_or_one});
  auto known = n.find_constant_ints(shift);
  n.require(!known || known->size() == 1, "needs one shift per axis");
  auto size = n.dim(x, axis);
  if (known && size > 0) cut = n.int64_vector({(size - (*known)[0] % size) % size});
  auto tail = n.emit("Slice", {x, cut, n.int64_vector({kSliceToEnd}), n.int64_vector({axis})});
  auto before = n.emit("Slice", {x, n.int64_vector({0}), cut, n.int64_vector({axis})});
  return n.concat({tail, before}, axis);
}

void roll(NodeContext& n) {
  auto x = n.input("X");
  auto axes = n.attr("axis", Ints{});
  auto shifts = read_int_list_as_vector(n, {"shifts", "ShiftsTensor", ""});
  bool flat = axes.empty();
  int rank = n.require_known_rank(x);
  auto y = flat ? n.reshape(x, {-1}) : x;
  if (flat) axes = {0};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    auto at = static_cast<std::int64_t>(i);
    y = roll_axis(n, y, n.slice(shifts, {at}, {at + 1}, {0}),
                  axes[i] < 0 ? axes[i] + rank : axes[i]);
  }
  n.set_output("Out", flat ? reshape_like(n, y, x) : y);
}

void tril_triu(NodeContext& n) {
  auto x = n.input("X");
  std::int64_t upper = !n.attr("lower", true);
  n.set_output("Out",
               n.emit("Trilu", {x, n.int64_scalar(n.attr("diagonal", 0))}, {{"upper", upper}}));
}

}  // namespace

std::span<const Rule> concat_expand_flip_and_triangle_rules() {
  static const Rule rules[] = {
      {"concat", 7, concat},
      {"stack", 7, stack},
      {"expand_v2", 8, expand_v2, {.ignore_declared_shape = true}},
      {"expand_as_v2", 8, expand_as_v2},
      {"tile", 7, tile, {.ignore_declared_shape = true}},
      {"broadcast_tensors", 9, broadcast_tensors},
      {"meshgrid", 8, meshgrid},
      {"flip", 10, flip},
      {"reverse", 10, flip},
      {"expand", 7, expand_v1},
      {"expand_as", 7, expand_as_v1, {.ignore_declared_shape = true}},
      {"partial_concat", 7, partial_concat},
      {"partial_sum", 7, partial_sum},
      {"roll", 10, roll},
      {"tril_triu", 14, tril_triu},
  };
  return rules;
}

}  // namespace oarlock
