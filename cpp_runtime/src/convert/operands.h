// Inputs that Paddle passes in several forms: integer lists, axes, layouts, 0-D outputs.
#pragma once
#include <optional>
#include <string_view>

#include "convert/node_context.h"
#include "paddle/validator.h"

namespace oarlock {

/// An integer list given as an attribute, one tensor, or a list of one-element tensors. int64[n]
struct IntListAttrAndSlotNames {
  std::string_view attr, tensor, tensors;
};
Value read_int_list_as_vector(NodeContext& n, const IntListAttrAndSlotNames& names,
                              const Ints& default_value = {});
/// The content of an integer list that is known at conversion time. Fails if the list is not known.
Ints require_const_int_list(NodeContext& n, const IntListAttrAndSlotNames& names,
                            const Ints& default_value = {});

/// Attribute `shape` with one dim replaced by a dim of `Input`, the batch size. int64[n]
Value shape_attr_with_batch_size(NodeContext& n);

/// An axis given as an attribute or a constant tensor, as a nonnegative number.  Fails for a
/// run-time value, for several axes, and for an axis out of range.
std::int64_t require_const_axis(NodeContext& n, std::string_view attr, std::string_view tensor,
                                std::int64_t default_value, int rank);

/// An integer tensor of any shape as int64[n]; a one-element tensor as a scalar.
Value as_int64_vector(NodeContext& n, Value v);
Value as_scalar(NodeContext& n, Value v);

/// `slice` of a tensor array: a sub-list, or with `decrease_axis` the element at `start`.
void set_output_to_tensor_array_slice(NodeContext& n, Value list, Value start, Value end);
/// Indices with Paddle's meaning: negative ones are errors, while ONNX counts them from the end.
/// Negative indices are replaced by an invalid index, which ONNX Runtime reports. ids: of any
/// integer type; slot: the input slot
Value invalidate_negative_indices(NodeContext& n, Value ids);
Value read_index_input_invalidating_negatives(NodeContext& n, std::string_view slot);
/// `v` with `updates` combined at coordinates by a `reduction` of ScatterND: add, max, min.
Value scatter_nd_reduce(NodeContext& n, Value v, Value at, Value updates,
                        std::string_view reduction);
/// The index that replaces negative indices; it is beyond the end of every axis.
inline constexpr std::int64_t kInvalidIndex = 2147483647;
/// The end of a slice that reaches to the end of the axis.
inline constexpr std::int64_t kSliceToEnd = INT64_MAX;
/// The size of `v` along `axis` as int64[1], folded if known.
Value dim_as_vector(NodeContext& n, Value v, std::int64_t axis);
/// The size of `v` along `axis` as a scalar.
Value dim_as_scalar(NodeContext& n, Value v, std::int64_t axis);
/// The shape of `v` without one axis. int64[rank-1]
Value shape_except_axis(NodeContext& n, Value v, std::int64_t axis);
/// The shape of `v` from `axis` on. int64[*]
Value shape_from_axis(NodeContext& n, Value v, std::int64_t axis);
/// `v` reshaped to the concatenation of `parts`, int64[*] each.
Value reshape_to_shape_parts(NodeContext& n, Value v, const Values& parts);
/// `v` reshaped to the shape of `like`, which has as many elements.
Value reshape_like(NodeContext& n, Value v, Value like);

/// Sets a scalar output. The declared shape of the output decides whether it is 0-D, or of shape
/// [1] as before Paddle 2.5.
void set_scalar_output_as_declared(NodeContext& n, std::string_view slot, Value v);

/// A size for which nodes are unrolled: 1 to 2**20.  Fails otherwise.
std::size_t require_unrollable_size(const NodeContext& n, std::int64_t size, std::string_view what);
/// The inputs of a slot, at least one.  Fails otherwise.
Values require_one_or_more_inputs(NodeContext& n, std::string_view slot);

/// Nonnegative axes, sorted and unique.
Ints normalize_sort_and_deduplicate_axes(const NodeContext& n, Ints axes, int rank);
/// 0 .. rank-1
Ints all_axes(int rank);
/// The axes 0 .. rank-1 except `axis`.
Ints axes_except(const NodeContext& n, int rank, std::int64_t axis);

/// Whether a layout attribute (NHWC, NLC, NDHWC) puts channels last.
bool is_channels_last(const NodeContext& n, std::string_view attr);
/// Moves channels to axis 1 and back; does nothing unless `last`.
Value move_channels_first_if(NodeContext& n, Value v, bool last);
Value move_channels_last_if(NodeContext& n, Value v, bool last);
/// A per-channel value [C], shaped to broadcast against a tensor with `rank` axes: [C,1,1...], or
/// [C] for channels last.
Value unsqueeze_channel_vector(NodeContext& n, Value v, int rank, bool last = false);

/// The axes of a reduction, empty for all, read from the attributes of newer ops.
struct ReduceAxesAndKeepdims {
  Ints axes;
  bool keepdims;
};
ReduceAxesAndKeepdims read_reduce_axes_and_keepdims(NodeContext& n, std::string_view axes,
                                                    std::string_view keep, int rank);

/// ReduceMean, ReduceSum, ... over `axes`, given as attribute or input according to the opset.
Value reduce(NodeContext& n, std::string_view onnx, Value v, const Ints& axes, bool keep);

/// X and Y aligned for broadcasting: Y's dims match X's from attribute `axis` on; ONNX aligns at
/// the end.
struct OperandPair {
  Value x, y;
};
OperandPair read_operands_aligned_by_axis_attr(NodeContext& n, std::string_view x = "X",
                                               std::string_view y = "Y");

/// `v` as floats: integers are cast to the declared dtype of the output, else to float32.
Value cast_to_floating(NodeContext& n, Value v, std::string_view slot = "Out");

}  // namespace oarlock
