#include "pir/export_control_flow.h"

#include <algorithm>

namespace oarlock::pir {
namespace {

constexpr const char* kConditionSlot = "Cond";  // of conditional_block

void emit_yield(Exporter& e, std::vector<std::int64_t> ids) {
  e.emit("yield", std::move(ids), {}, {}, Dialect::cf);
}

std::string require_single_name(Exporter& e, const OpDesc& op, const Slots& slots,
                                std::string_view slot) {
  const Strings& names = variable_names_in_slot(slots, slot);
  if (names.size() != 1) e.fail(op, "one variable is expected in slot " + std::string(slot));
  return names[0];
}

std::int64_t sub_block(const OpDesc& op) { return int_attr(op, "sub_block", 0); }

/// The ids of variables at this point; zeros for those that are not assigned on this path.
std::vector<std::int64_t> value_ids_or_emitted_zeros(Exporter& e, const OpDesc& op,
                                                     const Strings& names) {
  std::vector<std::int64_t> ids;
  for (const std::string& name : names)
    ids.push_back(e.is_assigned(name) ? e.value_of(op, name).id
                                      : e.emit_zeros_for_unassigned(e.declared_type(op, name)).id);
  return ids;
}

/// A result of an `if`: the variable that each branch returns, and the one that is assigned.
struct IfResultVariables {
  std::string if_true, if_false, assigned;
};

void emit_if(Exporter& e, const OpDesc& op, std::int64_t condition, Block yes, Block no,
             const std::vector<IfResultVariables>& results) {
  std::vector<Type> types;
  for (const IfResultVariables& result : results)
    types.push_back(e.declared_type(op, result.assigned));
  auto values = e.emit("if", {condition}, std::move(types));
  e.block().ops.back().bodies.push_back(std::move(yes));
  e.block().ops.back().bodies.push_back(std::move(no));
  for (std::size_t i = 0; i < results.size(); ++i) e.assign(results[i].assigned, values[i]);
}

/// The ops of `cond`: two blocks with opposite conditions, and selections between their results.
struct ConditionalPair {
  const OpDesc* if_true;
  const OpDesc* if_false;
  std::vector<const OpDesc*> selections;
  std::size_t num_ops = 0;  // with the negation and the cast of the condition
};

std::optional<ConditionalPair> match_conditional_pair(Exporter& e, const std::vector<OpDesc>& ops,
                                                      std::size_t position) {
  if (position + 2 >= ops.size()) return std::nullopt;
  const OpDesc &first = ops[position], &negation = ops[position + 1], &second = ops[position + 2];
  if (negation.type != "logical_not" || second.type != "conditional_block") return std::nullopt;
  std::string condition = require_single_name(e, first, first.inputs, kConditionSlot);
  if (variable_names_in_slot(negation.inputs, "X") != Strings{condition} ||
      variable_names_in_slot(second.inputs, kConditionSlot) !=
          variable_names_in_slot(negation.outputs, "Out"))
    return std::nullopt;
  ConditionalPair pair{&first, &second, {}, 3};
  std::size_t next = position + 3;
  if (next < ops.size() && ops[next].type == "cast" &&
      variable_names_in_slot(ops[next].inputs, "X") == Strings{condition}) {
    const Strings& mask = variable_names_in_slot(ops[next].outputs, "Out");
    ++next;
    while (next < ops.size() && ops[next].type == "select_input" &&
           variable_names_in_slot(ops[next].inputs, "Mask") == mask &&
           variable_names_in_slot(ops[next].inputs, "X").size() == 2)
      pair.selections.push_back(&ops[next++]);
    if (!pair.selections.empty()) pair.num_ops = next - position;
  }
  return pair;
}

}  // namespace

std::size_t export_while(Exporter& e, const std::vector<OpDesc>& ops, std::size_t position) {
  const OpDesc& op = ops[position];
  std::string condition = require_single_name(e, op, op.inputs, "Condition");
  std::set<std::string> written = e.outer_names_written_by_block(sub_block(op));
  written.erase(condition);
  Strings carried(written.begin(), written.end());
  std::vector<Type> types;
  std::vector<Value> args;
  for (const std::string& name : carried) {
    types.push_back(e.declared_type(op, name));
    args.push_back(e.new_block_argument(types.back()));
  }
  std::vector<std::int64_t> operands = value_ids_or_emitted_zeros(e, op, carried);
  operands.insert(operands.begin(), e.value_of(op, condition).id);
  for (std::size_t i = 0; i < carried.size(); ++i) e.assign(carried[i], args[i]);
  Block body = e.export_sub_block(sub_block(op), args, [&] {
    Strings yielded = carried;
    yielded.insert(yielded.begin(), condition);
    emit_yield(e, value_ids_or_emitted_zeros(e, op, yielded));
  });
  auto results = e.emit("while", std::move(operands), std::move(types));
  e.block().ops.back().bodies.push_back(std::move(body));
  for (std::size_t i = 0; i < carried.size(); ++i) e.assign(carried[i], results[i]);
  return 1;
}

std::size_t export_conditional_block(Exporter& e, const std::vector<OpDesc>& ops,
                                     std::size_t position) {
  const OpDesc& op = ops[position];
  std::int64_t condition = e.input(op, kConditionSlot).id;
  auto pair = match_conditional_pair(e, ops, position);
  std::set<std::string> written = e.outer_names_written_by_block(sub_block(op));
  std::vector<IfResultVariables> results;
  if (pair) {
    written.merge(e.outer_names_written_by_block(sub_block(*pair->if_false)));
    for (const OpDesc* selection : pair->selections) {
      const Strings& x = variable_names_in_slot(selection->inputs, "X");
      results.push_back(
          {x[1], x[0], require_single_name(e, *selection, selection->outputs, "Out")});
      written.erase(x[0]);
      written.erase(x[1]);
    }
  }
  for (const std::string& name : written) results.push_back({name, name, name});
  auto yield_of = [&](std::string IfResultVariables::* side) {
    Strings names;
    for (const IfResultVariables& result : results) names.push_back(result.*side);
    emit_yield(e, value_ids_or_emitted_zeros(e, op, names));
  };
  Block yes = e.export_branch(sub_block(op), [&] { yield_of(&IfResultVariables::if_true); });
  auto if_false = pair ? std::optional(sub_block(*pair->if_false)) : std::nullopt;
  Block no = e.export_branch(if_false, [&] { yield_of(&IfResultVariables::if_false); });
  emit_if(e, op, condition, std::move(yes), std::move(no), results);
  return pair ? pair->num_ops : 1;
}

std::size_t export_select_input(Exporter& e, const std::vector<OpDesc>& ops, std::size_t position) {
  const OpDesc& op = ops[position];
  const Strings& x = variable_names_in_slot(op.inputs, "X");
  if (x.size() != 2) e.fail(op, "two inputs are expected");
  const Value& mask = e.input(op, "Mask");
  Type type = mask.type;
  type.dtype = DType::boolean;
  std::int64_t condition =
      e.emit("cast", {mask.id}, {type}, {dtype_attribute("dtype", DType::boolean)})[0].id;
  Block yes = e.export_branch(std::nullopt, [&] { emit_yield(e, {e.value_of(op, x[1]).id}); });
  Block no = e.export_branch(std::nullopt, [&] { emit_yield(e, {e.value_of(op, x[0]).id}); });
  emit_if(e, op, condition, std::move(yes), std::move(no),
          {{x[1], x[0], require_single_name(e, op, op.outputs, "Out")}});
  return 1;
}

}  // namespace oarlock::pir
