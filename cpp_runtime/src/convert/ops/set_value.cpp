// x[slices] = value.   Every element asks for itself whether it is in the slices, and which element
// of the value it takes.
#include <algorithm>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"
#include "convert/scalar_bytes.h"

namespace oarlock {
namespace {

constexpr std::int64_t kListed = 1 << 16;  // up to here positions are written out

// Along one axis: which positions are hit, bool[size], and by which entry of the value,
// int64[size].
struct Hits {
  Value mask, source;
};

// start, end and step as Python reads them, but that backwards an end of -1 is "through the front".
Hits known_hits(Node& n, std::int64_t size, std::int64_t start, std::int64_t end,
                std::int64_t step) {
  if (step < 0 && end == -1) end = -size - 1;
  auto low = step > 0 ? std::int64_t{0} : std::int64_t{-1}, high = step > 0 ? size : size - 1;
  auto clamp = [&](std::int64_t v) { return std::clamp(v < 0 ? v + size : v, low, high); };
  std::string mask(static_cast<std::size_t>(size), '\0');
  Ints source(static_cast<std::size_t>(size), 0);
  std::int64_t entry = 0;
  for (auto at = clamp(start); step > 0 ? at < clamp(end) : at > clamp(end); at += step) {
    mask[static_cast<std::size_t>(at)] = 1;
    source[static_cast<std::size_t>(at)] = entry++;
  }
  return {n.tensor({DType::boolean, {size}, mask}), n.ints(source)};
}

// The same, computed at run time.   start, end, size: int64[1]; step > 0
Hits computed_hits(Node& n, const Value& size, const Value& start, const Value& end,
                   std::int64_t step) {
  auto zero = n.int_scalar(0), by = n.int_scalar(step);
  auto from_front = [&](const Value& v) {
    auto shifted = n.emit("Where", {n.emit("Less", {v, zero}), n.emit("Add", {v, size}), v});
    return n.emit("Max", {shifted, zero});
  };
  auto from = from_front(start), to = from_front(end);
  auto at = counted(n, size);
  auto distance = n.emit("Sub", {at, from});
  auto inside = n.emit("And", {n.emit("GreaterOrEqual", {at, from}), n.emit("Less", {at, to})});
  auto on_step = n.emit("Equal", {n.emit("Mod", {distance, by}), zero});
  auto mask = n.emit("And", {inside, on_step});
  return {mask, n.emit("Where", {mask, n.emit("Div", {distance, by}), zero})};
}

struct Slices {
  Ints axes, steps;
  Value starts, ends;
};

Hits hits_along(Node& n, const Value& x, const Slices& s, std::size_t i) {
  auto size = n.dim(x, s.axes[i]);
  auto at = static_cast<std::int64_t>(i);
  n.require(n.dim(s.starts, 0) > at && n.dim(s.ends, 0) > at,
            "needs one start and one end per axis");
  auto start = n.slice(s.starts, {at}, {at + 1}, {0}), end = n.slice(s.ends, {at}, {at + 1}, {0});
  auto from = n.const_ints(start), to = n.const_ints(end);
  if (size >= 0 && size <= kListed && from && to)
    return known_hits(n, size, (*from)[0], (*to)[0], s.steps[i]);
  n.require(s.steps[i] > 0, "a negative step needs bounds and sizes that are known");
  return computed_hits(n, size_along(n, x, s.axes[i]), start, end, s.steps[i]);
}

// ---- the value ----

std::string packed_values(const Node& n, DType dtype) {
  std::string bytes;
  for (const Scalar& s : n.attr("values", Scalars{}))
    bytes += dtype == DType::int64 ? std::string(reinterpret_cast<const char*>(&s.i), sizeof s.i)
                                   : encoded(s.as_double(), dtype);
  for (auto name : {"bool_values", "int32_values", "int64_values"})
    for (auto v : n.attr(name, Ints{})) bytes += encoded(static_cast<double>(v), dtype);
  for (auto name : {"fp32_values", "fp64_values"})
    for (auto v : n.attr(name, Floats{})) bytes += encoded(v, dtype);
  return bytes;
}

Value assigned_value(Node& n, DType dtype) {
  if (n.has("ValueTensor")) return n.cast(n.in("ValueTensor"), dtype);
  auto bytes = packed_values(n, dtype);
  auto shape = n.attr("shape", Ints{1});
  n.require(
      bytes.size() == static_cast<std::size_t>(element_count(shape).value_or(-1)) * size_of(dtype),
      "the values do not fill their shape");
  return n.tensor({dtype, shape, bytes});
}

// One dim per dim of x: those that the indices took away come back as ones, and so do missing
// leading ones.
Value over_all_axes(Node& n, const Value& v, int rank, const Ints& decreased) {
  Ints ones;
  auto left = n.need_rank(v);
  for (int axis = rank - 1; axis >= 0; --axis) {
    bool taken = std::count(decreased.begin(), decreased.end(), axis) > 0;
    if (taken || left == 0)
      ones.push_back(axis);
    else
      --left;
  }
  if (left == 0) return n.unsqueeze(v, ones);
  n.require(left == 1 && n.dim(v, 0) == 1, "the value has more dims than the slice");
  return over_all_axes(n, n.squeeze(v, {0}), rank, decreased);
}

// Where the axes that None adds come to stand among those of the slice.   none_axes: the axis of x
// that each stands before.
Ints none_places(int rank, const Ints& decreased, Ints none_axes) {
  std::sort(none_axes.begin(), none_axes.end());
  Ints places;
  for (auto axis : none_axes) {
    std::int64_t before = 0;
    for (std::int64_t i = 0; i < std::min<std::int64_t>(axis, rank); ++i)
      before += std::count(decreased.begin(), decreased.end(), i) == 0;
    places.push_back(before + static_cast<std::int64_t>(places.size()));
  }
  return places;
}

// The value without what None added.   Its last axis is that of the slice, and further ones may be
// missing in front.
Value without_nones(Node& n, const Value& v, int rank, const Ints& decreased) {
  Ints places = none_places(rank, decreased, n.attr("none_axes", Ints{})), taken;
  auto whole = rank - static_cast<std::int64_t>(decreased.size() - places.size());
  for (auto place : places)
    if (auto at = place - whole + n.need_rank(v); at >= 0) taken.push_back(at);
  return taken.empty() ? v : n.squeeze(v, taken);
}

// An entry of the value per position of x; a dim of 1 stays, and broadcasts.
Value spread(Node& n, const Value& v, const Value& source, std::int64_t axis) {
  auto size = n.dim(v, axis);
  if (size == 1) return v;
  auto at = size > 1
                ? source
                : n.emit("Mod", {source, size_along(n, v, axis)});  // of one entry, always that
  return n.emit("Gather", {v, at}, {{"axis", axis}});
}

Value mask_along(Node& n, const Value& mask, std::int64_t axis, int rank) {
  Ints behind;
  for (auto i = axis + 1; i < rank; ++i) behind.push_back(i - axis);
  return n.unsqueeze(mask, behind);
}

// ONNX Runtime does not choose among bools.
Value chosen(Node& n, const Value& mask, const Value& x, const Value& y) {
  auto dtype = n.need_dtype(x);
  if (dtype != DType::boolean) return n.emit("Where", {mask, x, y});
  return n.cast(n.emit("Where", {mask, n.cast(x, DType::int32), n.cast(y, DType::int32)}), dtype);
}

void set_value(Node& n) {
  auto x = n.in("Input");
  int rank = n.need_rank(x);
  Slices s{n.attr("axes", Ints{}), need_ints(n, {"steps", "", "StepsTensorList"}),
           int_list(n, {"starts", "", "StartsTensorList"}),
           int_list(n, {"ends", "", "EndsTensorList"})};
  n.require(s.steps.size() == s.axes.size(), "needs one step per axis");
  for (std::size_t i = 0; i < s.axes.size(); ++i) {
    s.axes[i] = from_front(n, {s.axes[i]}, rank)[0];
    n.require(s.steps[i] != 0 && s.steps[i] > -kListed && s.steps[i] < kListed,
              "a step is " + std::to_string(s.steps[i]));
  }
  auto decreased = from_front(n, n.attr("decrease_axes", Ints{}), rank);
  auto given = without_nones(n, assigned_value(n, n.need_dtype(x)), rank, decreased);
  auto value = over_all_axes(n, given, rank, decreased);
  Value mask = n.scalar(1, DType::boolean);
  for (std::size_t i = 0; i < s.axes.size(); ++i) {
    Hits hits = hits_along(n, x, s, i);
    value = spread(n, value, hits.source, s.axes[i]);
    auto along = mask_along(n, hits.mask, s.axes[i], rank);
    mask = i == 0 ? along : n.emit("And", {mask, along});
  }
  n.out("Out", chosen(n, mask, value, x));
}

}  // namespace

std::span<const Rule> set_value_rules() {
  static const Rule rules[] = {{"set_value", 12, set_value, {.careless = true}}};
  return rules;
}

}  // namespace oarlock
