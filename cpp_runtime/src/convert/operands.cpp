#include "convert/operands.h"

#include <algorithm>
#include <numeric>

#include "convert/registry.h"

namespace oarlock {

Value as_int64_vector(NodeContext& n, Value v) {
  auto wide = n.cast(v, DType::int64);
  return n.rank(v) == 1 ? wide : n.reshape(wide, {-1});
}

Value as_scalar(NodeContext& n, Value v) { return n.rank(v) == 0 ? v : n.reshape(v, {}); }

namespace {

bool is_nonnegative_output(const OpDesc& op, const std::string& name) {
  std::string_view slot_name = output_traits_or_default(op.type).nonnegative_outputs;
  auto slot = op.outputs.find(slot_name);
  return !slot_name.empty() && slot != op.outputs.end() && slot->second == Strings{name};
}

}  // namespace

Value invalidate_negative_indices(NodeContext& n, Value ids) {
  auto known = n.find_constant_ints(ids);
  if (known && std::all_of(known->begin(), known->end(), [](std::int64_t at) { return at >= 0; }))
    return ids;
  auto at = n.require_known_dtype(ids) == DType::int32 ? ids : n.cast(ids, DType::int64);
  n.require_opset(9);
  auto negative = n.emit("Less", {at, n.scalar_like(0, at)});
  return n.emit("Where", {negative, n.scalar_like(static_cast<double>(kInvalidIndex), at), at});
}

Value read_index_input_invalidating_negatives(NodeContext& n, std::string_view slot) {
  auto ids = n.input(slot);
  const std::string& name = n.input_names(slot)[0];
  const OpDesc* writer = n.find_latest_earlier_writer_in_block(name);
  return writer && is_nonnegative_output(*writer, name) ? ids : invalidate_negative_indices(n, ids);
}

namespace {

// Reads an attribute that is a list of integers, or one integer, which becomes a list of one.
Ints read_int_list_attr(const NodeContext& n, std::string_view attr, const Ints& default_value) {
  auto it = n.op().attrs.find(attr);
  bool single = it != n.op().attrs.end() && std::holds_alternative<std::int64_t>(it->second.value);
  return single ? Ints{n.attr(attr, 0)} : n.attr(attr, default_value);
}

}  // namespace

Value read_int_list_as_vector(NodeContext& n, const IntListAttrAndSlotNames& names,
                              const Ints& default_value) {
  Values parts = n.values_of_variable_list_attr(names.attr);
  if (parts.empty()) parts = n.inputs(names.tensors);
  for (Value& part : parts)
    if (n.shape(part) != Ints{1}) part = n.reshape(part, {1});
  if (parts.empty() && n.has_input(names.tensor)) parts = {n.input(names.tensor)};
  if (auto whole = n.value_of_variable_attr_or_empty(names.attr); parts.empty() && whole)
    parts = {whole};
  if (parts.empty()) return n.int64_vector(read_int_list_attr(n, names.attr, default_value));
  for (Value& part : parts) part = as_int64_vector(n, part);
  return n.concat(parts, 0);
}

Ints require_const_int_list(NodeContext& n, const IntListAttrAndSlotNames& names,
                            const Ints& default_value) {
  auto known = n.find_constant_ints(read_int_list_as_vector(n, names, default_value));
  n.require(known.has_value(),
            "'" + std::string(names.attr) + "' is computed at run time, which has no lowering");
  return *known;
}

Value shape_attr_with_batch_size(NodeContext& n) {
  auto x = n.input("Input");
  Ints shape = n.attr("shape", Ints{});
  auto at = n.attr("output_dim_idx", 0), from = n.attr("input_dim_idx", 0);
  n.require(at >= 0 && at < static_cast<std::int64_t>(shape.size()),
            "output_dim_idx is out of range");
  Ints before(shape.begin(), shape.begin() + at), behind(shape.begin() + at + 1, shape.end());
  return n.concat({n.int64_vector(before), dim_as_vector(n, x, from), n.int64_vector(behind)}, 0);
}

std::int64_t require_const_axis(NodeContext& n, std::string_view attr, std::string_view tensor,
                                std::int64_t default_value, int rank) {
  auto axes = require_const_int_list(n, {attr, tensor, ""}, {default_value});
  n.require(axes.size() == 1, "'" + std::string(attr) + "' is not one axis");
  return normalize_sort_and_deduplicate_axes(n, axes, rank)[0];
}

// ScatterND with a reduction; float16 is reduced in float32, because ONNX Runtime has no float16
// kernel for it.
Value scatter_nd_reduce(NodeContext& n, Value v, Value at, Value updates,
                        std::string_view reduction) {
  bool half = n.dtype(v) == DType::float16;
  auto widen = [&](Value x) { return half ? n.cast(x, DType::float32) : x; };
  auto result =
      n.emit("ScatterND", {widen(v), at, widen(updates)}, {{"reduction", std::string(reduction)}});
  return half ? n.cast(result, DType::float16) : result;
}

Value dim_as_vector(NodeContext& n, Value v, std::int64_t axis) {
  n.require(axis >= 0 && axis < n.require_known_rank(v),
            "there is no axis " + std::to_string(axis));
  return n.slice(n.emit_shape(v), {axis}, {axis + 1}, {0});
}

Value dim_as_scalar(NodeContext& n, Value v, std::int64_t axis) {
  return n.squeeze(dim_as_vector(n, v, axis), {0});
}

Value shape_except_axis(NodeContext& n, Value v, std::int64_t axis) {
  return n.emit("Gather",
                {n.emit_shape(v), n.int64_vector(axes_except(n, n.require_known_rank(v), axis))},
                {{"axis", std::int64_t{0}}});
}

Ints axes_except(const NodeContext& n, int rank, std::int64_t axis) {
  n.require(axis >= 0 && axis < rank, "there is no axis " + std::to_string(axis));
  Ints others = all_axes(rank);
  others.erase(others.begin() + axis);
  return others;
}

Value shape_from_axis(NodeContext& n, Value v, std::int64_t axis) {
  return n.slice(n.emit_shape(v), {axis}, {n.require_known_rank(v)}, {0});
}

Value reshape_to_shape_parts(NodeContext& n, Value v, const Values& parts) {
  return n.emit("Reshape", {v, n.concat(parts, 0)});
}

Value reshape_like(NodeContext& n, Value v, Value like) {
  auto dims = n.shape(like);
  if (!dims || std::count(dims->begin(), dims->end(), -1) > 1)
    return n.emit("Reshape", {v, n.emit_shape(like)});
  return n.reshape(v, *dims);
}

std::size_t require_unrollable_size(const NodeContext& n, std::int64_t size,
                                    std::string_view what) {
  constexpr std::int64_t limit = 1 << 20;
  n.require(size != -1, std::string(what) + " must be known");
  n.require(size >= 1 && size <= limit, std::string(what) + " is " + std::to_string(size));
  return static_cast<std::size_t>(size);
}

Values require_one_or_more_inputs(NodeContext& n, std::string_view slot) {
  auto all = n.inputs(slot);
  n.require(!all.empty(), "needs at least one '" + std::string(slot) + "'");
  return all;
}

void set_scalar_output_as_declared(NodeContext& n, std::string_view slot, Value v) {
  bool one = n.rank(v) == 0 && n.declared_output_shape(slot) == Ints{1};
  n.set_output(slot, one ? n.unsqueeze(v, {0}) : v);
}

Ints normalize_sort_and_deduplicate_axes(const NodeContext& n, Ints axes, int rank) {
  int span = std::max(rank, 1);  // a 0-d tensor counts as one of a single axis
  for (std::int64_t& a : axes) {
    n.require(a >= -span && a < span,
              "axis " + std::to_string(a) + " for rank " + std::to_string(rank));
    if (a < 0) a += span;
  }
  std::sort(axes.begin(), axes.end());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  return axes;
}

Ints all_axes(int rank) {
  Ints axes(static_cast<std::size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

bool is_channels_last(const NodeContext& n, std::string_view attr) {
  auto layout = n.attr(attr, "NCHW");
  return layout.size() > 2 && layout.back() == 'C';
}

Value move_channels_first_if(NodeContext& n, Value v, bool last) {
  if (!last) return v;
  n.require(n.require_known_rank(v) >= 2, "has no channels");
  Ints perm = all_axes(n.rank(v));
  std::rotate(perm.begin() + 1, perm.end() - 1, perm.end());
  return n.transpose(v, perm);
}

Value move_channels_last_if(NodeContext& n, Value v, bool last) {
  if (!last) return v;
  n.require(n.require_known_rank(v) >= 2, "has no channels");
  Ints perm = all_axes(n.rank(v));
  std::rotate(perm.begin() + 1, perm.begin() + 2, perm.end());
  return n.transpose(v, perm);
}

Value unsqueeze_channel_vector(NodeContext& n, Value v, int rank, bool last) {
  Ints ones;
  for (std::int64_t i = 1; !last && i < rank - 1; ++i) ones.push_back(i);
  return n.unsqueeze(v, ones);
}

ReduceAxesAndKeepdims read_reduce_axes_and_keepdims(NodeContext& n, std::string_view axes,
                                                    std::string_view keep, int rank) {
  bool all = n.attr("reduce_all", false);
  Ints dims = require_const_int_list(n, {axes, "AxisTensor", "AxisTensorList"}, {0});
  bool keepdims = n.attr(keep, false);
  if (rank < 0) return {all ? Ints{} : dims, keepdims};
  auto named = dims.size();
  dims = normalize_sort_and_deduplicate_axes(n, dims, rank);
  n.require(all || dims.size() == named,
            "an axis is named twice, for which Paddle leaves memory as it was");
  return {all || dims.size() == static_cast<std::size_t>(rank) ? Ints{} : dims, keepdims};
}

Value reduce(NodeContext& n, std::string_view onnx, Value v, const Ints& axes, bool keep) {
  if (n.rank(v) == 0) return onnx == "ReduceL1" || onnx == "ReduceL2" ? n.emit("Abs", {v}) : v;
  std::int64_t keepdims = keep;
  bool input = n.opset() >= 18 || (onnx == "ReduceSum" && n.opset() >= 13);
  if (axes.empty()) return n.emit(onnx, {v}, {{"keepdims", keepdims}});
  if (input) return n.emit(onnx, {v, n.int64_vector(axes)}, {{"keepdims", keepdims}});
  return n.emit(onnx, {v}, {{"axes", axes}, {"keepdims", keepdims}});
}

OperandPair read_operands_aligned_by_axis_attr(NodeContext& n, std::string_view slot_x,
                                               std::string_view slot_y) {
  OperandPair p{n.input(slot_x), n.input(slot_y)};
  auto axis = n.attr("axis", -1);
  if (axis == -1) return p;
  bool x_longer = n.require_known_rank(p.x) >= n.require_known_rank(p.y);
  Value& shorter = x_longer ? p.y : p.x;
  int rank = n.rank(shorter), max_axis = n.rank(x_longer ? p.x : p.y) - rank;
  n.require(axis >= 0 && axis <= max_axis, "attribute 'axis' is " + std::to_string(axis));
  int missing = max_axis - static_cast<int>(axis);
  Ints ones;
  for (int i = 0; i < missing; ++i) ones.push_back(rank + i);
  shorter = n.unsqueeze(shorter, ones);
  return p;
}

Value cast_to_floating(NodeContext& n, Value v, std::string_view slot) {
  if (is_floating(n.require_known_dtype(v))) return v;
  auto declared = n.declared_output_dtype(slot);
  return n.cast(v, is_floating(declared) ? declared : DType::float32);
}

}  // namespace oarlock
