// Copies small constants into subgraphs.  The shape inference of onnx does not see values of
// enclosing graphs and treats sizes computed from them as empty.
#include <map>
#include <set>

#include "onnx/model.h"

namespace oarlock::onnx {
namespace {

constexpr std::size_t kMaxBytes = 64;  // enough for a list of sizes, axes or indices

using SmallConstants = std::map<std::string, Initializer, std::less<>>;

// Gives each subgraph its own copy of the small constants that its nodes read.
class ConstantLocalizer {
 public:
  explicit ConstantLocalizer(const Graph& graph) {
    for (const Initializer& one : graph.initializers) {
      names_.insert(one.name);
      if (!one.external && one.dtype == DType::int64 && one.shape.size() <= 1 &&
          one.bytes.size() <= kMaxBytes)
        small_.emplace(one.name, one);
    }
  }

  void process_subgraphs(Graph& graph) {
    for (Node& node : graph.nodes)
      for (auto& [key, attr] : node.attrs)
        if (auto* inner = std::get_if<std::shared_ptr<Graph>>(&attr)) process(**inner);
  }

 private:
  void process(Graph& graph) {
    std::map<std::string, std::string, std::less<>> given;
    for (Node& node : graph.nodes)
      for (std::string& name : node.inputs) {
        auto known = small_.find(name);
        if (known == small_.end()) continue;
        auto [at, fresh] = given.try_emplace(name, name);
        if (fresh) at->second = add_copy(graph, known->second);
        name = at->second;
      }
    process_subgraphs(graph);
  }

  std::string add_copy(Graph& graph, Initializer one) {
    std::string base = one.name;
    for (std::size_t count = 1; !names_.insert(one.name).second; ++count)
      one.name = base + "/" + std::to_string(count);
    graph.initializers.push_back(one);
    return one.name;
  }

  SmallConstants small_;
  std::set<std::string, std::less<>> names_;
};

}  // namespace

void localize_constants(Graph& graph) { ConstantLocalizer(graph).process_subgraphs(graph); }

}  // namespace oarlock::onnx
