// Names of values (after Paddle variables) and of nodes (after layers and outputs).
#include <algorithm>

#include "convert/graph_builder.h"

namespace oarlock {
namespace {

// Appends the output name to the layer path, which is the node's name until its op is converted;
// the output may be renamed later.
void name_node(onnx::Node& node) {
  bool done = !node.name.empty() && node.name.back() != '/';
  if (!done) node.name += node.outputs[0];
}

}  // namespace

std::string GraphBuilder::unique_name(const std::string& wanted) {
  std::string name = wanted;
  int& k = last_suffix_[wanted];
  while (!used_names_.insert(name).second) name = wanted + "." + std::to_string(++k);
  return name;
}

// Names the outputs of an op after the program's variables, with one pass over the nodes for all
// renames.
void GraphBuilder::name_results(const OpDesc& op, std::size_t first_node) {
  std::map<Value, Value> final_names;
  Renames renames;
  bool trusted = scope_ == &top_ && !distrusts_declared_sizes(op);
  for (auto& [paddle, value] : results_) {
    Value final_name = value;
    if (auto done = final_names.find(value); done != final_names.end()) {
      final_name = done->second;
    } else {
      auto producer = producers_.find(value);
      bool is_own_result = producer != producers_.end() &&
                           producer->second.graph == scope_->graph &&
                           producer->second.node >= first_node;
      if (is_own_result) record_rename(value, final_name = unique_name(paddle));
      final_names[value] = final_name;
      if (is_own_result) renames[value] = final_name;
    }
    merge_declared_type(value_types_[final_name], op, paddle, trusted);
    scope_->bindings[paddle] = final_name;
  }
  if (!renames.empty()) apply_renames(*scope_->graph, first_node, renames);
}

void GraphBuilder::apply_renames(onnx::Graph& graph, std::size_t first_node,
                                 const Renames& renames) {
  auto replace = [&](std::string& name) {
    if (auto found = renames.find(name); found != renames.end()) name = found->second;
  };
  for (std::size_t i = first_node; i < graph.nodes.size(); ++i) {
    onnx::Node& node = graph.nodes[i];
    std::for_each(node.inputs.begin(), node.inputs.end(), replace);
    std::for_each(node.outputs.begin(), node.outputs.end(), replace);
    for (auto& [key, attr] : node.attrs)
      if (auto* inner = std::get_if<std::shared_ptr<onnx::Graph>>(&attr)) {
        apply_renames(**inner, 0, renames);
        for (onnx::ValueInfo& v : (*inner)->outputs) replace(v.name);
      }
  }
}

// Copies the type information of `from` to `to`; `apply_renames` changes the nodes.
void GraphBuilder::record_rename(const Value& from, const Value& to) {
  if (auto found = value_types_.find(from); found != value_types_.end())
    value_types_[to] = found->second;
  if (auto found = producers_.find(from); found != producers_.end()) producers_[to] = found->second;
  renames_[from] = to;
}

const Value& GraphBuilder::resolve_renamed(const Value& v) const {
  auto found = renames_.find(v);
  return found == renames_.end() ? v : resolve_renamed(found->second);
}

void GraphBuilder::name_nodes(onnx::Graph& graph, std::size_t first_node) {
  for (std::size_t i = first_node; i < graph.nodes.size(); ++i) {
    onnx::Node& node = graph.nodes[i];
    name_node(node);
    for (auto& [key, attr] : node.attrs)
      if (auto* inner = std::get_if<std::shared_ptr<onnx::Graph>>(&attr)) name_nodes(**inner, 0);
  }
}

}  // namespace oarlock
