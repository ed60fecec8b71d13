// Branches and loops: the results of their blocks become variables that the blocks assign.
#include <algorithm>

#include "pir/special_rule_table.h"

namespace oarlock::pir {
namespace {

// Emits a conditional_block that assigns the values that `body` yields to new variables of the
// outer block; returns the names of these variables.
Strings emit_conditional_block(Translator& t, const Operation& op, const Block& body,
                               const std::string& condition) {
  Strings outputs;
  for (const Value& result : op.results)
    outputs.push_back(t.declare_variable_with_unique_name(
        "if_" + std::to_string(result.id) + ".branch", result.type));
  std::int32_t index = t.translate_body(body, [&](const std::vector<Binding>& yielded) {
    if (yielded.size() != op.results.size())
      t.fail(op.source, "pd_op.if: a branch yields " + std::to_string(yielded.size()) +
                            " values for " + std::to_string(op.results.size()) + " results");
    for (std::size_t i = 0; i < yielded.size(); ++i)
      t.emit(op, "assign", {{"X", {yielded[i].variable}}}, {{"Out", {outputs[i]}}});
  });
  auto reads = t.outer_names_read_by_block(index), writes = t.outer_names_written_by_block(index);
  t.emit(op, "conditional_block",
         {{"Cond", {condition}}, {"Input", Strings(reads.begin(), reads.end())}},
         {{"Out", Strings(writes.begin(), writes.end())},
          {"Scope", {t.declare_step_scopes_variable("if.scope")}}},
         {{"sub_block", {AttrType::BLOCK, std::int64_t{index}}},
          {"is_scalar_condition", {AttrType::BOOLEAN, true}}});
  return outputs;
}

void if_else(Translator& t, const Operation& op) {
  if (op.bodies.size() != 2) t.fail(op.source, "pd_op.if: two regions are expected");
  std::string condition = t.operand_variable(op, 0);
  Type type = t.require_operand_binding(op, 0).type;
  Strings yes = emit_conditional_block(t, op, op.bodies[0], condition);
  std::string negated = t.emit_to_new_variable(op, "logical_not", {{"X", {condition}}}, {}, type);
  Strings no = emit_conditional_block(t, op, op.bodies[1], negated);
  if (op.results.empty()) return;
  Type mask_type = type;
  mask_type.dtype = DType::int32;
  std::string mask = t.declare_variable_with_unique_name("if.mask", mask_type);
  t.emit_cast_into_variable(op, condition, DType::boolean, mask, DType::int32);
  for (std::size_t i = 0; i < op.results.size(); ++i)
    t.emit(op, "select_input", {{"X", {no[i], yes[i]}}, {"Mask", {mask}}},
           {{"Out", {t.bind_result_to_new_variable(op, i)}}});
}

// A loop-carried value is a variable of the outer block, which the body assigns at its end. A
// tensor array is changed in place, so the variable of a loop-carried array is that of the initial
// array.
void while_loop(Translator& t, const Operation& op) {
  std::size_t count = op.results.size();
  if (op.bodies.size() != 1 || op.operands.size() != count + 1 || op.bodies[0].args.size() != count)
    t.fail(op.source, "pd_op.while: one region, and as many values as results, are expected");
  const Block& body = op.bodies[0];
  std::string condition =
      t.declare_variable_with_unique_name("while.condition", t.require_operand_binding(op, 0).type);
  t.emit(op, "assign", {{"X", {t.operand_variable(op, 0)}}}, {{"Out", {condition}}});
  Strings carried;
  for (std::size_t i = 0; i < count; ++i) {
    std::string initial = t.operand_variable(op, i + 1);
    bool is_array = t.require_operand_binding(op, i + 1).type.kind == Type::Kind::array;
    carried.push_back(is_array ? initial : t.bind_result_to_new_variable(op, i));
    if (!is_array) t.emit(op, "assign", {{"X", {initial}}}, {{"Out", {carried[i]}}});
    Binding binding{carried[i], op.results[i].type, {}, std::nullopt};
    if (is_array) t.bind(op, i, binding);
    t.bind_argument(body.args[i], binding);
  }
  std::int32_t index = t.translate_body(body, [&](std::vector<Binding> yielded) {
    if (yielded.size() != count + 1)
      t.fail(op.source, "pd_op.while: the body yields " + std::to_string(yielded.size()) +
                            " values for a condition and " + std::to_string(count) + " results");
    // A yielded value that is another loop-carried variable is copied first, because that variable
    // may be overwritten before it is read.
    for (std::size_t i = 1; i < yielded.size(); ++i) {
      std::string& variable = yielded[i].variable;
      bool is_other = std::find(carried.begin(), carried.end(), variable) != carried.end() &&
                      variable != carried[i - 1];
      if (is_other)
        variable = t.emit_to_new_variable(op, "assign", {{"X", {variable}}}, {}, yielded[i].type);
    }
    for (std::size_t i = 0; i < yielded.size(); ++i) {
      const std::string& target = i == 0 ? condition : carried[i - 1];
      if (yielded[i].variable != target)
        t.emit(op, "assign", {{"X", {yielded[i].variable}}}, {{"Out", {target}}});
    }
  });
  auto reads = t.outer_names_read_by_block(index), writes = t.outer_names_written_by_block(index);
  reads.insert(carried.begin(), carried.end());
  reads.erase(condition);
  t.emit(op, "while", {{"X", Strings(reads.begin(), reads.end())}, {"Condition", {condition}}},
         {{"Out", Strings(writes.begin(), writes.end())},
          {"StepScopes", {t.declare_step_scopes_variable("while.scopes")}}},
         {{"sub_block", {AttrType::BLOCK, std::int64_t{index}}},
          {"is_test", {AttrType::BOOLEAN, true}}});
}

}  // namespace

std::span<const SpecialRule> control_flow_rules() {
  static constexpr SpecialRule rules[] = {
      {Dialect::pd_op, "if", if_else},
      {Dialect::pd_op, "while", while_loop},
  };
  return rules;
}

}  // namespace oarlock::pir
