#include <set>

#include "onnx/model.h"

namespace oarlock::onnx {
namespace {

using Names = std::set<std::string, std::less<>>;

// Prunes `graph` and returns every name that it reads.  A subgraph may read names of the enclosing
// graphs, so the caller treats all of them as read. The pass visits each node once, also nodes of
// nested subgraphs.
Names prune_and_collect_read_names(Graph& graph) {
  Names live;
  for (const ValueInfo& v : graph.outputs) live.insert(v.name);
  std::vector<Node> needed_nodes;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    bool needed = false;
    for (const std::string& name : node->outputs) needed |= live.count(name) > 0;
    if (!needed) continue;
    live.insert(node->inputs.begin(), node->inputs.end());
    for (auto& [key, attr] : node->attrs)
      if (auto* subgraph = std::get_if<std::shared_ptr<Graph>>(&attr)) {
        Names reads = prune_and_collect_read_names(**subgraph);
        if (reads.size() > live.size()) live.swap(reads);
        live.merge(reads);
      }
    needed_nodes.push_back(std::move(*node));
  }
  graph.nodes.assign(std::make_move_iterator(needed_nodes.rbegin()),
                     std::make_move_iterator(needed_nodes.rend()));
  std::erase_if(graph.initializers, [&](const Initializer& i) { return live.count(i.name) == 0; });
  return live;
}

}  // namespace

void prune(Graph& graph) { prune_and_collect_read_names(graph); }

}  // namespace oarlock::onnx
