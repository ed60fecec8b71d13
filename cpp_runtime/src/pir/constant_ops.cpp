// Constants, arange and cast. The elements of a constant are recorded, so that they can become an
// attribute of the op that reads them. Each constant is also emitted as an op, which is removed
// later if no op reads its output.
#include <cmath>

#include "base/number_text_conversion.h"
#include "paddle/validator.h"
#include "pir/special_rule_table.h"

namespace oarlock::pir {
namespace {

constexpr std::size_t kMaxKnownElements = 64;  // constants with more are not attributes

Ints require_ints_attr(Translator& t, const Operation& op, std::string_view name) {
  const Attribute* attr = op.find_attr(name);
  auto value = attr ? convert_attr(attr->value, AttrType::LONGS) : std::nullopt;
  if (!value) t.fail(op.source, op.name + ": no integers '" + std::string(name) + "'");
  return std::get<Ints>(value->value);
}

bool is_float_or_complex(DType dtype) {
  return is_floating(dtype) || dtype == DType::complex64 || dtype == DType::complex128;
}

void emit_full_and_bind_result(Translator& t, const Operation& op, const Ints& shape, double value,
                               DType dtype) {
  std::string out = t.bind_result_to_new_variable(op, 0);
  t.emit(op, "fill_constant", {}, {{"Out", {out}}},
         {{"shape", {AttrType::LONGS, shape}},
          {"dtype", make_dtype_attr(dtype)},
          {"value", {AttrType::FLOAT, value}},
          {"str_value", {AttrType::STRING, format_significant_digits(value, kRoundTripDigits)}}});
  if (element_count(shape) != 1) return;
  bool is_int = !is_float_or_complex(dtype) && std::fabs(value) < 9.2e18;
  t.set_constant_unless_changed_in_place(
      op, 0,
      {is_int ? Scalar{Scalar::Type::int64, static_cast<std::int64_t>(value), 0, 0}
              : Scalar{Scalar::Type::float64, 0, value, 0}});
}

double require_float_attr(Translator& t, const Operation& op, std::string_view name) {
  const Attribute* attr = op.find_attr(name);
  auto value = attr ? convert_attr(attr->value, AttrType::FLOAT64) : std::nullopt;
  if (!value) t.fail(op.source, op.name + ": no number '" + std::string(name) + "'");
  return std::get<double>(value->value);
}

void full(Translator& t, const Operation& op) {
  emit_full_and_bind_result(t, op, require_ints_attr(t, op, "shape"),
                            require_float_attr(t, op, "value"),
                            t.dtype_attr_or_first_result_dtype(op));
}

template <int value>
void ones_or_zeros(Translator& t, const Operation& op) {
  emit_full_and_bind_result(t, op, require_ints_attr(t, op, "shape"), value,
                            t.dtype_attr_or_first_result_dtype(op));
}

// Translates full_int_array to an op that returns an int64 or int32 vector.
void full_int_array(Translator& t, const Operation& op) {
  Ints values = require_ints_attr(t, op, "value");
  std::string out = t.bind_result_to_new_variable(op, 0);
  DType dtype =
      t.dtype_attr_or_first_result_dtype(op) == DType::int32 ? DType::int32 : DType::int64;
  Scalars constants;
  for (std::int64_t v : values) constants.push_back({Scalar::Type::int64, v, 0, 0});
  t.emit(op, "assign_value", {}, {{"Out", {out}}},
         {{"shape", {AttrType::INTS, Ints{static_cast<std::int64_t>(values.size())}}},
          {"dtype", make_dtype_attr(dtype)},
          dtype == DType::int32
              ? std::pair<const std::string, Attr>{"int32_values", {AttrType::INTS, values}}
              : std::pair<const std::string, Attr>{"int64_values", {AttrType::LONGS, values}}});
  t.set_constant_unless_changed_in_place(op, 0, std::move(constants));
}

/// The dtype that `assign_value` can hold for the values of a dtype, and its attribute.
struct AssignValueStorage {
  DType dtype;
  const char* attr;
  AttrType type;
};
AssignValueStorage assign_value_storage(DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return {dtype, "bool_values", AttrType::INTS};
    case DType::float64:
      return {dtype, "fp64_values", AttrType::FLOAT64S};
    case DType::int64:
      return {dtype, "int64_values", AttrType::LONGS};
    case DType::int32:
    case DType::int16:
    case DType::int8:
    case DType::uint8:
      return {DType::int32, "int32_values", AttrType::INTS};
    default:
      return {DType::float32, "fp32_values", AttrType::FLOATS};
  }
}

// `assign_value_` has the tensor that it overwrites as operand.
void assign_value(Translator& t, const Operation& op) {
  const Attribute* values = op.find_attr("values");
  DType dtype = t.dtype_attr_or_first_result_dtype(op);
  AssignValueStorage stored = assign_value_storage(dtype);
  auto elements = values ? convert_attr(values->value, AttrType::SCALARS) : std::nullopt;
  auto converted = values ? convert_attr(values->value, stored.type) : std::nullopt;
  if (!elements || !converted)
    t.fail(op.source,
           "pd_op.assign_value: no values of type " + std::string(attr_type_name(stored.type)));
  Ints shape = require_ints_attr(t, op, "shape");
  if (element_count(shape) != static_cast<std::int64_t>(std::get<Scalars>(elements->value).size()))
    t.fail(op.source, "pd_op.assign_value: the number of values does not fit the shape");
  std::string out = op.operands.empty() ? t.bind_result_to_new_variable(op, 0)
                                        : t.bind_result_in_place_or_new(op, 0);
  Type stored_type = op.results[0].type;
  stored_type.dtype = stored.dtype;
  std::string target = stored.dtype == dtype
                           ? out
                           : t.declare_variable_with_unique_name(out + ".values", stored_type);
  t.emit(op, "assign_value", {}, {{"Out", {target}}},
         {{"shape", {AttrType::INTS, shape}},
          {"dtype", make_dtype_attr(stored.dtype)},
          {stored.attr, std::move(*converted)}});
  if (target != out) t.emit_cast_into_variable(op, target, stored.dtype, out, dtype);
  auto& known = std::get<Scalars>(elements->value);
  if (shape.size() <= 1 && known.size() <= kMaxKnownElements)
    t.set_constant_unless_changed_in_place(op, 0, known);
}

// Translates an op `cast`. If the operand is an integer constant, the result of another integer
// type is a constant, too.
void cast(Translator& t, const Operation& op) {
  Binding from = t.require_operand_binding(op, 0);
  DType dtype = t.dtype_attr_or_first_result_dtype(op);
  t.emit_cast_into_variable(op, t.operand_variable(op, 0), from.type.dtype,
                            t.bind_result_to_new_variable(op, 0), dtype);
  auto is_int = [](DType d) { return d == DType::int32 || d == DType::int64; };
  if (from.constant && is_int(from.type.dtype) && is_int(dtype))
    t.set_constant_unless_changed_in_place(op, 0, *from.constant);
}

// Translates arange. The inputs Start, End and Step of the emitted op have the dtype of the result;
// those of the PIR operation are float64 or int64.
void arange(Translator& t, const Operation& op) {
  DType dtype = t.dtype_attr_or_first_result_dtype(op);
  constexpr const char* slots[] = {"Start", "End", "Step"};
  Slots inputs;
  for (std::size_t i = 0; i < 3; ++i) {
    Type type = t.require_operand_binding(op, i).type;
    std::string variable = t.operand_variable(op, i);
    if (type.dtype != dtype) {
      DType from = type.dtype;
      type.dtype = dtype;
      std::string converted = t.declare_variable_with_unique_name("arange.bound", type);
      t.emit_cast_into_variable(op, variable, from, converted, dtype);
      variable = converted;
    }
    inputs[slots[i]] = {variable};
  }
  t.emit(op, "range", std::move(inputs), {{"Out", {t.bind_result_to_new_variable(op, 0)}}});
}

}  // namespace

std::span<const SpecialRule> constant_rules() {
  static constexpr SpecialRule rules[] = {
      {Dialect::pd_op, "full", full},
      {Dialect::pd_op, "full_", full},
      {Dialect::pd_op, "ones", ones_or_zeros<1>},
      {Dialect::pd_op, "zeros", ones_or_zeros<0>},
      {Dialect::pd_op, "full_int_array", full_int_array},
      {Dialect::pd_op, "assign_value", assign_value},
      {Dialect::pd_op, "assign_value_", assign_value},
      {Dialect::pd_op, "arange", arange},
      {Dialect::pd_op, "cast", cast},
      {Dialect::pd_op, "cast_", cast},
  };
  return rules;
}

}  // namespace oarlock::pir
