// Quantization, which Paddle simulates with integers (levels) stored as floats. Quantization with 8
// bits is converted to QuantizeLinear and DequantizeLinear, which engines fuse to ops that compute
// in eight bits. Quantization of non-negative values with 9 bits is converted in the same way:
// Paddle's levels are signed, and the non-negative ones of 9 bits are 0 to 255, which uint8 holds.
// Quantization with other numbers of bits stays simulated in floats.
//
// In this file, "scale" is Paddle's: the absolute value that the largest level represents. The
// "step" is the distance between two levels, scale / largest level, which ONNX calls scale.
#include <algorithm>
#include <cmath>

#include "convert/expression.h"
#include "convert/graph_builder.h"
#include "convert/operands.h"
#include "convert/quantized_conv_matmul.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// How a tensor is quantized.  bits: the width; axis: the axis with one scale per slice, -1 for a
// single scale; is_symmetric: whether the level -2^(bits-1) is not used, and halves are rounded
// away from zero instead of to even; is_max_scale: whether no absolute value exceeds the scale.
struct QuantFormat {
  std::int64_t bits, axis;
  bool is_symmetric, is_max_scale = false;

  double max_level() const { return static_cast<double>((std::int64_t{1} << (bits - 1)) - 1); }
};

QuantFormat make_validated_quant_format(NodeContext& n, std::int64_t bits, std::int64_t axis,
                                        bool is_symmetric) {
  n.require(bits > 1 && bits <= 16, "the number of bits is " + std::to_string(bits));
  return {bits, axis, is_symmetric};
}

QuantFormat read_quant_format(NodeContext& n, std::int64_t axis, bool is_symmetric) {
  return make_validated_quant_format(n, n.attr("bit_length", 8), axis, is_symmetric);
}

constexpr int kZeroPointOfSignedLevels = 128;  // the zero point of signed levels in uint8

// The type that holds quantized levels. dtype: int8, uint8 or DType::none; zero_point: the stored
// number of level 0.
struct LevelType {
  DType dtype = DType::none;
  int zero_point = 0;
};

// The 8-bit type of the levels to which `x` is quantized; empty if no 8-bit type holds them.
LevelType level_type(NodeContext& n, Value x, const QuantFormat& format, bool has_constant_step) {
  if (n.require_known_dtype(x) != DType::float32) return {};
  if (format.bits == 8) {
    bool is_signed = format.axis >= 0 || !has_constant_step || n.quantizes_activations_to_int8();
    return is_signed ? LevelType{DType::int8} : LevelType{DType::uint8, kZeroPointOfSignedLevels};
  }
  bool is_unsigned = format.bits == 9 && format.axis < 0 && is_known_nonnegative(n, x);
  return is_unsigned ? LevelType{DType::uint8} : LevelType{};
}

// The quantization scale, reshaped so that it broadcasts against `x`.
Expr reshape_scale_for_broadcast(const Expr& scale, const Expr& x, const QuantFormat& format) {
  NodeContext& n = scale.context();
  if (format.axis < 0) return {n, as_scalar(n, scale)};
  n.require(format.axis < n.require_known_rank(x),
            "there is no axis " + std::to_string(format.axis));
  Ints ones(static_cast<std::size_t>(n.require_known_rank(x)), 1);
  ones[static_cast<std::size_t>(format.axis)] = -1;
  return {n, n.reshape(scale, ones)};
}

constexpr double kMinScale = 1e-30;  // avoids division by zero: a scale of 0 yields zeros

// The quantization step as a constant, as engines require; Value{} if the scale is not constant.
Value constant_quant_step(NodeContext& n, Value scale, const QuantFormat& format) {
  auto values = find_constant_floats(n, scale);
  if (!values || (format.axis < 0 && values->size() != 1)) return {};
  Floats steps;
  for (float s : *values)
    steps.push_back(std::max(static_cast<double>(s), kMinScale) / format.max_level());
  return format.axis < 0 ? n.scalar(steps[0], DType::float32) : n.vector(steps, DType::float32);
}

// The quantization step, which is the divisor of QuantizeLinear: a scalar, or a vector along the
// attribute `axis` of QuantizeLinear.
Expr quant_step(const Expr& scale, const QuantFormat& format) {
  NodeContext& n = scale.context();
  if (auto known = constant_quant_step(n, scale, format)) return {n, known};
  Expr flat(n, format.axis < 0 ? as_scalar(n, scale) : n.reshape(scale, {-1}));
  return max(flat, kMinScale) / format.max_level();
}

NodeContext::Attrs onnx_axis_attrs_if_per_slice(const QuantFormat& format) {
  return format.axis < 0 ? NodeContext::Attrs{} : NodeContext::Attrs{{"axis", format.axis}};
}

// The zero point of `type`, repeated in the shape of `step`.
Value emit_zero_points(NodeContext& n, const Expr& step, const LevelType& type) {
  auto shape = n.shape(step);
  auto zero = static_cast<char>(type.zero_point);
  bool known = shape && std::count(shape->begin(), shape->end(), -1) == 0;
  if (known) {
    auto count = shape->empty() ? 1
                                : require_unrollable_size(n, std::max<std::int64_t>((*shape)[0], 1),
                                                          "the number of scales");
    return n.tensor({type.dtype, *shape, std::string(count, zero)});
  }
  return n.emit("Expand", {n.tensor({type.dtype, {}, std::string(1, zero)}), n.emit_shape(step)});
}

Expr clip_to_scale(const Expr& x, const Expr& scale) { return max(min(x, scale), -scale); }

// Quantizes x to levels as floats. If there is an 8-bit value (int8 or uint8) with the same levels,
// it is recorded as equivalent.
Expr emit_quantize_to_float_levels(const Expr& x, const Expr& scale, const QuantFormat& format) {
  NodeContext& n = x.context();
  auto broadcast_scale = reshape_scale_for_broadcast(scale, x, format);
  bool clips = format.is_symmetric && !format.is_max_scale;
  auto clipped = clips ? clip_to_scale(x, broadcast_scale) : x;
  auto step = quant_step(scale, format);
  LevelType type = level_type(n, x, format, n.find_constant(step).has_value());
  if (type.dtype == DType::none) {
    auto levels = clipped * (format.max_level() / max(broadcast_scale, kMinScale));
    if (format.is_symmetric) return round_half_away(levels);
    return max(min(levels.emit("Round"), format.max_level()), -format.max_level() - 1);
  }
  Expr levels_8bit(n, n.emit("QuantizeLinear", {clipped, step, emit_zero_points(n, step, type)},
                             onnx_axis_attrs_if_per_slice(format)));
  n.declare_type(levels_8bit, type.dtype, n.shape(x));
  auto stored = levels_8bit.to(DType::float32);
  auto levels = type.zero_point ? stored - type.zero_point : stored;
  n.set_equivalent_8bit_value(levels, levels_8bit);
  return levels;
}

// The zero point (the stored number of level 0) of an output of QuantizeLinear; 0 for weights.
int zero_point_of(NodeContext& n, Value levels_8bit) {
  const BuilderNode* node = n.find_producer(levels_8bit);
  if (n.dtype(levels_8bit) != DType::uint8 || !node || node->inputs.size() < 3) return 0;
  return static_cast<int>(n.find_constant_scalar(node->inputs[2]).value_or(0));
}

// A constant of integers from -128 to 127 as int8; Value{} for other values.
Value cast_int8_range_constant_or_none(NodeContext& n, Value x) {
  auto values = find_constant_floats(n, x);
  if (!values) return {};
  bool is_8bit = std::all_of(values->begin(), values->end(), [](float v) {
    return v >= -128 && v <= 127 && v == std::nearbyint(v);
  });
  return is_8bit ? n.cast(x, DType::int8) : Value{};
}

// The 8-bit value that is equivalent to the float levels `x`, int8 or uint8 as `format` needs;
// Value{} if there is none.
Value find_8bit_levels(NodeContext& n, Value x, const QuantFormat& format) {
  if (format.bits == 8 && n.dtype(x) == DType::int8) return x;
  auto levels_8bit = n.equivalent_8bit_value(x);
  bool is_signed =
      levels_8bit && (n.dtype(levels_8bit) == DType::int8 || zero_point_of(n, levels_8bit) != 0);
  if (levels_8bit && is_signed == (format.bits == 8)) return levels_8bit;
  return format.bits == 8 ? cast_int8_range_constant_or_none(n, x) : Value{};
}

// x * scale / max_level: DequantizeLinear if the 8-bit form of x is known and the scale is float32,
// otherwise multiplications.
Expr emit_dequantize(const Expr& x, const Expr& scale, const QuantFormat& format) {
  NodeContext& n = x.context();
  auto levels_8bit =
      format.bits == 8 || format.bits == 9 ? find_8bit_levels(n, x, format) : Value{};
  if (!levels_8bit || n.require_known_dtype(scale) != DType::float32)
    return x.to(n.require_known_dtype(scale)) * reshape_scale_for_broadcast(scale, x, format) /
           format.max_level();
  auto step = quant_step(scale, format);
  LevelType type{n.dtype(levels_8bit), zero_point_of(n, levels_8bit)};
  Expr y(n, n.emit("DequantizeLinear", {levels_8bit, step, emit_zero_points(n, step, type)},
                   onnx_axis_attrs_if_per_slice(format)));
  n.declare_type(y, DType::float32, n.shape(x));
  return y;
}

// ---- quantize_linear, dequantize_linear ----

QuantFormat read_quantize_linear_format(NodeContext& n, Value x) {
  auto axis = n.attr("quant_axis", 0);
  if (axis >= 0)
    n.require(axis < n.require_known_rank(x), "attribute 'quant_axis' is " + std::to_string(axis));
  if (axis >= 0) n.require_opset(13, "one scale per slice");
  return read_quant_format(n, std::max<std::int64_t>(axis, -1), n.attr("round_type", 0) == 1);
}

LowerFn quantize_or_dequantize_linear_rule(Expr (*f)(const Expr&, const Expr&,
                                                     const QuantFormat&)) {
  return [f](NodeContext& n) {
    auto x = input_expr(n, "X");
    if (n.attr("only_observer", false)) return n.set_output("Y", x);
    n.set_output("Y", f(x, input_expr(n, "Scale"), read_quantize_linear_format(n, x)));
  };
}

// ---- fake_quantize ops: the scale is learned or the largest absolute value ----

Expr max_abs_per_slice(const Expr& x, std::int64_t axis) {
  NodeContext& n = x.context();
  Ints axes;
  if (axis >= 0) axes = axes_except(n, n.require_known_rank(x), axis);
  return {n, n.reshape(reduce(n, "ReduceMax", abs(x), axes, false), {-1})};
}

void set_quantized_outputs(NodeContext& n, const Expr& x, const Expr& scale,
                           const QuantFormat& format, bool dequantizes) {
  auto levels = emit_quantize_to_float_levels(x, scale, format);
  n.set_output("Out", dequantizes ? emit_dequantize(levels, scale, format) : levels);
  n.set_output("OutScale", scale);
}

LowerFn fake_quantize_abs_max_rule(bool dequantizes) {
  return [dequantizes](NodeContext& n) {
    auto x = input_expr(n, "X");
    auto format = read_quant_format(n, -1, true);
    format.is_max_scale = true;
    set_quantized_outputs(n, x, max_abs_per_slice(x, -1), format, dequantizes);
  };
}

LowerFn fake_channel_wise_quantize_rule(bool dequantizes) {
  return [dequantizes](NodeContext& n) {
    auto x = input_expr(n, "X");
    n.require(n.require_known_rank(x) > 0, "has no slices");
    auto axis = n.normalized_axis_attr("quant_axis", 0, n.rank(x));
    auto format = read_quant_format(n, axis, true);
    format.is_max_scale = true;
    set_quantized_outputs(n, x, max_abs_per_slice(x, axis), format, dequantizes);
  };
}

LowerFn fake_quantize_learned_scale_rule(bool dequantizes) {
  return [dequantizes](NodeContext& n) {
    n.require(n.attr("is_test", false), "in training mode has no lowering");
    set_quantized_outputs(n, input_expr(n, "X"), input_expr(n, "InScale"),
                          read_quant_format(n, -1, true), dequantizes);
  };
}

void require_test_mode_and_pass_through(NodeContext& n) {
  n.require(n.attr("is_test", false), "in training mode has no lowering");
  n.set_output("Out", n.input("X"));
}

void lower_fake_dequantize_max_abs_op(NodeContext& n) {
  auto x = input_expr(n, "X");
  auto range = n.attr("max_range", 127.0f);
  if (range == 127)
    return n.set_output("Out", emit_dequantize(x, input_expr(n, "Scale"), {8, -1, true}));
  n.set_output("Out", x * Expr(n, as_scalar(n, n.input("Scale"))) / range);
}

// Scales contains the scales of the weights, one per slice; if X is the product of weights and an
// activation in levels, also the scale of the activation, one for all elements.
void lower_fake_channel_wise_dequantize_op(NodeContext& n) {
  auto x = input_expr(n, "X");
  auto scales = require_one_or_more_inputs(n, "Scales");
  auto bits = n.attr("quant_bits", Ints{8});
  n.require(n.require_known_rank(x) > 0, "has no slices");
  n.require(bits.size() >= scales.size() && scales.size() <= 2,
            "needs one number of bits for each of two scales");
  auto first = scales.size() == 1
                   ? n.normalized_axis_attr("quant_axis", 0, n.require_known_rank(x))
                   : n.normalized_axis_attr("x_num_col_dims", 1, n.require_known_rank(x));
  auto y = emit_dequantize(x, {n, scales[0]}, make_validated_quant_format(n, bits[0], first, true));
  n.set_output("Out", scales.size() == 1
                          ? y
                          : y * Expr(n, as_scalar(n, scales[1])) /
                                make_validated_quant_format(n, bits[1], -1, true).max_level());
}

}  // namespace

std::span<const Rule> quantize_rules() {
  static const Rule rules[] = {
      {"quantize_linear", 11, quantize_or_dequantize_linear_rule(emit_quantize_to_float_levels)},
      {"dequantize_linear", 11, quantize_or_dequantize_linear_rule(emit_dequantize)},
      {"fake_quantize_abs_max", 11, fake_quantize_abs_max_rule(false)},
      {"fake_quantize_dequantize_abs_max", 11, fake_quantize_abs_max_rule(true)},
      {"fake_channel_wise_quantize_abs_max", 13, fake_channel_wise_quantize_rule(false)},
      {"fake_channel_wise_quantize_dequantize_abs_max", 13, fake_channel_wise_quantize_rule(true)},
      {"fake_quantize_moving_average_abs_max", 11, fake_quantize_learned_scale_rule(false)},
      {"fake_quantize_range_abs_max", 11, fake_quantize_learned_scale_rule(false)},
      {"fake_quantize_dequantize_moving_average_abs_max", 11,
       fake_quantize_learned_scale_rule(true)},
      {"moving_average_abs_max_scale", 7, require_test_mode_and_pass_through},
      {"fake_dequantize_max_abs", 11, lower_fake_dequantize_max_abs_op},
      {"fake_channel_wise_dequantize_max_abs", 13, lower_fake_channel_wise_dequantize_op},
  };
  return rules;
}

}  // namespace oarlock
