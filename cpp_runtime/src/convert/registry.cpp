#include "convert/registry.h"

#include <algorithm>
#include <map>

namespace oarlock {
namespace {

using RulesByOp = std::map<std::string_view, std::vector<const Rule*>>;

// Collects the rules of all files of ops/, whose tables are listed here by hand.
RulesByOp build_rules_by_op() {
  RulesByOp rules_by_op;
  for (auto table : {activation_rules(),
                     box_decoder_and_polygon_transform_rules(),
                     pixel_channel_shuffle_and_maxout_rules(),
                     closeness_and_equality_rules(),
                     comparison_and_logic_rules(),
                     complex_from_real_fft_and_frame_rules(),
                     control_flow_rules(),
                     conv_rules(),
                     creation_rules(),
                     crop_rules(),
                     crf_ctc_and_hsigmoid_rules(),
                     deformable_conv_rules(),
                     box_coder_iou_and_yolo_box_rules(),
                     diagonal_rules(),
                     norm_and_distance_rules(),
                     elementwise_rules(),
                     scaling_lrn_cvm_and_row_conv_rules(),
                     fused_rules(),
                     grid_sample_rules(),
                     gather_scatter_rules(),
                     interpolate_rules(),
                     concat_expand_flip_and_triangle_rules(),
                     linalg_rules(),
                     loss_rules(),
                     legacy_loss_rules(),
                     unary_math_rules(),
                     matmul_rules(),
                     nms_rules(),
                     normalization_and_dropout_rules(),
                     pad_rules(),
                     kron_cross_bilinear_and_fsp_rules(),
                     index_write_select_and_mask_rules(),
                     pool_rules(),
                     prior_boxes_rules(),
                     proposals_rules(),
                     psroi_pool_rules(),
                     quantize_rules(),
                     random_rules(),
                     static_rnn_rules(),
                     reduce_rules(),
                     lod_rnn_rules(),
                     rnn_rules(),
                     rnn_cells_rules(),
                     roi_pooling_rules(),
                     cumulative_rules(),
                     order_statistic_and_count_rules(),
                     segment_pool_and_graph_send_recv_rules(),
                     one_hot_sort_and_mask_rules(),
                     sequence_math_rules(),
                     sequence_rearrangement_rules(),
                     set_value_rules(),
                     shape_rules(),
                     slice_and_split_rules(),
                     special_functions_rules(),
                     unfold_fold_and_unpool_rules()})
    for (const Rule& rule : table) rules_by_op[rule.op_type].push_back(&rule);
  return rules_by_op;
}

const RulesByOp& rules_by_op() {
  static const RulesByOp rules = build_rules_by_op();
  return rules;
}

}  // namespace

const Rule* find_rule(std::string_view op_type, int opset) {
  auto entry = rules_by_op().find(op_type);
  if (entry == rules_by_op().end()) return nullptr;
  const Rule* best = nullptr;
  for (const Rule* rule : entry->second)
    if (rule->since_opset <= opset && (!best || rule->since_opset > best->since_opset)) best = rule;
  return best;
}

const Rule* find_complex_rule(std::string_view op_type) {
  for (const Rule& rule : complex_operand_rules())
    if (rule.op_type == op_type) return &rule;
  return nullptr;
}

const OutputTraits& output_traits_or_default(std::string_view op_type) {
  static const OutputTraits default_traits;
  auto entry = rules_by_op().find(op_type);
  return entry == rules_by_op().end() ? default_traits : entry->second[0]->traits;
}

int min_opset_of_op_rules(std::string_view op_type) {
  auto entry = rules_by_op().find(op_type);
  if (entry == rules_by_op().end()) return 0;
  int first = entry->second[0]->since_opset;
  for (const Rule* rule : entry->second) first = std::min(first, rule->since_opset);
  return first;
}

std::vector<std::string_view> op_types_with_rule() {
  std::vector<std::string_view> names;
  for (auto& [name, entry] : rules_by_op()) names.push_back(name);
  for (const Rule& rule : complex_operand_rules())
    if (!rules_by_op().count(rule.op_type)) names.push_back(rule.op_type);
  std::sort(names.begin(), names.end());
  return names;
}

int since_opset_of_onnx_op_for_dtype(std::string_view onnx, DType dtype) {
  struct OpSince {
    std::string_view onnx;
    int opset;
  };
  static constexpr OpSince later_ops[] = {
      {"Max", 8},
      {"Min", 8},
      {"Expand", 8},
      {"Compress", 9},
      {"Erf", 9},
      {"EyeLike", 9},
      {"IsNaN", 9},
      {"NonZero", 9},
      {"Sign", 9},
      {"Where", 9},
      {"ConstantOfShape", 9},
      {"IsInf", 10},
      {"Mod", 10},
      {"Resize", 10},
      {"RoiAlign", 10},
      {"NonMaxSuppression", 10},
      {"CumSum", 11},
      {"Det", 11},
      {"GatherND", 11},
      {"GatherElements", 11},
      {"Range", 11},
      {"Round", 11},
      {"ScatterND", 11},
      {"ScatterElements", 11},
      {"Unique", 11},
      {"SequenceAt", 11},
      {"SequenceEmpty", 11},
      {"SequenceInsert", 11},
      {"Einsum", 12},
      {"GreaterOrEqual", 12},
      {"LessOrEqual", 12},
      {"HardSwish", 14},
      {"Trilu", 14},
      {"GridSample", 16},
      {"DFT", 17},
      {"LayerNormalization", 17},
  };
  if ((onnx == "Max" || onnx == "Min") && is_integer(dtype)) return 12;
  if (onnx == "Equal")
    return dtype == DType::int32 || dtype == DType::int64 || dtype == DType::boolean ? 7 : 11;
  auto it = std::find_if(std::begin(later_ops), std::end(later_ops),
                         [&](const OpSince& s) { return s.onnx == onnx; });
  return it == std::end(later_ops) ? 7 : it->opset;
}

bool ort_has_kernel(std::string_view onnx, DType dtype) {
  static constexpr std::string_view no_doubles[] = {
      "Acos",        "Acosh",         "Asin",      "Asinh",      "Atan",
      "Atanh",       "AveragePool",   "Conv",      "Cosh",       "ConvTranspose",
      "Elu",         "Erf",           "Gelu",      "Sinh",       "GlobalAveragePool",
      "HardSigmoid", "GlobalMaxPool", "HardSwish", "Softplus",   "InstanceNormalization",
      "Softsign",    "Tan",           "LSTM",      "GRU",        "RNN",
      "Resize",      "GridSample",    "Col2Im",    "MaxRoiPool",
  };
  if (is_complex(dtype)) return false;
  return dtype != DType::float64 ||
         std::find(std::begin(no_doubles), std::end(no_doubles), onnx) == std::end(no_doubles);
}

LowerFn single_op_rule(std::string_view onnx, std::initializer_list<std::string_view> slots,
                       std::initializer_list<AttrMapping> attrs) {
  return [onnx, slots = std::vector(slots), attrs = std::vector(attrs)](NodeContext& n) {
    Values in;
    for (auto slot : slots) in.push_back(n.input(slot));
    NodeContext::Attrs onnx_attrs;
    for (const AttrMapping& r : attrs)
      onnx_attrs.emplace_back(
          r.onnx,
          std::visit([&](auto& d) -> onnx::Attr { return n.attr(r.paddle, d); }, r.default_value));
    n.set_output("Out", n.emit(onnx, in, onnx_attrs));
  };
}

}  // namespace oarlock
