#include "convert/quantized_conv_matmul.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "convert/graph_builder.h"

namespace oarlock {
namespace {

// The first two inputs of a DequantizeLinear node: the quantized values and their step.
struct DequantizeLinearInputs {
  Value quantized, step;
};

std::optional<DequantizeLinearInputs> find_dequantize_linear_inputs(const NodeContext& n, Value v) {
  const BuilderNode* node = n.find_producer(v);
  if (!node || node->onnx.op != "DequantizeLinear") return std::nullopt;
  return DequantizeLinearInputs{node->inputs[0], node->inputs[1]};
}

// The quantization step of the int32 sums of each output channel, which is the step of `x` times
// the step of `weight`; nullopt if a step is not constant.
std::optional<std::vector<double>> find_constant_steps_per_output_channel(
    const NodeContext& n, const DequantizeLinearInputs& x, const DequantizeLinearInputs& weight,
    std::size_t channels) {
  auto x_step = n.find_constant_scalar(x.step);
  auto weight_steps = find_constant_floats(n, weight.step);
  if (!x_step || !weight_steps) return std::nullopt;
  if (weight_steps->size() == 1) weight_steps->resize(channels, weight_steps->front());
  if (weight_steps->size() != channels) return std::nullopt;
  std::vector<double> steps;
  for (float s : *weight_steps) steps.push_back(*x_step * s);
  return steps;
}

// The bytes of `bias / steps`, rounded to int32; nullopt if an element does not fit into int32.
std::optional<std::string> quantize_bias_to_int32_or_nullopt(const std::vector<float>& bias,
                                                             const std::vector<double>& steps) {
  std::string bytes;
  for (std::size_t i = 0; i < bias.size(); ++i) {
    double level = std::nearbyint(bias[i] / steps[i]);
    if (!(std::abs(level) <= std::numeric_limits<std::int32_t>::max())) return std::nullopt;
    auto value = static_cast<std::int32_t>(level);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  return bytes;
}

// Whether a bias that broadcasts against `rank` axes has one element per position of axis
// `channel`.
bool is_bias_per_channel(const Ints& shape, int rank, int channel, std::int64_t channels) {
  auto axis = static_cast<int>(shape.size()) - (rank - channel);
  if (axis < 0 || shape[static_cast<std::size_t>(axis)] != channels) return false;
  return std::count(shape.begin(), shape.end(), 1) + (channels == 1 ? 0 : 1) ==
         static_cast<std::ptrdiff_t>(shape.size());
}

// Whether `step` is computed as the largest absolute value of `x`, divided by a constant.
bool is_max_abs_step(const NodeContext& n, Value step, Value x) {
  constexpr std::array kScalings{"Div", "Max", "Reshape", "ReduceMax"};
  constexpr int kMaxChain = 8;
  for (int i = 0; i < kMaxChain; ++i) {
    const BuilderNode* node = n.find_producer(step);
    if (!node || node->inputs.empty()) return false;
    if (node->onnx.op == "Abs") return node->inputs[0] == x;
    if (std::find(kScalings.begin(), kScalings.end(), node->onnx.op) == kScalings.end())
      return false;
    step = node->inputs[0];
  }
  return false;
}

struct LevelsStepAndZeroPoint {
  Value levels, step, zero_point;
};

// Quantizes `x` to uint8, because engines multiply uint8 by int8 faster than int8 by int8. If
// `step` is computed from the largest absolute value of `x`, it is replaced by the step of
// DynamicQuantizeLinear, which is computed from the range of the values and is not larger; engines
// fuse this op with the multiplication.
LevelsStepAndZeroPoint emit_runtime_quantization(NodeContext& n, Value x, Value step) {
  if (is_max_abs_step(n, step, x)) {
    Values all = n.emit_multi_output(3, "DynamicQuantizeLinear", {x});
    n.declare_type(all[1], DType::float32, Ints{});
    n.declare_type(all[2], DType::uint8, Ints{});
    return {all[0], all[1], all[2]};
  }
  auto zero_point = n.tensor({DType::uint8, {}, std::string(1, '\x80')});
  return {n.emit("QuantizeLinear", {x, step, zero_point}), step, zero_point};
}

}  // namespace

std::optional<std::vector<float>> find_constant_floats(const NodeContext& n, Value v) {
  auto content = n.find_constant(v);
  if (!content || content->dtype != DType::float32) return std::nullopt;
  std::vector<float> values(content->bytes.size() / sizeof(float));
  std::memcpy(values.data(), content->bytes.data(), content->bytes.size());
  return values;
}

Value try_add_bias_to_quantized_conv_or_matmul(NodeContext& n, Value output, Value bias) {
  const BuilderNode* node = n.find_producer(output);
  bool is_conv = node && node->onnx.op == "Conv";
  if (!is_conv && !(node && node->onnx.op == "MatMul")) return {};
  if (node->inputs.size() != 2 || n.opset() < 13) return {};
  auto x = find_dequantize_linear_inputs(n, node->inputs[0]),
       weight = find_dequantize_linear_inputs(n, node->inputs[1]);
  if (!x || !weight) return {};
  auto weight_shape = n.shape(weight->quantized), bias_shape = n.shape(bias);
  int rank = n.rank(output);
  if (!weight_shape || !bias_shape || rank != static_cast<int>(weight_shape->size())) return {};
  if (!is_conv && (rank != 2 || n.rank(node->inputs[0]) != 2)) return {};
  auto channels = (*weight_shape)[is_conv ? 0 : 1];
  if (channels < 1 || !is_bias_per_channel(*bias_shape, rank, 1, channels)) return {};
  auto values = find_constant_floats(n, bias);
  auto steps =
      find_constant_steps_per_output_channel(n, *x, *weight, static_cast<std::size_t>(channels));
  if (!values || !steps) return {};
  auto bytes = quantize_bias_to_int32_or_nullopt(*values, *steps);
  if (!bytes) return {};
  // The attributes are copied, because emitting nodes invalidates `node`.
  NodeContext::Attrs attrs;
  std::vector<std::pair<std::string, onnx::Attr>> node_attrs = node->onnx.attrs;
  for (const auto& [name, value] : node_attrs) attrs.emplace_back(name, value);
  Values in = node->inputs;
  auto level = n.tensor({DType::int32, {channels}, *bytes});
  auto step = n.vector({steps->begin(), steps->end()}, DType::float32);
  in.push_back(n.emit("DequantizeLinear", {level, step}, {{"axis", std::int64_t{0}}}));
  n.declare_type(in.back(), DType::float32, Ints{channels});
  auto y = n.emit(is_conv ? "Conv" : "Gemm", in, attrs);
  n.declare_type(y, DType::float32, n.shape(output));
  return y;
}

Value try_emit_dynamically_quantized_matmul(NodeContext& n, Value x, Value y) {
  auto activation = find_dequantize_linear_inputs(n, x),
       weight = find_dequantize_linear_inputs(n, y);
  if (!activation || !weight || n.find_constant(activation->step)) return {};
  if (!n.allows_matmul_integer()) return {};
  if (!n.find_constant(weight->quantized) || !n.find_constant(weight->step)) return {};
  auto is_int8 = [&](Value v) { return n.dtype(v) == DType::int8; };
  if (!is_int8(activation->quantized) || !is_int8(weight->quantized)) return {};
  // The quantization step of the activation must be one number; a vector of weight steps must have
  // one step per column.
  if (n.rank(activation->step) != 0 || n.rank(y) != 2 || n.rank(x) < 2) return {};
  for (const auto& [name, value] : n.find_producer(y)->onnx.attrs)
    if (name == "axis" && n.rank(weight->step) == 1 && std::get<std::int64_t>(value) != 1)
      return {};
  const BuilderNode* quantize = n.find_producer(activation->quantized);
  if (!quantize || quantize->onnx.op != "QuantizeLinear") return {};
  auto [levels, step, zero_point] =
      emit_runtime_quantization(n, quantize->inputs[0], activation->step);
  auto shape = *n.shape(x);
  n.declare_type(levels, DType::uint8, shape);
  shape.back() = n.dim(y, 1);
  auto sums = n.emit("MatMulInteger", {levels, weight->quantized, zero_point});
  n.declare_type(sums, DType::int32, shape);
  auto steps = n.emit("Mul", {step, weight->step});
  return n.emit("Mul", {n.cast(sums, DType::float32), steps});
}

Value copy_dequantize_for_matmul(NodeContext& n, Value x, Value y) {
  auto activation = find_dequantize_linear_inputs(n, x),
       weight = find_dequantize_linear_inputs(n, y);
  if (!activation || !weight) return x;
  if (!n.find_constant_scalar(activation->step) || !n.find_constant(weight->quantized)) return x;
  Values in = n.find_producer(x)->inputs;
  auto copy = n.emit("DequantizeLinear", in);
  n.declare_type(copy, n.require_known_dtype(x), n.shape(x));
  return copy;
}

bool is_known_nonnegative(const NodeContext& n, Value v) {
  constexpr std::array kNonnegative{"Relu", "Sigmoid", "HardSigmoid", "Softmax", "Abs"};
  constexpr std::array kPreserving{
      "MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool", "ReduceMean", "ReduceMax",
      "Reshape", "Flatten",     "Transpose",         "Squeeze",       "Unsqueeze",  "Identity"};
  constexpr int kMaxChain = 16;
  auto contains = [](const auto& names, const std::string& op) {
    return std::find(names.begin(), names.end(), op) != names.end();
  };
  for (int i = 0; i < kMaxChain; ++i) {
    const BuilderNode* node = n.find_producer(v);
    if (!node || !node->onnx.domain.empty() || node->inputs.empty()) return false;
    if (contains(kNonnegative, node->onnx.op)) return true;
    if (node->onnx.op == "Clip")
      return node->inputs.size() > 1 && n.find_constant_scalar(node->inputs[1]).value_or(-1) >= 0;
    if (node->onnx.op == "DequantizeLinear")
      return n.dtype(node->inputs[0]) == DType::uint8 && node->inputs.size() > 2 &&
             n.find_constant_scalar(node->inputs[2]) == 0.0;
    if (!contains(kPreserving, node->onnx.op)) return false;
    v = node->inputs[0];
  }
  return false;
}

}  // namespace oarlock
