// Names in the ONNX graph: of values after Paddle's variables, of nodes after layers and what they give.
#include <algorithm>

#include "lower/graph.h"

namespace oarlock {
namespace {

// A node is called after its layer's path, which it has as its name so far, and after what it gives when its op is
// done: later that may be renamed to an output of the model.
void name_node(onnx::Node& node) {
  bool done = !node.name.empty() && node.name.back() != '/';
  if (!done) node.name += node.outputs[0];
}

}  // namespace

std::string Graph::fresh(const std::string& wanted) {
  std::string name = wanted;
  int& k = last_suffix_[wanted];
  while (!used_.insert(name).second) name = wanted + "." + std::to_string(++k);
  return name;
}

// What the op computed takes the name the program gave it.
void Graph::name_results(const OpDesc& op, std::size_t first_node) {
  std::map<Value, Value> renamed;
  bool trusted = scope_ == &top_ && !doubts(op);
  for (auto& [paddle, value] : results_) {
    Value final = value;
    if (auto done = renamed.find(value); done != renamed.end()) {
      final = done->second;
    } else {
      const auto& nodes = scope_->graph->nodes;
      bool ours = std::any_of(
          nodes.begin() + static_cast<std::ptrdiff_t>(first_node), nodes.end(),
          [&](const onnx::Node& n) { return std::find(n.outputs.begin(), n.outputs.end(), value) != n.outputs.end(); });
      if (ours) rename(*scope_->graph, first_node, value, final = fresh(paddle));
      renamed[value] = final;
    }
    add_declared(infos_[final], op, paddle, trusted);
    scope_->bound[paddle] = final;
  }
}

void Graph::rename(onnx::Graph& graph, std::size_t first_node, const std::string& from, const std::string& to) {
  for (std::size_t i = first_node; i < graph.nodes.size(); ++i) {
    onnx::Node& node = graph.nodes[i];
    std::replace(node.inputs.begin(), node.inputs.end(), from, to);
    std::replace(node.outputs.begin(), node.outputs.end(), from, to);
    for (auto& [key, attr] : node.attrs)
      if (auto* inner = std::get_if<std::shared_ptr<onnx::Graph>>(&attr)) {
        rename(**inner, 0, from, to);
        for (onnx::ValueInfo& v : (*inner)->outputs)
          if (v.name == from) v.name = to;
      }
  }
  if (auto found = infos_.find(from); found != infos_.end()) infos_[to] = found->second;
  renamed_[from] = to;
}

const Value& Graph::now(const Value& v) const {
  auto found = renamed_.find(v);
  return found == renamed_.end() ? v : now(found->second);
}

void Graph::name_nodes(onnx::Graph& graph, std::size_t first_node) {
  for (std::size_t i = first_node; i < graph.nodes.size(); ++i) {
    onnx::Node& node = graph.nodes[i];
    name_node(node);
    for (auto& [key, attr] : node.attrs)
      if (auto* inner = std::get_if<std::shared_ptr<onnx::Graph>>(&attr)) name_nodes(**inner, 0);
  }
}

}  // namespace oarlock
