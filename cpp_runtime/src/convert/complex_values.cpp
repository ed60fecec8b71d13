// Complex values in the converter: representation, conversion at graph inputs and outputs, and
// conversion by parts.
#include <algorithm>

#include "convert/graph_builder.h"
#include "convert/registry.h"

namespace oarlock {
std::optional<std::pair<Value, Value>> NodeContext::find_complex_parts(Value v) const {
  const auto& [re, im] = graph_.type_of(v).complex_parts;
  return re ? std::optional(std::pair(re, im)) : std::nullopt;
}

Value NodeContext::make_complex_value_outside_graph(Value re, Value im) {
  ValueType type{dtype(re) == DType::float64 ? DType::complex128 : DType::complex64, shape(re),
                 std::nullopt};
  type.complex_parts = {re, im};
  return graph_.add_value_with_unique_name(first_output_name_or_op_type() + "/complex",
                                           std::move(type));
}

bool GraphBuilder::has_complex_operand(const OpDesc& op) const {
  for (auto& [slot, names] : op.inputs)
    for (const std::string& name : names)
      if (type_of(find_binding(name)).complex_parts.first) return true;
  return false;
}

const Rule* GraphBuilder::find_rule_for(const OpDesc& op) const {
  if (complex_part_ < 0 && has_complex_operand(op)) {
    const Rule* rule = find_complex_rule(op.type);
    return rule && rule->since_opset <= options_.opset ? rule : nullptr;
  }
  return find_rule(op.type, options_.opset);
}

Value GraphBuilder::select_current_complex_part(Value v) const {
  const auto& [re, im] = type_of(v).complex_parts;
  if (complex_part_ < 0 || !re) return v;
  return complex_part_ == 0 ? re : im;
}

// Converts an op twice, for the real and for the imaginary parts of its inputs. All inputs must be
// complex, because a real input would be used twice, in the conversion of the real parts and in
// that of the imaginary parts.
void NodeContext::lower_each_complex_part() {
  for (auto& [slot, names] : op_.inputs)
    for (const std::string& name : names)
      if (!name.empty() && is_floating(dtype(require_value_or_add_weight(name))))
        fail("real operands beside complex ones have no lowering");
  const Rule* rule = find_rule(op_.type, opset());
  if (!rule) require_opset(min_opset_of_op_rules(op_.type));
  auto results = std::exchange(graph_.op_results_, {});
  std::vector<std::pair<std::string, Value>> part_results[2];
  for (int part : {0, 1}) {
    graph_.complex_part_ = part;
    graph_.op_results_.clear();
    try {
      rule->lower(*this);
    } catch (...) {
      graph_.complex_part_ = -1;
      throw;
    }
    part_results[part] = std::exchange(graph_.op_results_, {});
  }
  graph_.complex_part_ = -1;
  graph_.op_results_ = std::move(results);
  for (std::size_t i = 0; i < part_results[0].size(); ++i)
    graph_.op_results_.emplace_back(
        part_results[0][i].first,
        make_complex_value_outside_graph(part_results[0][i].second, part_results[1][i].second));
}

Value NodeContext::as_complex(Value pairs) {
  auto part = [&](std::int64_t at) {
    return emit("Gather", {pairs, int64_scalar(at)}, {{"axis", std::int64_t{-1}}});
  };
  auto re = part(0);
  return make_complex_value_outside_graph(re, part(1));
}

Value NodeContext::as_real(Value v) {
  auto parts = find_complex_parts(v);
  return parts ? concat({unsqueeze(parts->first, {-1}), unsqueeze(parts->second, {-1})}, -1) : v;
}

Value GraphBuilder::pairs_to_complex(Value pairs) {
  static const OpDesc feed{"feed", {}, {}, {}, ""};
  return NodeContext(feed, *this).as_complex(pairs);
}

Value GraphBuilder::complex_to_pairs(Value v) {
  static const OpDesc fetch{"fetch", {}, {}, {}, ""};
  return NodeContext(fetch, *this).as_real(v);
}

void convert_complex_value_info_to_pairs(onnx::ValueInfo& value) {
  if (!is_complex(value.dtype)) return;
  value.dtype = oarlock::complex_part_dtype(value.dtype);
  value.shape.push_back(2);
  value.symbols.emplace_back();
}

}  // namespace oarlock
