// Copies small constants into subgraphs. The shape inference of the Python package onnx does not
// see constants of enclosing graphs in a subgraph, and treats sizes that are computed from them as
// empty.
#include <map>
#include <set>

#include "onnx/model.h"

namespace oarlock::onnx {
namespace {

constexpr std::size_t kMaxBytes = 64;  // enough for a list of sizes, axes or indices

using SmallConstants = std::map<std::string, Initializer, std::less<>>;

// Gives each subgraph its own copy of the small constants that its nodes read.
class SmallIntConstantLocalizer {
 public:
  explicit SmallIntConstantLocalizer(const Graph& graph) {
    for (const Initializer& initializer : graph.initializers) {
      used_names_.insert(initializer.name);
      if (!initializer.is_external && initializer.dtype == DType::int64 &&
          initializer.shape.size() <= 1 && initializer.bytes.size() <= kMaxBytes)
        small_constants_.emplace(initializer.name, initializer);
    }
  }

  void localize_subgraphs(Graph& graph) {
    for (Node& node : graph.nodes)
      for (auto& [key, attr] : node.attrs)
        if (auto* inner = std::get_if<std::shared_ptr<Graph>>(&attr)) localize_subgraph(**inner);
  }

 private:
  void localize_subgraph(Graph& graph) {
    std::map<std::string, std::string, std::less<>> copies;
    for (Node& node : graph.nodes)
      for (std::string& name : node.inputs) {
        auto known = small_constants_.find(name);
        if (known == small_constants_.end()) continue;
        auto [at, is_new] = copies.try_emplace(name, name);
        if (is_new) at->second = add_copy(graph, known->second);
        name = at->second;
      }
    localize_subgraphs(graph);
  }

  std::string add_copy(Graph& graph, Initializer initializer) {
    std::string base = initializer.name;
    for (std::size_t count = 1; !used_names_.insert(initializer.name).second; ++count)
      initializer.name = base + "/" + std::to_string(count);
    graph.initializers.push_back(initializer);
    return initializer.name;
  }

  SmallConstants small_constants_;
  std::set<std::string, std::less<>> used_names_;
};

}  // namespace

void localize_small_int_constants(Graph& graph) {
  SmallIntConstantLocalizer(graph).localize_subgraphs(graph);
}

}  // namespace oarlock::onnx
