// Inputs, outputs, and lists of tensors.
#include "pir/special_rule_table.h"

namespace oarlock::pir {
namespace {

std::string require_string_attr(Translator& t, const Operation& op, std::string_view name) {
  const Attribute* attr = op.find_attr(name);
  auto* text = attr ? std::get_if<std::string>(&attr->value.value) : nullptr;
  if (!text || text->empty())
    t.fail(op.source, op.name + ": no attribute '" + std::string(name) + "'");
  return *text;
}

void data(Translator& t, const Operation& op) {
  t.add_input(op, require_string_attr(t, op, "name"));
}

void fetch(Translator& t, const Operation& op) {
  t.add_output(op, require_string_attr(t, op, "name"), t.int_attr(op, "col"));
}

void combine(Translator& t, const Operation& op) {
  Binding list;
  list.type.kind = Type::Kind::list;
  Scalars constants;
  bool all_known = true;
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    const Binding& element = t.require_operand_binding(op, i);
    all_known = all_known && element.constant && element.constant->size() == 1;
    if (all_known) constants.push_back((*element.constant)[0]);
    list.elements.push_back(element);
    list.type.elements.push_back(element.type);
  }
  if (all_known && !constants.empty()) list.constant = std::move(constants);
  t.bind(op, 0, std::move(list));
}

const Binding& require_list_operand(Translator& t, const Operation& op) {
  const Binding& list = t.require_operand_binding(op, 0);
  if (list.type.kind != Type::Kind::list) t.fail(op.source, op.name + ": operand 0 is no list");
  return list;
}

void split(Translator& t, const Operation& op) {
  std::vector<Binding> elements = require_list_operand(t, op).elements;
  if (elements.size() != op.results.size())
    t.fail(op.source, "builtin.split: " + std::to_string(op.results.size()) +
                          " results of a list of " + std::to_string(elements.size()));
  for (std::size_t i = 0; i < elements.size(); ++i) t.bind(op, i, elements[i]);
}

void slice(Translator& t, const Operation& op) {
  const Binding& list = require_list_operand(t, op);
  std::int64_t index = t.int_attr(op, "index");
  if (index < 0 || index >= static_cast<std::int64_t>(list.elements.size()))
    t.fail(op.source, "builtin.slice: index " + std::to_string(index) + " of a list of " +
                          std::to_string(list.elements.size()));
  t.bind(op, 0, list.elements[static_cast<std::size_t>(index)]);
}

}  // namespace

std::span<const SpecialRule> input_output_and_list_rules() {
  static constexpr SpecialRule rules[] = {
      {Dialect::pd_op, "data", data},     {Dialect::pd_op, "feed", data},
      {Dialect::pd_op, "fetch", fetch},   {Dialect::builtin, "combine", combine},
      {Dialect::builtin, "split", split}, {Dialect::builtin, "slice", slice},
  };
  return rules;
}

}  // namespace oarlock::pir
