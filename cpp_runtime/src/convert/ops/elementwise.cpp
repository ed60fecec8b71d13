// Elementwise ops of two inputs with Paddle's broadcasting; sum, lerp, scale and increment.
#include <cmath>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/quantized_conv_matmul.h"
#include "convert/registry.h"
#include "convert/runtime_assert.h"

namespace oarlock {
namespace {

bool is_integer_expr(const Expr& x) { return is_integer(x.context().require_known_dtype(x)); }

struct OperandExprs {
  Expr x, y;
};

OperandExprs read_operand_exprs(NodeContext& n, std::string_view slot_x = "X",
                                std::string_view slot_y = "Y") {
  auto [x, y] = read_operands_aligned_by_axis_attr(n, slot_x, slot_y);
  return {{n, x}, {n, y}};
}

// Returns a rule that computes Out as the formula `f` of the inputs X and Y.
LowerFn binary_formula_rule(Expr (*f)(const Expr&, const Expr&)) {
  return [f](NodeContext& n) {
    auto [x, y] = read_operand_exprs(n);
    n.set_output("Out", f(x, y));
  };
}

// A rule that emits the ONNX op `onnx` for numbers and the op `logical` for bools.
LowerFn arithmetic_or_logical_rule(std::string_view onnx, std::string_view logical) {
  return [onnx, logical](NodeContext& n) {
    auto [x, y] = read_operand_exprs(n);
    n.set_output("Out", x.emit(n.dtype(x) == DType::boolean ? logical : onnx, {y}));
  };
}

void add(NodeContext& n) {
  auto [x, y] = read_operand_exprs(n);
  if (auto sum = try_add_bias_to_quantized_conv_or_matmul(n, x, y)) return n.set_output("Out", sum);
  n.set_output("Out", x.emit(n.dtype(x) == DType::boolean ? "Or" : "Add", {y}));
}

// ---- minimum and maximum ----

// Emits Min or Max; int16 operands are cast to int32, because ONNX Runtime's kernels do not support
// int16.
Expr emit_min_max_via_int32_for_int16(const Expr& x, const Expr& y, std::string_view onnx) {
  NodeContext& n = x.context();
  if (is_integer_expr(x)) n.require_opset(12);
  if (n.dtype(x) != DType::int16) return x.emit(onnx, {y});
  return x.to(DType::int32).emit(onnx, {y.to(DType::int32)}).to(DType::int16);
}

LowerFn min_max_rule(std::string_view onnx, std::string_view logical) {
  return [onnx, logical](NodeContext& n) {
    auto [x, y] = read_operand_exprs(n);
    n.set_output("Out", n.dtype(x) == DType::boolean
                            ? x.emit(logical, {y})
                            : emit_min_max_via_int32_for_int16(x, y, onnx));
  };
}

// NaN is ignored.
LowerFn nan_ignoring_min_max_rule(std::string_view onnx) {
  return [onnx](NodeContext& n) {
    auto [x, y] = read_operand_exprs(n);
    auto result = emit_min_max_via_int32_for_int16(x, y, onnx);
    if (is_integer_expr(x)) return n.set_output("Out", result);
    n.set_output("Out", where(isnan(x), y, where(isnan(y), x, result)));
  };
}

// The Heaviside function: 0 for x < 0, 1 for x > 0, y for x = 0.
Expr heaviside(const Expr& x, const Expr& y) {
  auto step = (x > 0).to(x.context().require_known_dtype(x));
  return where(x == 0, y, is_integer_expr(x) ? step : where(isnan(x), x, step));
}

// ---- division: integers must not be divided by zero, which would end the process ----

Expr divide(const Expr& x, const Expr& y) {
  if (x.context().dtype(x) == DType::boolean) return x && y;  // division by true returns x
  return x / (is_integer_expr(x) ? Expr(x.context(), assert_nonzero_divisor(x.context(), y)) : y);
}

// Whether a remainder and the divisor have different signs.
Expr has_opposite_sign(const Expr& remainder, const Expr& y) {
  return sign(remainder) * sign(y) < 0;
}

// Paddle rounds integer quotients down, but ONNX truncates them, so one is subtracted from the ONNX
// quotient if the remainder and the divisor have opposite signs.
Expr int_floordiv(const Expr& x, const Expr& y) {
  auto quotient = divide(x, y);
  return quotient - has_opposite_sign(x - quotient * y, y).to(x.context().require_known_dtype(x));
}

// The floor of the exact quotient, not of the rounded one: 1 / 0.1 is rounded to 10, but the float
// next to 0.1 is larger than 0.1 and fits into 1 only 9 times.
Expr floordiv(const Expr& x, const Expr& y) {
  if (is_integer_expr(x)) return int_floordiv(x, y);
  NodeContext& n = x.context();
  n.require_opset(11);  // floats are compared with 0
  Expr remainder(n, n.emit("Mod", {x, y}, {{"fmod", std::int64_t{1}}}));
  auto exact = (x - remainder) / y,
       times = where(has_opposite_sign(remainder, y), exact - 1, exact), below = floor(times);
  return where(y == 0, x / y, below + (times - below > 0.5).to(n.require_known_dtype(x)));
}

// The remainder with the sign of the divisor. ONNX's Mod computes this sign for integers only, so
// the remainder of floats is corrected.
Expr mod(const Expr& x, const Expr& y) {
  NodeContext& n = x.context();
  if (is_integer_expr(x)) return x.emit("Mod", {assert_nonzero_divisor(n, y)});
  Expr remainder(n, n.emit("Mod", {x, y}, {{"fmod", std::int64_t{1}}}));
  return where(has_opposite_sign(remainder, y), remainder + y, remainder);
}

Expr power(const Expr& x, const Expr& y) {
  if (is_integer_expr(x)) x.context().require_opset(12);
  return x.emit("Pow", {y});
}

// ---- angles ----

// Whether the sign bit is set; 1 / v shows the sign of zero.
Expr has_sign_bit(const Expr& v) { return v < 0 || 1 / v < 0; }

}  // namespace

// The angle of the vector (x, y), as atan2: angles up to pi/4 by atan of the smaller divided by the
// larger side, all others by symmetry.
Expr polar_angle(const Expr& y, const Expr& x) {
  auto height = abs(y), width = abs(x), larger = max(height, width);
  auto ratio = where(height == width, where(larger == 0, larger, larger.scalar_like(1)),
                     min(height, width) / larger);
  auto low = atan(where(isnan(height + width), height + width, ratio));
  auto upper = where(height > width, M_PI / 2 - low, low);
  auto half = where(has_sign_bit(x), M_PI - upper, upper);
  return where(has_sign_bit(y), -half, half);
}

namespace {

void atan2(NodeContext& n) {
  Expr y(n, cast_to_floating(n, n.input("X1"))), x(n, cast_to_floating(n, n.input("X2")));
  n.set_output("Out", polar_angle(y, x));
}

// ---- other numbers of inputs ----

// x + weight * (y - x)
void lerp(NodeContext& n) {
  auto x = input_expr(n, "X");
  n.set_output("Out", x + input_expr(n, "Weight") * (input_expr(n, "Y") - x));
}

void lower_sum_op(NodeContext& n) {
  auto parts = require_one_or_more_inputs(n, "X");
  Expr total(n, parts[0]);
  for (std::size_t i = 1; i < parts.size(); ++i) total = total + Expr(n, parts[i]);
  n.set_output("Out", total);
}

// Wraps a number around if `dtype` is uint8: -1 becomes 255.
double wrap_number_if_uint8(double v, DType dtype) {
  if (dtype != DType::uint8 || !(std::abs(v) < 1e9)) return v;
  return static_cast<double>(static_cast<std::uint8_t>(static_cast<std::int64_t>(v)));
}

// scale * x + bias, or scale * (x + bias); for integer x both are truncated first
void scale(NodeContext& n) {
  auto x = input_expr(n, "X");
  auto dtype = n.require_known_dtype(x);
  double scale = wrap_number_if_uint8(n.attr("scale", 1.0), dtype),
         bias = wrap_number_if_uint8(n.attr("bias", 0.0), dtype);
  auto variable = n.has_input("ScaleTensor") ? n.input("ScaleTensor")
                                             : n.value_of_variable_attr_or_empty("scale");
  auto scaled = [&](const Expr& v) {
    return variable ? v * Expr(n, n.cast(as_scalar(n, variable), dtype)) : v * scale;
  };
  n.set_output("Out", n.attr("bias_after_scale", true) ? scaled(x) + bias : scaled(x + bias));
}

void increment(NodeContext& n) {
  auto x = input_expr(n, "X");
  n.set_output("Out", x + x.scalar_like(n.attr("step", 1.0f)));
}

Expr subtraction(const Expr& x, const Expr& y) { return x - y; }

}  // namespace

std::span<const Rule> elementwise_rules() {
  static const Rule rules[] = {
      {"elementwise_add", 7, add},
      {"elementwise_sub", 7, binary_formula_rule(subtraction)},
      {"elementwise_mul", 7, arithmetic_or_logical_rule("Mul", "And")},
      {"elementwise_div", 7, binary_formula_rule(divide)},
      {"elementwise_floordiv", 9, binary_formula_rule(floordiv)},
      {"elementwise_mod", 10, binary_formula_rule(mod)},
      {"elementwise_pow", 7, binary_formula_rule(power)},
      {"elementwise_max", 8, min_max_rule("Max", "Or")},
      {"elementwise_min", 8, min_max_rule("Min", "And")},
      {"elementwise_fmax", 9, nan_ignoring_min_max_rule("Max")},
      {"elementwise_fmin", 9, nan_ignoring_min_max_rule("Min")},
      {"elementwise_heaviside", 11, binary_formula_rule(heaviside)},
      {"atan2", 11, atan2},
      {"lerp", 7, lerp},
      {"sum", 7, lower_sum_op},
      {"scale", 7, scale, {.lod = OutputTraits::propagate}},
      {"increment", 7, increment},
  };
  return rules;
}

}  // namespace oarlock
