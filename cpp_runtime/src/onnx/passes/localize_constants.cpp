// Constants where they are read.   The shape inference of onnx does not see, inside of a subgraph,
// the values of the graphs around it, and takes sizes that are computed from them for empty.
#include <map>
#include <set>

#include "onnx/model.h"

namespace oarlock::onnx {
namespace {

constexpr std::size_t kBytes = 64;  // of a list of sizes, axes or places

using Small = std::map<std::string, Initializer, std::less<>>;

// Each subgraph gets its own of those that its nodes read.
class Local {
 public:
  explicit Local(const Graph& graph) {
    for (const Initializer& one : graph.initializers) {
      names_.insert(one.name);
      if (!one.external && one.dtype == DType::int64 && one.shape.size() <= 1 &&
          one.bytes.size() <= kBytes)
        small_.emplace(one.name, one);
    }
  }

  void below(Graph& graph) {
    for (Node& node : graph.nodes)
      for (auto& [key, attr] : node.attrs)
        if (auto* inner = std::get_if<std::shared_ptr<Graph>>(&attr)) fill(**inner);
  }

 private:
  void fill(Graph& graph) {
    std::map<std::string, std::string, std::less<>> given;
    for (Node& node : graph.nodes)
      for (std::string& name : node.inputs) {
        auto known = small_.find(name);
        if (known == small_.end()) continue;
        auto [at, fresh] = given.try_emplace(name, name);
        if (fresh) at->second = copied(graph, known->second);
        name = at->second;
      }
    below(graph);
  }

  std::string copied(Graph& graph, Initializer one) {
    std::string base = one.name;
    for (std::size_t count = 1; !names_.insert(one.name).second; ++count)
      one.name = base + "/" + std::to_string(count);
    graph.initializers.push_back(one);
    return one.name;
  }

  Small small_;
  std::set<std::string, std::less<>> names_;
};

}  // namespace

void keep_local(Graph& graph) { Local(graph).below(graph); }

}  // namespace oarlock::onnx
