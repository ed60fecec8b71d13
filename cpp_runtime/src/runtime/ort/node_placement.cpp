#include "runtime/ort/node_placement.h"

#include <algorithm>

namespace oarlock {
namespace {

constexpr int kPlacementMinor = 24;  // the first minor version with these functions

// Whether ops of this type are used to compute shapes; ONNX Runtime keeps such computations on the
// CPU on purpose.
bool may_compute_shapes(const std::string& op) {
  static constexpr std::string_view ops[] = {
      "Add",        "Cast",      "Concat",  "ConstantOfShape",
      "Div",        "Equal",     "Expand",  "Gather",
      "Greater",    "If",        "Less",    "Loop",
      "Max",        "Min",       "Mod",     "Mul",
      "Not",        "Range",     "Reshape", "ReduceMax",
      "ReduceProd", "ReduceSum", "Size",    "Shape",
      "Slice",      "Split",     "Squeeze", "Sub",
      "Transpose",  "Unsqueeze", "Where",   "And",
      "Identity"};
  return std::find(std::begin(ops), std::end(ops), op) != std::end(ops);
}

}  // namespace

OpCountsByProvider query_op_counts_by_provider(const Library& library,
                                               const ort::Session* session) {
  OpCountsByProvider placement;
  if (library.minor < kPlacementMinor) return placement;
  const ort::Api& api = library.api;
  const ort::EpSubgraph* const* parts = nullptr;
  std::size_t count = 0;
  api.call<ort::SessionGetPlacement>(session, &parts, &count);
  for (std::size_t i = 0; i < count; ++i) {
    const char* provider = nullptr;
    const ort::EpNode* const* nodes = nullptr;
    std::size_t size = 0;
    api.call<ort::EpSubgraphGetName>(parts[i], &provider);
    api.call<ort::EpSubgraphGetNodes>(parts[i], &nodes, &size);
    for (std::size_t k = 0; k < size; ++k) {
      const char* op = nullptr;
      api.call<ort::EpNodeGetOperator>(nodes[k], &op);
      ++placement[provider][op];
    }
  }
  return placement;
}

std::string describe_compute_ops_on_cpu(const OpCountsByProvider& placement) {
  auto cpu = placement.find("CPUExecutionProvider");
  std::string text;
  if (cpu == placement.end()) return text;
  for (auto& [op, count] : cpu->second)
    if (!may_compute_shapes(op))
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + op;
  return text;
}

}  // namespace oarlock
