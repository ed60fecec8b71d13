// Replaces DequantizeLinear by Cast and Mul where ops that compute in float32 read a weight.
// Engines fold Cast and Mul of constants once, when they open a model. Engines do not fold
// DequantizeLinear, because they fuse it with ops that compute in eight bits; a DequantizeLinear
// that is not fused would run in each run of the model.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "onnx/model.h"
#include "onnx/passes/unique_names.h"

namespace oarlock::onnx {
namespace {

using Names = std::set<std::string, std::less<>>;
using NameMap = std::map<std::string, std::string, std::less<>>;

bool is_dequantize(const Node& node) {
  return node.op == "DequantizeLinear" && node.domain.empty() && node.inputs.size() >= 2;
}

bool has_dequantize(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
    return is_dequantize(node) ||
           std::any_of(node.attrs.begin(), node.attrs.end(), [](const auto& key_and_attr) {
             auto* inner = std::get_if<std::shared_ptr<Graph>>(&key_and_attr.second);
             return inner && has_dequantize(**inner);
           });
  });
}

std::int64_t axis_of(const Node& node) {
  for (const auto& [key, value] : node.attrs)
    if (key == "axis") return std::get<std::int64_t>(value);
  return 1;  // ONNX's default
}

class WeightDequantizer {
 public:
  explicit WeightDequantizer(Graph& main) : main_(main), unique_names_(main) {
    for (std::size_t i = 0; i < main.initializers.size(); ++i)
      initializer_indices_.emplace(main.initializers[i].name, i);
    index_levels_and_activations(main);
  }

  // Lets float ops of a graph and its inner graphs read Cast and Mul instead of DequantizeLinear.
  // float_weights: outputs of DequantizeLinear in enclosing graphs, with the outputs of Mul.
  void replace_dequantize_by_multiply(Graph& graph, NameMap float_weights) {
    std::vector<Node> nodes;
    for (Node& node : graph.nodes) {
      bool is_integer_op = computes_in_eight_bits(node);
      for (std::string& name : node.inputs) {
        auto weight = float_weights.find(name);
        if (weight != float_weights.end() && !is_integer_op) name = weight->second;
      }
      for (auto& [key, attr] : node.attrs)
        if (auto* inner = std::get_if<std::shared_ptr<Graph>>(&attr))
          replace_dequantize_by_multiply(**inner, float_weights);
      std::vector<Node> cast_and_mul = make_cast_and_mul(node);
      if (!cast_and_mul.empty()) float_weights[node.outputs[0]] = cast_and_mul.back().outputs[0];
      nodes.push_back(std::move(node));
      std::move(cast_and_mul.begin(), cast_and_mul.end(), std::back_inserter(nodes));
    }
    graph.nodes = std::move(nodes);
  }

 private:
  void index_levels_and_activations(const Graph& graph) {
    for (const Node& node : graph.nodes) {
      const Initializer* source = node.op == "Cast" ? find_initializer(node.inputs[0]) : nullptr;
      if (source && source->dtype == DType::float32) float_levels_[node.outputs[0]] = source->name;
      if (is_dequantize(node) && !find_weight_levels(node.inputs[0]))
        dequantized_activations_.insert(node.outputs[0]);
      for (const auto& [key, attr] : node.attrs)
        if (auto* inner = std::get_if<std::shared_ptr<Graph>>(&attr))
          index_levels_and_activations(**inner);
    }
  }

  const Initializer* find_initializer(std::string_view name) const {
    auto found = initializer_indices_.find(name);
    return found == initializer_indices_.end() ? nullptr : &main_.initializers[found->second];
  }

  // The initializer with the levels of a quantized weight: int8, or integers in float32 that the
  // graph casts to int8.
  const Initializer* find_weight_levels(const std::string& name) const {
    auto levels = float_levels_.find(name);
    return find_initializer(levels == float_levels_.end() ? name : levels->second);
  }

  bool computes_in_eight_bits(const Node& node) const {
    constexpr std::array kIntegerOps{"Conv", "ConvTranspose", "MatMul", "Gemm"};
    return std::find(kIntegerOps.begin(), kIntegerOps.end(), node.op) != kIntegerOps.end() &&
           dequantized_activations_.contains(node.inputs[0]);
  }

  bool may_have_nonzero_zero_point(const Node& node) const {
    if (node.inputs.size() < 3 || node.inputs[2].empty()) return false;
    const Initializer* zero = find_initializer(node.inputs[2]);
    return !zero || zero->is_external || zero->bytes.find_first_not_of('\0') != std::string::npos;
  }

  // The quantization steps of a DequantizeLinear in a shape that broadcasts against its weight;
  // nullopt if the steps are not constants.
  std::optional<Initializer> find_broadcast_steps(const Node& node, std::size_t rank) const {
    const Initializer* steps = find_initializer(node.inputs[1]);
    if (!steps || steps->is_external || steps->shape.size() > 1) return std::nullopt;
    Initializer shaped = *steps;
    if (shaped.shape.empty()) return shaped;
    std::int64_t axis = axis_of(node), last = static_cast<std::int64_t>(rank) - 1;
    if (axis < 0) axis += static_cast<std::int64_t>(rank);
    if (axis < 0 || axis > last) return std::nullopt;
    shaped.shape.insert(shaped.shape.end(), static_cast<std::size_t>(last - axis), 1);
    return shaped;
  }

  // Cast and Mul nodes that compute what `node` does; none if it does not dequantize a weight.
  std::vector<Node> make_cast_and_mul(const Node& node) {
    const Initializer* weight = is_dequantize(node) ? find_weight_levels(node.inputs[0]) : nullptr;
    if (!weight || may_have_nonzero_zero_point(node)) return {};
    bool is_int8 = weight->dtype == DType::int8;
    if (!is_int8 && weight->dtype != DType::float32) return {};
    auto steps = find_broadcast_steps(node, weight->shape.size());
    if (!steps) return {};
    steps->name = unique_names_.make(steps->name + "/broadcast");
    std::string levels = weight->name,
                float_weight = unique_names_.make(node.outputs[0] + "/float");
    std::vector<Node> nodes;
    if (is_int8) {
      levels = unique_names_.make(node.outputs[0] + "/levels");
      nodes.push_back({"Cast", "", "", {weight->name}, {levels}, {{"to", std::int64_t{1}}}});
    }
    nodes.push_back({"Mul", "", "", {levels, steps->name}, {float_weight}, {}});
    main_.initializers.push_back(std::move(*steps));
    return nodes;
  }

  Graph& main_;
  std::map<std::string, std::size_t, std::less<>> initializer_indices_;
  UniqueNames unique_names_;
  Names dequantized_activations_;
  NameMap float_levels_;  // the float32 initializer of each result of Cast
};

}  // namespace

void dequantize_weights_of_float_ops_by_multiplication(Graph& graph) {
  if (has_dequantize(graph)) WeightDequantizer(graph).replace_dequantize_by_multiply(graph, {});
}

}  // namespace oarlock::onnx
