// Quantizes a graph output before the Transpose that reads it, instead of behind it.
//
// If a Transpose with a quantized result reads a graph output, ONNX Runtime (1.32) quantizes the
// graph output itself, so that the caller gets rounded and clipped values. It does not do this if
// the graph output is quantized before the Transpose. The quantized result is the same, because
// Transpose and the ops after it only move, select or clip elements.
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

// Whether a quantized result of an op stays the same if its first input is quantized in the same
// format before: the op moves, selects or clips elements.
bool preserves_quantized_result(const Node& node) {
  constexpr std::array kOps{"Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze",
                            "Identity",  "MaxPool", "Relu",    "Clip"};
  return node.domain.empty() && node.outputs.size() == 1 &&
         std::find(kOps.begin(), kOps.end(), node.op) != kOps.end();
}

class OutputQuantizer {
 public:
  explicit OutputQuantizer(const Graph& main) : unique_names_(main) {
    for (const Initializer& constant : main.initializers) constants_.insert(constant.name);
    index_quantized_values(main);
  }

  // Inserts QuantizeLinear and DequantizeLinear in a graph and its inner graphs.
  void quantize_before_transpose(Graph& graph) {
    Names outputs;
    for (const ValueInfo& output : graph.outputs) outputs.insert(output.name);
    std::vector<Node> nodes;
    for (Node& node : graph.nodes) {
      for (auto& [key, attr] : node.attrs)
        if (auto* inner = std::get_if<std::shared_ptr<Graph>>(&attr))
          quantize_before_transpose(**inner);
      bool reads_output = node.op == "Transpose" && outputs.contains(node.inputs[0]);
      if (auto format = reads_output ? find_format_of_first_input(node) : std::nullopt) {
        const auto& [step, zero_point] = *format;
        std::string levels = unique_names_.make(node.inputs[0] + "/quantized"),
                    result = unique_names_.make(node.inputs[0] + "/dequantized");
        nodes.push_back(
            {"QuantizeLinear", "", "", {node.inputs[0], step, zero_point}, {levels}, {}});
        nodes.push_back({"DequantizeLinear", "", "", {levels, step, zero_point}, {result}, {}});
        node.inputs[0] = result;
      }
      nodes.push_back(std::move(node));
    }
    graph.nodes = std::move(nodes);
  }

 private:
  // The step and the zero point of QuantizeLinear.
  using Format = std::pair<std::string, std::string>;

  // Fills num_readers_ and formats_ from a graph and its inner graphs. The nodes are visited from
  // the last to the first, so that the readers of a value are known before its node.
  void index_quantized_values(const Graph& graph) {
    for (const ValueInfo& output : graph.outputs) ++num_readers_[output.name];
    for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
      for (const auto& [key, attr] : node->attrs)
        if (auto* inner = std::get_if<std::shared_ptr<Graph>>(&attr))
          index_quantized_values(**inner);
      for (const std::string& name : node->inputs) ++num_readers_[name];
      if (auto format = find_format_of_first_input(*node))
        formats_.emplace(node->inputs[0], *format);
    }
  }

  // The format to which a node quantizes its first input, itself or by ops that follow.
  std::optional<Format> find_format_of_first_input(const Node& node) const {
    if (node.op == "QuantizeLinear" && node.inputs.size() == 3 && node.attrs.empty() &&
        constants_.contains(node.inputs[1]) && constants_.contains(node.inputs[2]))
      return Format{node.inputs[1], node.inputs[2]};
    if (!preserves_quantized_result(node)) return std::nullopt;
    auto result = formats_.find(node.outputs[0]);
    if (result == formats_.end() || num_readers_.at(node.outputs[0]) != 1) return std::nullopt;
    return result->second;
  }

  UniqueNames unique_names_;
  Names constants_;
  std::map<std::string, std::size_t, std::less<>> num_readers_;
  // The formats to which the last reader of a value quantizes it, itself or by ops that follow.
  std::map<std::string, Format, std::less<>> formats_;
};

}  // namespace

void quantize_outputs_before_transpose(Graph& graph) {
  bool has_quantize = std::any_of(graph.nodes.begin(), graph.nodes.end(),
                                  [](const Node& node) { return node.op == "QuantizeLinear"; });
  if (has_quantize) OutputQuantizer(graph).quantize_before_transpose(graph);
}

}  // namespace oarlock::onnx
