// Translation of PIR operations that correspond to several ops of a `.pdmodel`, or to an op with
// further attributes.
#include <algorithm>
#include <cmath>
#include <limits>

#include "pir/special_rule_table.h"

namespace oarlock::pir {
namespace {

void shape64_op(Translator& t, const Operation& op) {
  Type type = t.result_type(op, 0);
  type.dtype = DType::int32;
  std::string shape =
      t.emit_to_new_variable(op, "shape", {{"Input", {t.operand_variable(op, 0)}}}, {}, type);
  t.emit_cast_into_variable(op, shape, DType::int32, t.bind_result_to_new_variable(op, 0),
                            DType::int64);
}

// set_value(x, starts, ends, steps), set_value_with_tensor(x, values, starts, ends, steps)
template <bool with_tensor>
void set_value(Translator& t, const Operation& op) {
  Slots inputs{{"Input", {t.operand_variable(op, 0)}}};
  Attrs attrs{{"dtype", make_dtype_attr(t.require_operand_binding(op, 0).type.dtype)}};
  if (with_tensor) inputs["ValueTensor"] = {t.operand_variable(op, 1)};
  t.add_int_list_operand(op, with_tensor ? 2 : 1, {"starts", "", "StartsTensorList"}, "set_value",
                         inputs, attrs);
  t.add_int_list_operand(op, with_tensor ? 3 : 2, {"ends", "", "EndsTensorList"}, "set_value",
                         inputs, attrs);
  t.add_int_list_operand(op, with_tensor ? 4 : 3, {"steps", "", "StepsTensorList"}, "set_value",
                         inputs, attrs);
  for (const char* name : {"axes", "decrease_axes", "none_axes", "shape"})
    t.copy_attr(op, name, AttrType::LONGS, attrs);
  if (!with_tensor) t.copy_attr(op, "values", AttrType::SCALARS, attrs);
  std::string out = t.bind_result_in_place_or_new(op, 0);
  t.emit(op, "set_value", std::move(inputs), {{"Out", {out}}}, std::move(attrs));
}

// Translates strided_slice. With a negative stride, the end -1 means the last element in PIR, so
// that nothing is selected; in a `.pdmodel` it means "before the first element".
void strided_slice(Translator& t, const Operation& op) {
  t.translate_by_spec(op, *find_op_spec("strided_slice"));
  Attrs& attrs = t.last_op().attrs;
  auto ends = attrs.find("ends"), strides = attrs.find("strides");
  if (ends == attrs.end() || strides == attrs.end()) return;
  auto& values = std::get<Ints>(ends->second.value);
  const auto& steps = std::get<Ints>(strides->second.value);
  for (std::size_t i = 0; i < std::min(values.size(), steps.size()); ++i)
    if (steps[i] < 0 && values[i] == -1) values[i] = std::numeric_limits<std::int32_t>::max();
}

// Translates assign_out_, whose operands are a value and the tensor that it overwrites.
void assign_out(Translator& t, const Operation& op) {
  t.emit(op, "assign", {{"X", {t.operand_variable(op, 0)}}},
         {{"Out", {t.bind_result_in_place(op, 0, 1)}}});
}

void bind_result_to_operand(Translator& t, const Operation& op) {
  t.bind(op, 0, t.require_operand_binding(op, 0));
}

void translate_assert(Translator& t, const Operation& op) {
  Slots inputs{{"Cond", {t.operand_variable(op, 0)}}};
  for (const Binding& element : t.require_operand_binding(op, 1).elements)
    inputs["Data"].push_back(element.variable);
  Attrs attrs;
  t.copy_attr(op, "summarize", AttrType::LONG, attrs);
  t.emit(op, "assert", std::move(inputs), {}, std::move(attrs));
}

// silu(x) * y; without y, x is split in two along the last axis.
void swiglu(Translator& t, const Operation& op) {
  std::string x = t.operand_variable(op, 0), y = t.operand_variable(op, 1);
  Type type = t.result_type(op, 0);
  if (y.empty()) {
    std::string halves[] = {t.declare_variable_with_unique_name("swiglu.x", type),
                            t.declare_variable_with_unique_name("swiglu.y", type)};
    t.emit(
        op, "split", {{"X", {x}}}, {{"Out", {halves[0], halves[1]}}},
        {{"num", {AttrType::INT, std::int64_t{2}}}, {"axis", {AttrType::INT, std::int64_t{-1}}}});
    x = halves[0], y = halves[1];
  }
  std::string gate = t.emit_to_new_variable(op, "silu", {{"X", {x}}}, {}, type);
  t.emit(op, "elementwise_mul", {{"X", {gate}}, {"Y", {y}}},
         {{"Out", {t.bind_result_to_new_variable(op, 0)}}},
         {{"axis", {AttrType::INT, std::int64_t{-1}}}});
}

// copysign(x, y): |x| with the sign of y, also that of zeros: 1 / y is infinite with the sign of y.
void copysign(Translator& t, const Operation& op) {
  const Type& type = t.result_type(op, 0);
  std::string x = t.operand_variable(op, 0), y = t.operand_variable(op, 1);
  Type y_type = t.require_operand_binding(op, 1).type, flag_type = y_type;
  flag_type.dtype = DType::boolean;
  std::string zero = t.emit_to_new_variable(
      op, "fill_any_like", {{"X", {y}}},
      {{"value", {AttrType::FLOAT, 0.0}}, {"dtype", make_dtype_attr(y_type.dtype)}}, y_type);
  std::string inverse = t.emit_to_new_variable(op, "reciprocal", {{"X", {y}}}, {}, y_type);
  std::string is_zero =
      t.emit_to_new_variable(op, "equal", {{"X", {y}}, {"Y", {zero}}}, {}, flag_type);
  std::string sign_source = t.emit_to_new_variable(
      op, "where", {{"Condition", {is_zero}}, {"X", {inverse}}, {"Y", {y}}}, {}, y_type);
  std::string is_negative =
      t.emit_to_new_variable(op, "less_than", {{"X", {sign_source}}, {"Y", {zero}}}, {}, flag_type);
  std::string positive = t.emit_to_new_variable(op, "abs", {{"X", {x}}}, {}, type);
  std::string negative = t.emit_to_new_variable(op, "scale", {{"X", {positive}}},
                                                {{"scale", {AttrType::FLOAT, -1.0}}}, type);
  t.emit(op, "where", {{"Condition", {is_negative}}, {"X", {negative}}, {"Y", {positive}}},
         {{"Out", {t.bind_result_in_place_or_new(op, 0)}}});
}

// Translates a reduction; if it has no axes, attribute `reduce_all` is set, because it reduces over
// all axes.
void reduce(Translator& t, const Operation& op) {
  t.translate_by_spec(op, *find_op_spec(op.name));
  OpDesc& emitted = t.last_op();
  for (const char* name : {"dim", "axis"}) {
    auto attr = emitted.attrs.find(name);
    auto* axes = attr == emitted.attrs.end() ? nullptr : std::get_if<Ints>(&attr->second.value);
    if (axes && axes->empty()) emitted.attrs["reduce_all"] = {AttrType::BOOLEAN, true};
  }
}

double float_attr_or_default(const Operation& op, std::string_view name, double default_value) {
  const Attribute* attr = op.find_attr(name);
  auto converted = attr ? convert_attr(attr->value, AttrType::FLOAT) : std::nullopt;
  return converted ? std::get<double>(converted->value) : default_value;
}

Attrs attrs_of_scale_op(double factor) { return {{"scale", {AttrType::FLOAT, factor}}}; }

// beta * input + alpha * (x @ y)
void baddbmm(Translator& t, const Operation& op) {
  const Type& type = t.result_type(op, 0);
  std::string product = t.emit_to_new_variable(
      op, "matmul_v2", {{"X", {t.operand_variable(op, 1)}}, {"Y", {t.operand_variable(op, 2)}}}, {},
      type);
  std::string scaled =
      t.emit_to_new_variable(op, "scale", {{"X", {product}}},
                             attrs_of_scale_op(float_attr_or_default(op, "alpha", 1)), type);
  std::string input =
      t.emit_to_new_variable(op, "scale", {{"X", {t.operand_variable(op, 0)}}},
                             attrs_of_scale_op(float_attr_or_default(op, "beta", 1)), type);
  t.emit(op, "elementwise_add", {{"X", {input}}, {"Y", {scaled}}},
         {{"Out", {t.bind_result_in_place_or_new(op, 0)}}},
         {{"axis", {AttrType::INT, std::int64_t{-1}}}});
}

// Translates median: NaN if an element is NaN, otherwise the result of `nanmedian`.
void median(Translator& t, const Operation& op) {
  Type type = t.result_type(op, 0), flag_type = t.require_operand_binding(op, 0).type;
  t.translate_by_spec(op, *find_op_spec("nanmedian"));
  std::string result = t.last_op().outputs.at("Out").front();
  std::string without_nan = t.declare_variable_with_unique_name(result, type);
  t.last_op().outputs["Out"].front() = without_nan;
  Attrs attrs = t.last_op().attrs;
  auto axes = std::get<Ints>(attrs.at("axis").value);
  flag_type.dtype = DType::boolean;
  std::string is_nan =
      t.emit_to_new_variable(op, "isnan_v2", {{"X", {t.operand_variable(op, 0)}}}, {}, flag_type);
  flag_type.shape = type.shape;
  std::string has_nan = t.emit_to_new_variable(op, "reduce_any", {{"X", {is_nan}}},
                                               {{"dim", {AttrType::INTS, axes}},
                                                {"keep_dim", attrs.at("keepdim")},
                                                {"reduce_all", {AttrType::BOOLEAN, axes.empty()}}},
                                               flag_type);
  std::string nan = t.emit_to_new_variable(
      op, "fill_any_like", {{"X", {without_nan}}},
      {{"value", {AttrType::FLOAT, std::numeric_limits<double>::quiet_NaN()}},
       {"dtype", make_dtype_attr(type.dtype)}},
      type);
  t.emit(op, "where", {{"Condition", {has_nan}}, {"X", {nan}}, {"Y", {without_nan}}},
         {{"Out", {result}}});
}

// round(x * 10 ** decimals) / 10 ** decimals
void round_op(Translator& t, const Operation& op) {
  std::int64_t decimals = op.find_attr("decimals") ? t.int_attr(op, "decimals") : 0;
  if (decimals == 0) return t.translate_by_spec(op, *find_op_spec(op.name));
  const Type& type = t.result_type(op, 0);
  double power = std::pow(10.0, static_cast<double>(decimals));
  std::string scaled = t.emit_to_new_variable(op, "scale", {{"X", {t.operand_variable(op, 0)}}},
                                              attrs_of_scale_op(power), type);
  std::string rounded = t.emit_to_new_variable(op, "round", {{"X", {scaled}}}, {}, type);
  t.emit(op, "scale", {{"X", {rounded}}}, {{"Out", {t.bind_result_in_place_or_new(op, 0)}}},
         attrs_of_scale_op(1 / power));
}

// Translates svdvals to svd, of which only the singular values are used.
void svdvals(Translator& t, const Operation& op) {
  Type matrix = t.require_operand_binding(op, 0).type;
  matrix.shape.assign(matrix.shape.size(), -1);
  std::string u = t.declare_variable_with_unique_name("svdvals.u", matrix),
              vh = t.declare_variable_with_unique_name("svdvals.vh", matrix);
  t.emit(op, "svd", {{"X", {t.operand_variable(op, 0)}}},
         {{"U", {u}}, {"S", {t.bind_result_to_new_variable(op, 0)}}, {"VH", {vh}}},
         {{"full_matrices", {AttrType::BOOLEAN, false}}});
}

}  // namespace

std::span<const SpecialRule> composite_rules() {
  static constexpr SpecialRule rules[] = {
      {Dialect::pd_op, "shape64", shape64_op},
      {Dialect::pd_op, "strided_slice", strided_slice},
      {Dialect::pd_op, "set_value", set_value<false>},
      {Dialect::pd_op, "set_value_", set_value<false>},
      {Dialect::pd_op, "set_value_with_tensor", set_value<true>},
      {Dialect::pd_op, "set_value_with_tensor_", set_value<true>},
      {Dialect::pd_op, "assign_out_", assign_out},
      {Dialect::pd_op, "share_data", bind_result_to_operand},
      {Dialect::pd_op, "share_data_", bind_result_to_operand},
      {Dialect::pd_op, "memcpy", bind_result_to_operand},
      {Dialect::pd_op, "memcpy_d2h", bind_result_to_operand},
      {Dialect::pd_op, "memcpy_h2d", bind_result_to_operand},
      {Dialect::pd_op, "npu_identity", bind_result_to_operand},
      {Dialect::pd_op, "assert", translate_assert},
      {Dialect::pd_op, "swiglu", swiglu},
      {Dialect::pd_op, "copysign", copysign},
      {Dialect::pd_op, "copysign_", copysign},
      {Dialect::pd_op, "sum", reduce},
      {Dialect::pd_op, "mean", reduce},
      {Dialect::pd_op, "max", reduce},
      {Dialect::pd_op, "min", reduce},
      {Dialect::pd_op, "prod", reduce},
      {Dialect::pd_op, "all", reduce},
      {Dialect::pd_op, "any", reduce},
      {Dialect::pd_op, "amax", reduce},
      {Dialect::pd_op, "amin", reduce},
      {Dialect::pd_op, "logsumexp", reduce},
      {Dialect::pd_op, "baddbmm", baddbmm},
      {Dialect::pd_op, "baddbmm_", baddbmm},
      {Dialect::pd_op, "median", median},
      {Dialect::pd_op, "round", round_op},
      {Dialect::pd_op, "round_", round_op},
      {Dialect::pd_op, "svdvals", svdvals},
  };
  return rules;
}

}  // namespace oarlock::pir
