// Registry of conversion rules.  Each file of ops/ has a table, listed by hand in registry.cpp:
// there are no static constructors that the linker could drop.  An op may have several rules; the
// newest one that the target opset allows is used.  An opset requirement is stated in one of three
// ways: `Rule::since_opset` for a whole rule, the table of `since_opset_of_onnx_op_for_dtype` for
// an emitted ONNX op, and `NodeContext::require_opset` for particular inputs.
#pragma once
#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "convert/node_context.h"

namespace oarlock {

using LowerFn = std::function<void(NodeContext&)>;

/// Properties of an op that hold for all of its rules.
struct OutputTraits {
  /// Whether the converter ignores the declared shape of outputs, because Paddle declares wrong
  /// sizes if input sizes are unknown (it computes with -1), or declares maximal sizes.
  bool ignore_declared_shape = false;
  /// Which outputs inherit the row splits of the first input that has any: those declared as packed
  /// sequences; all of them; or none, because rows do not correspond.
  enum LodPolicy { as_declared, propagate, none } lod = as_declared;
  std::string_view nonnegative_outputs = {};  // slot of an output that is never negative
};

struct Rule {
  std::string_view op_type;
  int since_opset;  // the first ONNX opset that the rule is valid for
  LowerFn lower;
  OutputTraits traits = {};
};

/// An attribute mapped to an ONNX attribute. default_value: Paddle's default, which also determines
/// the type.
struct AttrMapping {
  std::string_view onnx, paddle;
  std::variant<std::int64_t, float, bool, std::string, Ints> default_value;
};

/// A rule that emits one ONNX op with the given input slots and attributes, for output `Out`.
LowerFn single_op_rule(std::string_view onnx, std::initializer_list<std::string_view> slots,
                       std::initializer_list<AttrMapping> attrs = {});

/// The rule for op `op_type` at `opset`, or null.
const Rule* find_rule(std::string_view op_type, int opset);

/// The rule for op `op_type` with complex inputs, or null.
const Rule* find_complex_rule(std::string_view op_type);

/// The traits stated with the first rule of `op_type`; the default traits if there is no rule.
const OutputTraits& output_traits_or_default(std::string_view op_type);

/// The first opset with a rule for `op_type`; 0 if there is no rule.
int min_opset_of_op_rules(std::string_view op_type);

/// The first opset that has the ONNX op for inputs of this dtype.  7 for ops that are older, and
/// for ops whose rules state their opset.
int since_opset_of_onnx_op_for_dtype(std::string_view onnx, DType dtype);

/// Whether ONNX Runtime's CPU provider has a kernel of the ONNX op for this dtype. Returns false
/// for known gaps only.
bool ort_has_kernel(std::string_view onnx, DType dtype);

/// All op types with a rule, sorted.
std::vector<std::string_view> op_types_with_rule();

std::span<const Rule> activation_rules();
std::span<const Rule> pixel_channel_shuffle_and_maxout_rules();
std::span<const Rule> box_decoder_and_polygon_transform_rules();
std::span<const Rule> closeness_and_equality_rules();
std::span<const Rule> comparison_and_logic_rules();
std::span<const Rule> complex_from_real_fft_and_frame_rules();
std::span<const Rule> control_flow_rules();
std::span<const Rule> conv_rules();
std::span<const Rule> creation_rules();
std::span<const Rule> crop_rules();
std::span<const Rule> crf_ctc_and_hsigmoid_rules();
std::span<const Rule> deformable_conv_rules();
std::span<const Rule> box_coder_iou_and_yolo_box_rules();
std::span<const Rule> diagonal_rules();
std::span<const Rule> norm_and_distance_rules();
std::span<const Rule> elementwise_rules();
std::span<const Rule> scaling_lrn_cvm_and_row_conv_rules();
std::span<const Rule> fused_rules();
std::span<const Rule> grid_sample_rules();
std::span<const Rule> gather_scatter_rules();
std::span<const Rule> interpolate_rules();
std::span<const Rule> concat_expand_flip_and_triangle_rules();
std::span<const Rule> linalg_rules();
std::span<const Rule> loss_rules();
std::span<const Rule> legacy_loss_rules();
std::span<const Rule> unary_math_rules();
std::span<const Rule> matmul_rules();
std::span<const Rule> nms_rules();
std::span<const Rule> normalization_and_dropout_rules();
std::span<const Rule> pad_rules();
std::span<const Rule> kron_cross_bilinear_and_fsp_rules();
std::span<const Rule> index_write_select_and_mask_rules();
std::span<const Rule> pool_rules();
std::span<const Rule> prior_boxes_rules();
std::span<const Rule> proposals_rules();
std::span<const Rule> psroi_pool_rules();
std::span<const Rule> quantize_rules();
std::span<const Rule> random_rules();
std::span<const Rule> static_rnn_rules();
std::span<const Rule> reduce_rules();
std::span<const Rule> lod_rnn_rules();
std::span<const Rule> rnn_rules();
std::span<const Rule> rnn_cells_rules();
std::span<const Rule> roi_pooling_rules();
std::span<const Rule> cumulative_rules();
std::span<const Rule> order_statistic_and_count_rules();
std::span<const Rule> segment_pool_and_graph_send_recv_rules();
std::span<const Rule> one_hot_sort_and_mask_rules();
std::span<const Rule> sequence_math_rules();
std::span<const Rule> sequence_rearrangement_rules();
std::span<const Rule> set_value_rules();
std::span<const Rule> shape_rules();
std::span<const Rule> slice_and_split_rules();
std::span<const Rule> special_functions_rules();
std::span<const Rule> unfold_fold_and_unpool_rules();

/// Rules for ops with complex inputs; the other tables handle real inputs only.
std::span<const Rule> complex_operand_rules();

}  // namespace oarlock
