// Slices, splits and single entries along an axis.
#include <algorithm>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

constexpr std::int64_t kBeyondAnySize = std::int64_t{1} << 48;  // larger than any size

// Emits a Slice. Paddle writes INT_MAX as the end of a slice that extends to the end of an axis.
Value emit_slice(NodeContext& n, Value x, const Ints& axes, Value starts, Value ends, Value steps) {
  if (axes.empty()) return x;
  if (n.opset() < 10) {
    auto from = n.find_constant_ints(starts), to = n.find_constant_ints(ends);
    n.require(from && to && !steps,
              "below opset 10 starts and ends must be constants, and steps 1");
    return n.emit("Slice", {x}, {{"axes", axes}, {"starts", *from}, {"ends", *to}});
  }
  Values in{x, starts, ends, n.int64_vector(axes)};
  if (steps) in.push_back(steps);
  return n.emit("Slice", in);
}

// x[..., i, ...] as one Gather; Value{} if the op selects more than one entry of one axis
Value try_gather_single_entry(NodeContext& n, Value x, const Ints& axes, const Ints& decreased,
                              Value starts) {
  auto at = n.find_constant_ints(starts);
  bool one = axes.size() == 1 && decreased.size() == 1 && at && at->size() == 1;
  if (!one || n.rank(x) < 1 ||
      normalize_sort_and_deduplicate_axes(n, axes, n.rank(x)) !=
          normalize_sort_and_deduplicate_axes(n, decreased, n.rank(x)))
    return {};
  return n.emit("Gather", {x, n.int64_scalar((*at)[0])}, {{"axis", axes[0]}});
}

void squeeze_axes_and_set_output(NodeContext& n, Value y, const Ints& decreased) {
  set_scalar_output_as_declared(
      n, "Out",
      n.squeeze(y, normalize_sort_and_deduplicate_axes(n, decreased, n.require_known_rank(y))));
}

void slice(NodeContext& n) {
  auto x = n.input("Input");
  Ints axes = n.attr("axes", Ints{}), decreased = n.attr("decrease_axis", Ints{});
  auto starts = read_int_list_as_vector(n, {"starts", "StartsTensor", "StartsTensorList"});
  auto ends = read_int_list_as_vector(n, {"ends", "EndsTensor", "EndsTensorList"});
  if (n.is_sequence(x)) return set_output_to_tensor_array_slice(n, x, starts, ends);
  if (n.opset() >= 10)
    if (auto entry = try_gather_single_entry(n, x, axes, decreased, starts))
      return set_scalar_output_as_declared(n, "Out", entry);
  squeeze_axes_and_set_output(n, emit_slice(n, x, axes, starts, ends, {}), decreased);
}

// Converts the ends of slices: with a negative step, Paddle's end of -1 means that the first
// element is included.
Value ends_for_negative_steps(NodeContext& n, Value ends, Value steps) {
  auto by = n.find_constant_ints(steps), to = n.find_constant_ints(ends);
  bool forward = by && std::all_of(by->begin(), by->end(), [](std::int64_t s) { return s > 0; });
  if (forward) return ends;
  if (!by || !to) {
    Expr end(n, ends);
    return where(Expr(n, steps) < 0 && end == -1, static_cast<double>(-kBeyondAnySize), end);
  }
  n.require(by->size() == to->size(), "needs one end and one stride per axis");
  for (std::size_t i = 0; i < to->size(); ++i)
    if ((*by)[i] < 0 && (*to)[i] == -1) (*to)[i] = -kBeyondAnySize;
  return n.int64_vector(*to);
}

void strided_slice(NodeContext& n) {
  auto x = n.input("Input");
  Ints axes = n.attr("axes", Ints{});
  auto starts = read_int_list_as_vector(n, {"starts", "StartsTensor", "StartsTensorList"});
  auto ends = read_int_list_as_vector(n, {"ends", "EndsTensor", "EndsTensorList"});
  auto steps = read_int_list_as_vector(n, {"strides", "StridesTensor", "StridesTensorList"});
  ends = ends_for_negative_steps(n, ends, steps);
  squeeze_axes_and_set_output(n, emit_slice(n, x, axes, starts, ends, steps),
                              n.attr("decrease_axis", Ints{}));
}

// ---- split ----

Values split_by_sizes(NodeContext& n, Value x, std::int64_t axis, const Ints& sizes) {
  if (n.opset() < 13)
    return n.emit_multi_output(sizes.size(), "Split", {x}, {{"axis", axis}, {"split", sizes}});
  return n.emit_multi_output(sizes.size(), "Split", {x, n.int64_vector(sizes)}, {{"axis", axis}});
}

// Splits into parts of equal size. The sizes are given explicitly, because ONNX Runtime would merge
// two Splits of one value without sizes even if their numbers of parts differ.
Values split_evenly(NodeContext& n, Value x, std::int64_t axis, std::size_t parts) {
  n.require(parts > 0, "has no outputs");
  auto count = static_cast<std::int64_t>(parts);
  if (auto whole = n.dim(x, axis); whole >= 0) {
    n.require(whole % count == 0,
              std::to_string(whole) + " entries do not split into " + std::to_string(count));
    return split_by_sizes(n, x, axis, Ints(parts, whole / count));
  }
  if (n.opset() < 13) return n.emit_multi_output(parts, "Split", {x}, {{"axis", axis}});
  auto each = n.emit("Div", {dim_as_vector(n, x, axis), n.int64_vector({count})});
  return n.emit_multi_output(parts, "Split", {x, n.emit("Expand", {each, n.int64_vector({count})})},
                             {{"axis", axis}});
}

// Splits an axis of unknown size into sections by Slice; the section of size -1 gets the elements
// that the other sections leave.
Values split_with_dynamic_section(NodeContext& n, Value x, std::int64_t axis, const Ints& sizes) {
  auto dynamic = std::find(sizes.begin(), sizes.end(), -1);
  Values parts;
  std::int64_t at = 0, behind = 0;
  for (auto s = dynamic + 1; s != sizes.end(); ++s) behind += *s;
  for (auto s = sizes.begin(); s != dynamic; ++s, at += s[-1])
    parts.push_back(n.slice(x, {at}, {at + *s}, {axis}));
  parts.push_back(n.slice(x, {at}, {behind ? -behind : kSliceToEnd}, {axis}));
  for (auto s = dynamic + 1; s != sizes.end(); behind -= *s, ++s)
    parts.push_back(n.slice(x, {behind ? -behind : kSliceToEnd},
                            {*s == behind ? kSliceToEnd : *s - behind}, {axis}));
  return parts;
}

Values split_by_constant_sections(NodeContext& n, Value x, std::int64_t axis, Ints sizes) {
  constexpr std::int64_t limit = std::int64_t{1} << 40;
  for (auto s : sizes) n.require(s >= -1 && s < limit, "a section is " + std::to_string(s));
  auto dynamic = std::find(sizes.begin(), sizes.end(), -1);
  if (dynamic == sizes.end()) return split_by_sizes(n, x, axis, sizes);
  n.require(std::count(dynamic, sizes.end(), -1) == 1, "more than one section is -1");
  auto whole = n.dim(x, axis);
  if (whole < 0) return split_with_dynamic_section(n, x, axis, sizes);
  for (auto s = sizes.begin(); s != sizes.end(); ++s) whole -= s == dynamic ? 0 : *s;
  n.require(whole >= 0, "the sections do not fit");
  *dynamic = whole;
  return split_by_sizes(n, x, axis, sizes);
}

// Splits into sections that are given as a tensor; one of them may be -1.
Values split_by_runtime_sections(NodeContext& n, Value x, std::int64_t axis, Value sections,
                                 std::size_t parts) {
  n.require_opset(13, "a list of sections computed at run time");
  Expr sizes(n, sections), whole(n, dim_as_vector(n, x, axis));
  auto rest = whole - (Expr(n, reduce(n, "ReduceSum", sizes, {0}, true)) + 1);
  return n.emit_multi_output(parts, "Split", {x, where(sizes < 0, rest, sizes)}, {{"axis", axis}});
}

Values split_along_axis(NodeContext& n, Value x, std::int64_t axis, std::size_t parts) {
  auto sections = read_int_list_as_vector(n, {"sections", "", "SectionsTensorList"});
  auto sizes = n.find_constant_ints(sections);
  if (!sizes) return split_by_runtime_sections(n, x, axis, sections, parts);
  return sizes->empty() ? split_evenly(n, x, axis, parts)
                        : split_by_constant_sections(n, x, axis, *sizes);
}

// Splits into parts of equal size along an axis that is known only at run time, by Slice, which
// accepts such an axis.
Values split_along_axis_tensor(NodeContext& n, Value x, Value axis, std::size_t parts) {
  n.require_opset(13, "an axis computed at run time");
  auto positions =
      arange(n, n.emit("Gather", {n.emit_shape(x), axis}, {{"axis", std::int64_t{0}}}));
  auto start = n.int64_vector({0});
  Values slices;
  for (Value part : split_along_axis(n, positions, 0, parts)) {
    n.declare_type(part, DType::int64, Ints{-1});
    auto end = n.emit("Add", {start, dim_as_vector(n, part, 0)});
    slices.push_back(n.emit("Slice", {x, start, end, axis}));
    n.declare_type(slices.back(), n.require_known_dtype(x),
                   Ints(static_cast<std::size_t>(n.require_known_rank(x)), -1));
    start = end;
  }
  return slices;
}

void split(NodeContext& n) {
  auto x = n.input("X");
  auto num_outputs = n.output_names("Out").size();
  if (num_outputs == 1) return n.set_outputs("Out", {x});
  auto axis = read_int_list_as_vector(n, {"axis", "AxisTensor", ""}, {0});
  if (n.dim(axis, 0) != 1) axis = n.reshape(axis, {1});
  if (!n.find_constant_ints(axis))
    return n.set_outputs("Out", split_along_axis_tensor(n, x, axis, num_outputs));
  n.set_outputs("Out",
                split_along_axis(
                    n, x, require_const_axis(n, "axis", "AxisTensor", 0, n.require_known_rank(x)),
                    num_outputs));
}

// A rule for ops that output all slices along an axis as separate tensors; `slot` is the output
// slot.
LowerFn make_unstack_rule(std::string_view slot) {
  return [slot](NodeContext& n) {
    auto x = n.input("X");
    auto axis = n.normalized_axis_attr("axis", 0, n.require_known_rank(x));
    auto count = n.output_names(slot).size();
    Values parts = count == 1 ? Values{x} : split_evenly(n, x, axis, count);
    for (Value& part : parts) part = n.squeeze(part, {axis});
    n.set_outputs(slot, parts);
  };
}

}  // namespace

std::span<const Rule> slice_and_split_rules() {
  static const Rule rules[] = {
      {"slice", 7, slice},
      {"strided_slice", 10, strided_slice},
      {"split", 7, split},
      {"unstack", 7, make_unstack_rule("Y")},
      {"unbind", 7, make_unstack_rule("Out")},
  };
  return rules;
}

}  // namespace oarlock
