#include <set>

#include "onnx/model.h"

namespace oarlock::onnx {
namespace {

// A subgraph may read any name of the graphs around it, so everything it names counts as read.
void note_reads(const Node& node, std::set<std::string>& live) {
  for (const std::string& name : node.inputs) live.insert(name);
  for (auto& [key, attr] : node.attrs)
    if (auto* graph = std::get_if<std::shared_ptr<Graph>>(&attr)) {
      prune(**graph);
      for (const Node& inner : (*graph)->nodes) note_reads(inner, live);
      for (const ValueInfo& v : (*graph)->outputs) live.insert(v.name);
    }
}

}  // namespace

void prune(Graph& graph) {
  std::set<std::string> live;
  for (const ValueInfo& v : graph.outputs) live.insert(v.name);
  std::vector<Node> kept;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    bool needed = false;
    for (const std::string& name : node->outputs) needed |= live.count(name) > 0;
    if (!needed) continue;
    note_reads(*node, live);
    kept.push_back(std::move(*node));
  }
  graph.nodes.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
  std::erase_if(graph.initializers, [&](const Initializer& i) { return live.count(i.name) == 0; });
}

}  // namespace oarlock::onnx
