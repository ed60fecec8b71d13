// Tensor arrays. In PIR and in a `.pdmodel`, a write changes the array for all later readers, so
// that the result of a write is the array itself.
#include <limits>

#include "pir/special_rule_table.h"

namespace oarlock::pir {
namespace {

constexpr std::int64_t kEnd = std::numeric_limits<std::int32_t>::max();

void create_array(Translator& t, const Operation& op) { t.bind_result_to_new_variable(op, 0); }

void array_write(Translator& t, const Operation& op) {
  Binding array = t.require_operand_binding(op, 0);
  t.emit(op, "write_to_array",
         {{"X", {t.operand_variable(op, 1)}}, {"I", {t.operand_variable(op, 2)}}},
         {{"Out", {array.variable}}});
  t.bind(op, 0, array);
}

void slice_array(Translator& t, const Operation& op) {
  Slots inputs{{"Input", {t.operand_variable(op, 0)}}};
  Attrs attrs{{"axes", {AttrType::INTS, Ints{0}}}, {"infer_flags", {AttrType::INTS, Ints{1}}}};
  t.add_int_list_operand(op, 1, {"starts", "StartsTensor", ""}, "slice", inputs, attrs);
  t.add_int_list_operand(op, 2, {"ends", "EndsTensor", ""}, "slice", inputs, attrs);
  t.emit(op, "slice", std::move(inputs), {{"Out", {t.bind_result_to_new_variable(op, 0)}}},
         std::move(attrs));
}

// Translates slice_array_dense: reads one element of an array, at an index that may be negative.
void slice_array_dense(Translator& t, const Operation& op) {
  const Binding& start = t.require_operand_binding(op, 1);
  if (!start.constant || start.constant->size() != 1)
    return t.translate_by_spec(op, *find_op_spec("array_read"));
  std::int64_t index = (*start.constant)[0].i;
  t.emit(op, "slice", {{"Input", {t.operand_variable(op, 0)}}},
         {{"Out", {t.bind_result_to_new_variable(op, 0)}}},
         {{"axes", {AttrType::INTS, Ints{0}}},
          {"starts", {AttrType::INTS, Ints{index}}},
          {"ends", {AttrType::INTS, Ints{index == -1 ? kEnd : index + 1}}},
          {"infer_flags", {AttrType::INTS, Ints{1}}},
          {"decrease_axis", {AttrType::INTS, Ints{0}}}});
}

}  // namespace

std::span<const SpecialRule> tensor_array_rules() {
  static constexpr SpecialRule rules[] = {
      {Dialect::pd_op, "create_array", create_array},
      {Dialect::pd_op, "create_array_like", create_array},
      {Dialect::pd_op, "array_write_", array_write},
      {Dialect::pd_op, "slice_array", slice_array},
      {Dialect::pd_op, "slice_array_dense", slice_array_dense},
  };
  return rules;
}

}  // namespace oarlock::pir
