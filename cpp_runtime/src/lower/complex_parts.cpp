// How complex values are kept, enter the graph, leave it, and are looked at in parts.
#include <algorithm>

#include "lower/graph.h"
#include "lower/rules.h"

namespace oarlock {
std::optional<std::pair<Value, Value>> Node::complex_parts(const Value& v) const {
  auto found = graph_.complex_.find(v);
  return found == graph_.complex_.end() ? std::nullopt : std::optional(found->second);
}

Value Node::complex(const Value& re, const Value& im) {
  Value v = graph_.fresh(base_of_outputs() + "/complex");
  graph_.infos_[v] = Info{dtype(re) == DType::float64 ? DType::complex128 : DType::complex64, shape(re), std::nullopt};
  graph_.complex_[v] = {re, im};
  return v;
}

bool Graph::has_complex_operand(const OpDesc& op) const {
  for (auto& [slot, names] : op.inputs)
    for (const std::string& name : names)
      if (const Value* v = find_bound(name); v && complex_.count(*v)) return true;
  return false;
}

const Rule* Graph::rule_for(const OpDesc& op) const {
  if (part_ < 0 && has_complex_operand(op)) {
    const Rule* rule = find_rule_for_complex(op.type);
    return rule && rule->since <= options_.opset ? rule : nullptr;
  }
  return find_rule(op.type, options_.opset);
}

Value Graph::part_of(const Value& v) const {
  auto found = part_ < 0 ? complex_.end() : complex_.find(v);
  if (found == complex_.end()) return v;
  return part_ == 0 ? found->second.first : found->second.second;
}

// Real and complex numbers do not mix here: the imaginary part of a real operand would be that operand.
void Node::lower_by_parts() {
  for (auto& [slot, names] : op_.inputs)
    for (const std::string& name : names)
      if (!name.empty() && is_floating(dtype(lookup(name)))) fail("real operands beside complex ones have no lowering");
  const Rule* rule = find_rule(op_.type, opset());
  auto results = std::exchange(graph_.results_, {});
  std::vector<std::pair<std::string, Value>> made[2];
  for (int part : {0, 1}) {
    graph_.part_ = part;
    graph_.results_.clear();
    try {
      rule->lower(*this);
    } catch (...) {
      graph_.part_ = -1;
      throw;
    }
    made[part] = std::exchange(graph_.results_, {});
  }
  graph_.part_ = -1;
  graph_.results_ = std::move(results);
  for (std::size_t i = 0; i < made[0].size(); ++i)
    graph_.results_.emplace_back(made[0][i].first, complex(made[0][i].second, made[1][i].second));
}

// In and out of the graph: pairs in a last axis.
Value Graph::entered(const Value& pairs) {
  static const OpDesc feed{"feed", {}, {}, {}, ""};
  Node n(feed, *this);
  Value re = n.emit("Gather", {pairs, n.int_scalar(0)}, {{"axis", std::int64_t{-1}}});
  return n.complex(re, n.emit("Gather", {pairs, n.int_scalar(1)}, {{"axis", std::int64_t{-1}}}));
}

Value Graph::joined(const Value& v) {
  static const OpDesc fetch{"fetch", {}, {}, {}, ""};
  Node n(fetch, *this);
  auto found = n.complex_parts(v);
  if (!found) return v;
  return n.concat({n.unsqueeze(found->first, {-1}), n.unsqueeze(found->second, {-1})}, -1);
}

void as_pairs(onnx::ValueInfo& value) {
  if (!is_complex(value.dtype)) return;
  value.dtype = oarlock::part_of(value.dtype);
  value.shape.push_back(2);
  value.symbols.emplace_back();
}

}  // namespace oarlock
