// x[slices] = value, as a selection: every element decides whether it is in the slices and which
// element of the value replaces it.
#include <algorithm>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"
#include "convert/scalar_bytes.h"

namespace oarlock {
namespace {

constexpr std::int64_t kMaxConstantSlice = 1 << 16;  // more positions are computed at run time

// A slice along one axis of x: whether each position is selected (bool[size]), and the index of the
// entry of the value that is written there (int64[size]).
struct AxisMaskAndValueIndex {
  Value mask, value_index;
};

// start, end and step as in Python, except that for negative steps an end of -1 means through the
// front.
AxisMaskAndValueIndex mask_and_value_index_for_constant_bounds(NodeContext& n, std::int64_t size,
                                                               std::int64_t start, std::int64_t end,
                                                               std::int64_t step) {
  if (step < 0 && end == -1) end = -size - 1;
  auto low = step > 0 ? std::int64_t{0} : std::int64_t{-1}, high = step > 0 ? size : size - 1;
  auto clamp = [&](std::int64_t v) { return std::clamp(v < 0 ? v + size : v, low, high); };
  std::string mask(static_cast<std::size_t>(size), '\0');
  Ints value_index(static_cast<std::size_t>(size), 0);
  std::int64_t entry = 0;
  for (auto at = clamp(start); step > 0 ? at < clamp(end) : at > clamp(end); at += step) {
    mask[static_cast<std::size_t>(at)] = 1;
    value_index[static_cast<std::size_t>(at)] = entry++;
  }
  return {n.tensor({DType::boolean, {size}, mask}), n.int64_vector(value_index)};
}

// The slice along one axis if its bounds are known only at run time. start, end, size: int64[1];
// step > 0
AxisMaskAndValueIndex mask_and_value_index_for_runtime_bounds(NodeContext& n, Value size,
                                                              Value start, Value end,
                                                              std::int64_t step) {
  auto zero = n.int64_scalar(0), by = n.int64_scalar(step);
  auto from_front = [&](Value v) {
    auto shifted = n.emit("Where", {n.emit("Less", {v, zero}), n.emit("Add", {v, size}), v});
    return n.emit("Max", {shifted, zero});
  };
  auto from = from_front(start), to = from_front(end);
  auto at = arange(n, size);
  auto distance = n.emit("Sub", {at, from});
  auto inside = n.emit("And", {n.emit("GreaterOrEqual", {at, from}), n.emit("Less", {at, to})});
  auto on_step = n.emit("Equal", {n.emit("Mod", {distance, by}), zero});
  auto mask = n.emit("And", {inside, on_step});
  return {mask, n.emit("Where", {mask, n.emit("Div", {distance, by}), zero})};
}

struct SliceBounds {
  Ints axes, steps;
  Value starts, ends;
};

AxisMaskAndValueIndex mask_and_value_index_along_axis(NodeContext& n, Value x, const SliceBounds& s,
                                                      std::size_t i) {
  auto size = n.dim(x, s.axes[i]);
  auto at = static_cast<std::int64_t>(i);
  n.require(n.dim(s.starts, 0) > at && n.dim(s.ends, 0) > at,
            "needs one start and one end per axis");
  auto start = n.slice(s.starts, {at}, {at + 1}, {0}), end = n.slice(s.ends, {at}, {at + 1}, {0});
  auto from = n.find_constant_ints(start), to = n.find_constant_ints(end);
  if (size >= 0 && size <= kMaxConstantSlice && from && to)
    return mask_and_value_index_for_constant_bounds(n, size, (*from)[0], (*to)[0], s.steps[i]);
  n.require(s.steps[i] > 0, "a negative step needs bounds and sizes that are known");
  return mask_and_value_index_for_runtime_bounds(n, dim_as_vector(n, x, s.axes[i]), start, end,
                                                 s.steps[i]);
}

// ---- the value ----

std::string read_value_bytes(const NodeContext& n, DType dtype) {
  std::string bytes;
  for (const Scalar& s : n.attr("values", Scalars{}))
    bytes += dtype == DType::int64 ? std::string(reinterpret_cast<const char*>(&s.i), sizeof s.i)
                                   : encode_scalar(s.as_double(), dtype);
  return bytes;
}

Value read_value(NodeContext& n, DType dtype) {
  if (n.has_input("ValueTensor")) return n.cast(n.input("ValueTensor"), dtype);
  auto bytes = read_value_bytes(n, dtype);
  auto shape = n.attr("shape", Ints{1});
  n.require(
      bytes.size() == static_cast<std::size_t>(element_count(shape).value_or(-1)) * size_of(dtype),
      "the values do not fill their shape");
  return n.tensor({dtype, shape, bytes});
}

// Unsqueezes the value to the rank of x: inserts axes of size 1 for integer indices (`decreased`)
// and for missing leading axes.
Value unsqueeze_value_to_rank_of_x(NodeContext& n, Value v, int rank, const Ints& decreased) {
  Ints ones;
  auto remaining_rank = n.require_known_rank(v);
  for (int axis = rank - 1; axis >= 0; --axis) {
    bool is_decreased = std::count(decreased.begin(), decreased.end(), axis) > 0;
    if (is_decreased || remaining_rank == 0)
      ones.push_back(axis);
    else
      --remaining_rank;
  }
  if (remaining_rank == 0) return n.unsqueeze(v, ones);
  n.require(remaining_rank == 1 && n.dim(v, 0) == 1, "the value has more dims than the slice");
  return unsqueeze_value_to_rank_of_x(n, n.squeeze(v, {0}), rank, decreased);
}

// The positions of the axes that `None` inserts, among the axes of the indexed result. none_axes:
// the axis of x that each precedes.
Ints none_axis_positions(int rank, const Ints& decreased, Ints none_axes) {
  std::sort(none_axes.begin(), none_axes.end());
  Ints positions;
  for (auto axis : none_axes) {
    std::int64_t before = 0;
    for (std::int64_t i = 0; i < std::min<std::int64_t>(axis, rank); ++i)
      before += std::count(decreased.begin(), decreased.end(), i) == 0;
    positions.push_back(before + static_cast<std::int64_t>(positions.size()));
  }
  return positions;
}

// Removes the axes that `None` inserts from the value. The last axes of the value and of the
// indexed result correspond; leading axes of the value may be missing.
Value drop_none_axes(NodeContext& n, Value v, int rank, const Ints& decreased) {
  Ints positions = none_axis_positions(rank, decreased, n.attr("none_axes", Ints{})), dropped;
  auto whole = rank - static_cast<std::int64_t>(decreased.size() - positions.size());
  for (auto position : positions)
    if (auto at = position - whole + n.require_known_rank(v); at >= 0) dropped.push_back(at);
  return dropped.empty() ? v : n.squeeze(v, dropped);
}

// Gathers the entry of the value for each position of x along `axis`; an axis of size 1 broadcasts.
Value gather_value_entries(NodeContext& n, Value v, Value value_index, std::int64_t axis) {
  auto size = n.dim(v, axis);
  if (size == 1) return v;
  auto at =
      size > 1 ? value_index
               : n.emit("Mod", {value_index, dim_as_vector(n, v, axis)});  // a single entry repeats
  return n.emit("Gather", {v, at}, {{"axis", axis}});
}

Value unsqueeze_trailing(NodeContext& n, Value mask, std::int64_t axis, int rank) {
  Ints trailing_axes;
  for (auto i = axis + 1; i < rank; ++i) trailing_axes.push_back(i - axis);
  return n.unsqueeze(mask, trailing_axes);
}

// Emits Where; bools are cast to int32 and back, because ONNX Runtime's Where does not support
// them.
Value emit_where(NodeContext& n, Value mask, Value x, Value y) {
  auto dtype = n.require_known_dtype(x);
  if (dtype != DType::boolean) return n.emit("Where", {mask, x, y});
  return n.cast(n.emit("Where", {mask, n.cast(x, DType::int32), n.cast(y, DType::int32)}), dtype);
}

void set_value(NodeContext& n) {
  auto x = n.input("Input");
  int rank = n.require_known_rank(x);
  SliceBounds s{n.attr("axes", Ints{}), require_const_int_list(n, {"steps", "", "StepsTensorList"}),
                read_int_list_as_vector(n, {"starts", "", "StartsTensorList"}),
                read_int_list_as_vector(n, {"ends", "", "EndsTensorList"})};
  n.require(s.steps.size() == s.axes.size(), "needs one step per axis");
  for (std::size_t i = 0; i < s.axes.size(); ++i) {
    s.axes[i] = normalize_sort_and_deduplicate_axes(n, {s.axes[i]}, rank)[0];
    n.require(s.steps[i] != 0 && s.steps[i] > -kMaxConstantSlice && s.steps[i] < kMaxConstantSlice,
              "a step is " + std::to_string(s.steps[i]));
  }
  auto decreased = normalize_sort_and_deduplicate_axes(n, n.attr("decrease_axes", Ints{}), rank);
  auto assigned = drop_none_axes(n, read_value(n, n.require_known_dtype(x)), rank, decreased);
  auto value = unsqueeze_value_to_rank_of_x(n, assigned, rank, decreased);
  Value mask = n.scalar(1, DType::boolean);
  for (std::size_t i = 0; i < s.axes.size(); ++i) {
    AxisMaskAndValueIndex hits = mask_and_value_index_along_axis(n, x, s, i);
    value = gather_value_entries(n, value, hits.value_index, s.axes[i]);
    auto along = unsqueeze_trailing(n, hits.mask, s.axes[i], rank);
    mask = i == 0 ? along : n.emit("And", {mask, along});
  }
  n.set_output("Out", emit_where(n, mask, value, x));
}

}  // namespace

std::span<const Rule> set_value_rules() {
  static const Rule rules[] = {{"set_value", 12, set_value, {.ignore_declared_shape = true}}};
  return rules;
}

}  // namespace oarlock
