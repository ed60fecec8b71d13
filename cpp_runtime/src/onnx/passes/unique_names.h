// Names for the values that passes add to a graph.
#pragma once
#include <memory>
#include <set>
#include <string>
#include <variant>

#include "onnx/model.h"

namespace oarlock::onnx {

/// Makes names that no value of a graph and of its inner graphs has.
class UniqueNames {
 public:
  explicit UniqueNames(const Graph& graph) { add_names_of(graph); }

  /// Returns `base` if it is unused, else `base` with a number.
  std::string make(const std::string& base) {
    std::string name = base;
    for (int i = 1; !used_.insert(name).second; ++i) name = base + "/" + std::to_string(i);
    return name;
  }

 private:
  void add_names_of(const Graph& graph) {
    for (const Initializer& initializer : graph.initializers) used_.insert(initializer.name);
    for (const ValueInfo& input : graph.inputs) used_.insert(input.name);
    for (const Node& node : graph.nodes) {
      used_.insert(node.outputs.begin(), node.outputs.end());
      for (const auto& [key, attr] : node.attrs)
        if (auto* inner = std::get_if<std::shared_ptr<Graph>>(&attr)) add_names_of(**inner);
    }
  }

  std::set<std::string> used_;
};

}  // namespace oarlock::onnx
