// Export rules of the ops whose export cannot be described by a row of the table of operations.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number_text_conversion.h"
#include "pir/export_control_flow.h"
#include "pir/exporter.h"
#include "pir/translator.h"

namespace oarlock::pir {
namespace {

constexpr double kMaxExactInteger = 9007199254740992.0;  // 2^53

Type with_dtype(Type type, DType dtype) {
  type.dtype = dtype;
  return type;
}

std::optional<Attr> find_attr(const OpDesc& op, std::string_view name, AttrType type) {
  auto found = op.attrs.find(name);
  return found == op.attrs.end() ? std::nullopt : convert_attr(found->second, type);
}

Attr require_attr(Exporter& e, const OpDesc& op, std::string_view name, AttrType type) {
  auto value = find_attr(op, name, type);
  if (!value) e.fail(op, "attribute '" + std::string(name) + "' is missing or has another type");
  return std::move(*value);
}

Ints int_list_attr_or_empty(const OpDesc& op, std::string_view name) {
  auto value = find_attr(op, name, AttrType::LONGS);
  return value ? std::get<Ints>(value->value) : Ints{};
}

DType require_dtype_attr(Exporter& e, const OpDesc& op, std::string_view name) {
  Attr number = require_attr(e, op, name, AttrType::INT);
  return static_cast<DType>(std::get<std::int64_t>(number.value));
}

double fill_value(Exporter& e, const OpDesc& op) {
  if (auto found = op.attrs.find("str_value"); found != op.attrs.end())
    if (auto* text = std::get_if<std::string>(&found->second.value); text && !text->empty()) {
      auto value = try_parse_double(*text);
      if (!value) e.fail(op, "str_value '" + text->substr(0, 80) + "' is no number");
      return *value;
    }
  Attr number = require_attr(e, op, "value", AttrType::FLOAT64);
  return std::get<double>(number.value);
}

// Casts a double to int64; a value out of range becomes the nearest bound, because C++ leaves its
// conversion undefined.
std::int64_t to_nearest_int64(double value) {
  constexpr double limit = 0x1p63;
  if (value >= limit) return std::numeric_limits<std::int64_t>::max();
  return value < -limit ? std::numeric_limits<std::int64_t>::min()
                        : static_cast<std::int64_t>(value);
}

void fill_constant(Exporter& e, const OpDesc& op) {
  DType dtype = require_dtype_attr(e, op, "dtype");
  bool has_tensor = !variable_names_in_slot(op.inputs, "ValueTensor").empty() ||
                    !variable_names_in_slot(op.inputs, "ShapeTensor").empty() ||
                    !variable_names_in_slot(op.inputs, "ShapeTensorList").empty();
  if (!has_tensor) {
    Ints shape = int_list_attr_or_empty(op, "shape");
    double value = fill_value(e, op);
    if (dtype == DType::int64 && std::fabs(value) >= kMaxExactInteger) {
      auto whole = e.emit_int_array({to_nearest_int64(value)});
      auto target = e.emit_int_array(shape);
      return e.emit_to_output(op, "full_with_tensor", {whole, target},
                              {dtype_attribute("dtype", dtype)});
    }
    return e.emit_to_output(op, "full", {}, attributes_of_full_op(value, dtype, shape));
  }
  std::int64_t value = variable_names_in_slot(op.inputs, "ValueTensor").empty()
                           ? e.emit_full(fill_value(e, op), dtype)
                           : e.input(op, "ValueTensor").id;
  std::int64_t shape =
      e.get_or_emit_mutable_int_list_attr_value(op, "shape", "ShapeTensor", "ShapeTensorList");
  e.emit_to_output(op, "full_with_tensor", {value, shape}, {dtype_attribute("dtype", dtype)});
}

// The values of an assign_value or set_value op, which are stored in the attribute for their dtype,
// such as `fp32_values`.
Scalars read_value_attrs_as_scalars(const OpDesc& op) {
  Scalars values;
  for (const char* name : {"values", "bool_values", "fp32_values", "fp64_values", "int32_values",
                           "int64_values", "int8_values"}) {
    auto found = find_attr(op, name, AttrType::SCALARS);
    if (found && !std::get<Scalars>(found->value).empty())
      values = std::get<Scalars>(std::move(found->value));
  }
  return values;
}

// Exports assign_value. Values of dtype int64 become the operation full_int_array, which stores
// them exactly.
void assign_value(Exporter& e, const OpDesc& op) {
  DType dtype = require_dtype_attr(e, op, "dtype");
  Ints shape = int_list_attr_or_empty(op, "shape");
  Scalars elements = read_value_attrs_as_scalars(op);
  if (dtype == DType::int64) {
    Ints whole;
    for (const Scalar& element : elements) whole.push_back(element.i);
    std::int64_t vector = e.emit_int_array(whole);
    return e.emit_to_output(op, "reshape", {vector, e.emit_int_array(shape)});
  }
  Floats numbers;
  for (const Scalar& element : elements) {
    if (element.type == Scalar::Type::complex128) e.fail(op, "complex values");
    numbers.push_back(element.as_double());
  }
  std::int64_t zeros = e.emit_full(0, dtype, shape);
  e.emit_to_output(
      op, "assign_value_", {zeros},
      {plain_attribute("shape", {AttrType::INTS, shape}), dtype_attribute("dtype", dtype),
       plain_attribute("values", {AttrType::FLOAT64S, numbers}), place_attribute()});
}

void range(Exporter& e, const OpDesc& op) {
  const Value& start = e.input(op, "Start");
  e.emit_to_output(op, "arange", {start.id, e.input(op, "End").id, e.input(op, "Step").id},
                   {dtype_attribute("dtype", start.type.dtype), place_attribute()});
}

void cast(Exporter& e, const OpDesc& op) {
  e.emit_to_output(op, "cast", {e.input(op, "X").id},
                   {dtype_attribute("dtype", require_dtype_attr(e, op, "out_dtype"))});
}

// Sizes are int32 in a `.pdmodel`, int64 in PIR.
void shape(Exporter& e, const OpDesc& op) {
  const Value& x = e.input(op, "Input");
  Type type = e.declared_type(op, variable_names_in_slot(op.outputs, "Out").at(0));
  auto sizes = e.emit("shape64", {x.id}, {with_dtype(type, DType::int64)});
  e.emit_to_output(op, "cast", {sizes[0].id}, {dtype_attribute("dtype", DType::int32)});
}

void assign(Exporter& e, const OpDesc& op) {
  const Value& x = e.input(op, "X");
  e.emit_to_output(op, x.type.kind == Type::Kind::array ? "assign_array" : "assign", {x.id});
}

void mean(Exporter& e, const OpDesc& op) {
  e.emit_to_output(op, "mean_all", {e.input(op, "X").id});
}

// `axis` is the first dimension of X that Y has: Y gets dimensions of size 1 at its end.
void elementwise(Exporter& e, const OpDesc& op) {
  const Value& x = e.input(op, "X");
  Value y = e.input(op, "Y");
  std::int64_t axis = int_attr(op, "axis", -1);
  auto x_rank = static_cast<std::int64_t>(x.type.shape.size());
  auto y_rank = static_cast<std::int64_t>(y.type.shape.size());
  if (axis != -1 && axis + y_rank < x_rank) {
    Ints axes;
    Type type = y.type;
    for (std::int64_t i = y_rank; i < x_rank - axis; ++i) {
      axes.push_back(i);
      type.shape.push_back(1);
    }
    y = e.emit("unsqueeze", {y.id, e.emit_int_array(axes)}, {type})[0];
  }
  const OpSpec& spec = *op_specs_of_legacy_type(op.type).front();
  e.emit_to_output(op, std::string(spec.name), {x.id, y.id});
}

// Exports `where`; the operands are broadcast first, because Paddle's `where` does not broadcast.
void where(Exporter& e, const OpDesc& op) {
  Type out = e.declared_type(op, variable_names_in_slot(op.outputs, "Out").at(0));
  std::vector<Value> operands;
  for (const char* slot : {"Condition", "X", "Y"}) operands.push_back(e.input(op, slot));
  const Value* full = nullptr;
  for (const Value& operand : operands)
    if (operand.type.shape == out.shape) full = &operand;
  std::vector<std::int64_t> ids;
  for (const Value& operand : operands) {
    bool is_full = !full || operand.type.shape == full->type.shape;
    ids.push_back(
        is_full ? operand.id
                : e.emit("expand_as", {operand.id, full->id}, {with_dtype(out, operand.type.dtype)},
                         {plain_attribute("target_shape", {AttrType::INTS, out.shape})})[0]
                      .id);
  }
  e.emit_to_output(op, "where", std::move(ids));
}

void set_value(Exporter& e, const OpDesc& op) {
  bool has_tensor = !variable_names_in_slot(op.inputs, "ValueTensor").empty();
  std::vector<std::int64_t> operands{e.input(op, "Input").id};
  if (has_tensor) operands.push_back(e.input(op, "ValueTensor").id);
  operands.push_back(
      e.get_or_emit_mutable_int_list_attr_value(op, "starts", "", "StartsTensorList"));
  operands.push_back(e.get_or_emit_mutable_int_list_attr_value(op, "ends", "", "EndsTensorList"));
  operands.push_back(e.get_or_emit_mutable_int_list_attr_value(op, "steps", "", "StepsTensorList"));
  std::vector<Attribute> attrs;
  for (const char* name : {"axes", "decrease_axes", "none_axes"})
    attrs.push_back(plain_attribute(name, {AttrType::LONGS, int_list_attr_or_empty(op, name)}));
  if (!has_tensor) {
    attrs.push_back(
        plain_attribute("shape", {AttrType::LONGS, int_list_attr_or_empty(op, "shape")}));
    Scalars values = read_value_attrs_as_scalars(op);
    auto numbers = convert_attr({AttrType::SCALARS, values}, AttrType::FLOAT64S);
    if (values.empty() || !numbers) e.fail(op, "no values");
    attrs.push_back(plain_attribute("values", std::move(*numbers)));
  }
  e.emit_to_output(op, has_tensor ? "set_value_with_tensor_" : "set_value_", std::move(operands),
                   std::move(attrs));
}

// With a negative stride, the end -1 means "before the first element" in a `.pdmodel`, and the last
// element in PIR.
void strided_slice(Exporter& e, const OpDesc& op) {
  OpDesc changed = op;
  Ints strides = int_list_attr_or_empty(op, "strides"), ends = int_list_attr_or_empty(op, "ends");
  for (std::size_t i = 0; i < std::min(ends.size(), strides.size()); ++i)
    if (strides[i] < 0 && ends[i] == -1) ends[i] = std::numeric_limits<std::int32_t>::min();
  if (!ends.empty()) changed.attrs["ends"] = {AttrType::INTS, ends};
  e.export_by_spec(changed, *find_op_spec("strided_slice"));
}

// -- tensor arrays

void write_to_array(Exporter& e, const OpDesc& op) {
  const std::string& variable = variable_names_in_slot(op.outputs, "Out").at(0);
  e.require_writable_array(op, variable);
  const Value& array = e.value_of(op, variable);
  e.emit("array_write_", {array.id, e.input(op, "X").id, e.input(op, "I").id}, {array.type});
}

void slice(Exporter& e, const OpDesc& op) {
  const Value& x = e.input(op, "Input");
  if (x.type.kind != Type::Kind::array) return e.export_by_spec(op, *find_op_spec("slice"));
  std::int64_t starts =
      e.get_or_emit_mutable_int_list_attr_value(op, "starts", "StartsTensor", "StartsTensorList");
  if (!int_list_attr_or_empty(op, "decrease_axis").empty())
    return e.emit_to_output(op, "slice_array_dense", {x.id, starts});
  std::int64_t ends =
      e.get_or_emit_mutable_int_list_attr_value(op, "ends", "EndsTensor", "EndsTensorList");
  e.emit_to_output(op, "slice_array", {x.id, starts, ends});
}

void export_assert(Exporter& e, const OpDesc& op) {
  std::vector<Value> data = e.values_of(op, variable_names_in_slot(op.inputs, "Data"));
  e.emit("assert", {e.input(op, "Cond").id, e.emit_list(data)}, {},
         {plain_attribute("summarize", {AttrType::LONG, int_attr(op, "summarize", -1)})});
}

template <void (*rule)(Exporter&, const OpDesc&)>
std::size_t export_one_op(Exporter& e, const std::vector<OpDesc>& ops, std::size_t position) {
  rule(e, ops[position]);
  return 1;
}

}  // namespace

ExportRule find_export_rule(std::string_view type) {
  static const std::map<std::string_view, ExportRule> rules = {
      {"fill_constant", export_one_op<fill_constant>},
      {"assign_value", export_one_op<assign_value>},
      {"range", export_one_op<range>},
      {"cast", export_one_op<cast>},
      {"shape", export_one_op<shape>},
      {"assign", export_one_op<assign>},
      {"mean", export_one_op<mean>},
      {"set_value", export_one_op<set_value>},
      {"where", export_one_op<where>},
      {"write_to_array", export_one_op<write_to_array>},
      {"slice", export_one_op<slice>},
      {"strided_slice", export_one_op<strided_slice>},
      {"assert", export_one_op<export_assert>},
      {"elementwise_add", export_one_op<elementwise>},
      {"elementwise_sub", export_one_op<elementwise>},
      {"elementwise_mul", export_one_op<elementwise>},
      {"elementwise_div", export_one_op<elementwise>},
      {"elementwise_max", export_one_op<elementwise>},
      {"elementwise_min", export_one_op<elementwise>},
      {"elementwise_pow", export_one_op<elementwise>},
      {"elementwise_mod", export_one_op<elementwise>},
      {"elementwise_floordiv", export_one_op<elementwise>},
      {"elementwise_fmax", export_one_op<elementwise>},
      {"elementwise_fmin", export_one_op<elementwise>},
      {"elementwise_heaviside", export_one_op<elementwise>},
      {"while", export_while},
      {"conditional_block", export_conditional_block},
      {"select_input", export_select_input},
  };
  auto found = rules.find(type);
  return found == rules.end() ? nullptr : found->second;
}

}  // namespace oarlock::pir
