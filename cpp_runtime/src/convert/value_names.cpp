// Names in the ONNX graph: of values after Paddle's variables, of nodes after layers and what they
// give.
#include <algorithm>

#include "convert/graph_builder.h"

namespace oarlock {
namespace {

// A node is called after its layer's path, which it has as its name so far, and after what it gives
// when its op is done: later that may be renamed to an output of the model.
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

// Gives the results of an op the names of the program's variables.  One pass over the nodes applies
// all renames of an op.
void Graph::name_results(const OpDesc& op, std::size_t first_node) {
  std::map<Value, Value> renamed;
  Renames changed;
  bool trusted = scope_ == &top_ && !doubts(op);
  for (auto& [paddle, value] : results_) {
    Value final = value;
    if (auto done = renamed.find(value); done != renamed.end()) {
      final = done->second;
    } else {
      auto origin = origins_.find(value);
      bool ours = origin != origins_.end() && origin->second.graph == scope_->graph &&
                  origin->second.node >= first_node;
      if (ours) note_rename(value, final = fresh(paddle));
      renamed[value] = final;
      if (ours) changed[value] = final;
    }
    add_declared(infos_[final], op, paddle, trusted);
    scope_->bound[paddle] = final;
  }
  if (!changed.empty()) rename(*scope_->graph, first_node, changed);
}

void Graph::rename(onnx::Graph& graph, std::size_t first_node, const Renames& renames) {
  auto replace = [&](std::string& name) {
    if (auto found = renames.find(name); found != renames.end()) name = found->second;
  };
  for (std::size_t i = first_node; i < graph.nodes.size(); ++i) {
    onnx::Node& node = graph.nodes[i];
    std::for_each(node.inputs.begin(), node.inputs.end(), replace);
    std::for_each(node.outputs.begin(), node.outputs.end(), replace);
    for (auto& [key, attr] : node.attrs)
      if (auto* inner = std::get_if<std::shared_ptr<onnx::Graph>>(&attr)) {
        rename(**inner, 0, renames);
        for (onnx::ValueInfo& v : (*inner)->outputs) replace(v.name);
      }
  }
}

// Moves the type information of `from` to `to`; `rename` changes the nodes that use the name.
void Graph::note_rename(const Value& from, const Value& to) {
  if (auto found = infos_.find(from); found != infos_.end()) infos_[to] = found->second;
  if (auto found = origins_.find(from); found != origins_.end()) origins_[to] = found->second;
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
