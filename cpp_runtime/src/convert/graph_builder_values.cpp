// Values, the binding of results to Paddle variables, and the names of values and nodes.
#include <utility>

#include "convert/graph_builder.h"

namespace oarlock {

std::string GraphBuilder::unique_name(const std::string& wanted) {
  std::string name = wanted;
  int& k = last_suffix_[wanted];
  while (!used_names_.insert(name).second) name = wanted + "." + std::to_string(++k);
  return name;
}

Value GraphBuilder::add_value_with_unique_name(const std::string& wanted_name, ValueType type) {
  return add_value_with_exact_name(unique_name(wanted_name), std::move(type));
}

Value GraphBuilder::add_value_with_exact_name(std::string name, ValueType type) {
  values_.push_back({std::move(name), std::move(type)});
  return Value(values_.size() - 1);
}

BuilderGraph& GraphBuilder::add_empty_graph(std::string name) {
  BuilderGraph& graph = graphs_.emplace_back();
  graph.onnx = std::make_shared<onnx::Graph>();
  graph.onnx->name = std::move(name);
  return graph;
}

void GraphBuilder::add_node(BuilderGraph& graph, BuilderNode node) {
  for (Value v : node.outputs) record_of(v).graph = &graph, record_of(v).node = graph.nodes.size();
  graph.nodes.push_back(std::move(node));
}

void GraphBuilder::add_graph_output(BuilderGraph& graph, Value v, onnx::ValueInfo info) {
  record_of(v).is_graph_output = true;
  graph.outputs.push_back(v);
  graph.onnx->outputs.push_back(std::move(info));
}

// Binds the output variables of an op to its results. A result that a node of the op computes gets
// the name of the first variable that is bound to it.
void GraphBuilder::name_type_and_bind_op_results(const OpDesc& op, std::size_t first_node) {
  bool trusted = scope_ == &top_scope_ && !ignores_declared_output_sizes(op);
  for (auto& [paddle, value] : op_results_) {
    ValueRecord& record = record_of(value);
    bool is_own_result = record.graph == scope_->graph && record.node >= first_node;
    if (is_own_result && !std::exchange(record.has_variable_name, true))
      record.name = unique_name(paddle);
    complete_type_from_declaration(record.type, op, paddle, trusted);
    scope_->bindings[paddle] = value;
  }
}

// Completes the names of nodes: appends the name of a node's first output to the path of its layer,
// such as `body/0/`. The nodes of an op are named before `add_output` may rename the op's results
// to the names of graph outputs.
void GraphBuilder::complete_node_names_from_outputs(BuilderGraph& graph,
                                                    std::size_t first_node) const {
  for (std::size_t i = first_node; i < graph.nodes.size(); ++i) {
    std::string& name = graph.nodes[i].onnx.name;
    bool is_done = !name.empty() && name.back() != '/';
    if (!is_done) name += record_of(graph.nodes[i].outputs[0]).name;
  }
}

Strings GraphBuilder::names_of(const Values& values) const {
  Strings names;
  names.reserve(values.size());
  for (Value v : values) names.push_back(record_of(v).name);
  return names;
}

// Completes the ONNX graph.
void GraphBuilder::write_nodes_and_names_to_onnx_graph(BuilderGraph& graph) const {
  complete_node_names_from_outputs(graph, 0);
  graph.onnx->nodes.reserve(graph.nodes.size());
  for (BuilderNode& node : graph.nodes) {
    node.onnx.inputs = names_of(node.inputs);
    node.onnx.outputs = names_of(node.outputs);
    graph.onnx->nodes.push_back(std::move(node.onnx));
  }
  for (std::size_t i = 0; i < graph.outputs.size(); ++i)
    graph.onnx->outputs[i].name = record_of(graph.outputs[i]).name;
}

}  // namespace oarlock
