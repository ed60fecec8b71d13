// How complex values are kept, enter the graph, leave it, and are looked at in parts.
#include <algorithm>

#include "convert/graph_builder.h"
#include "convert/registry.h"

namespace oarlock {
std::optional<std::pair<Value, Value>> Node::complex_parts(const Value& v) const {
  const auto& [re, im] = graph_.info(v).parts;
  return re.empty() ? std::nullopt : std::optional(std::pair(graph_.now(re), graph_.now(im)));
}

Value Node::complex(const Value& re, const Value& im) {
  Value v = graph_.fresh(base_of_outputs() + "/complex");
  Info& known = graph_.infos_[v];
  known.dtype = dtype(re) == DType::float64 ? DType::complex128 : DType::complex64;
  known.shape = shape(re);
  known.parts = {re, im};
  return v;
}

bool Graph::has_complex_operand(const OpDesc& op) const {
  for (auto& [slot, names] : op.inputs)
    for (const std::string& name : names)
      if (const Value* v = find_bound(name); v && !info(*v).parts.first.empty()) return true;
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
  const auto& [re, im] = info(v).parts;
  if (part_ < 0 || re.empty()) return v;
  return now(part_ == 0 ? re : im);
}

// Real and complex numbers do not mix here: the imaginary part of a real operand would be that
// operand.
void Node::lower_by_parts() {
  for (auto& [slot, names] : op_.inputs)
    for (const std::string& name : names)
      if (!name.empty() && is_floating(dtype(lookup(name))))
        fail("real operands beside complex ones have no lowering");
  const Rule* rule = find_rule(op_.type, opset());
  if (!rule) need_opset(first_opset(op_.type));
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

Value Node::as_complex(const Value& pairs) {
  auto part = [&](std::int64_t at) {
    return emit("Gather", {pairs, int_scalar(at)}, {{"axis", std::int64_t{-1}}});
  };
  auto re = part(0);
  return complex(re, part(1));
}

Value Node::as_real(const Value& v) {
  auto parts = complex_parts(v);
  return parts ? concat({unsqueeze(parts->first, {-1}), unsqueeze(parts->second, {-1})}, -1) : v;
}

Value Graph::entered(const Value& pairs) {
  static const OpDesc feed{"feed", {}, {}, {}, ""};
  return Node(feed, *this).as_complex(pairs);
}

Value Graph::joined(const Value& v) {
  static const OpDesc fetch{"fetch", {}, {}, {}, ""};
  return Node(fetch, *this).as_real(v);
}

void as_pairs(onnx::ValueInfo& value) {
  if (!is_complex(value.dtype)) return;
  value.dtype = oarlock::part_of(value.dtype);
  value.shape.push_back(2);
  value.symbols.emplace_back();
}

}  // namespace oarlock
