// Elementwise functions of one input, and casts.
#include <cmath>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// A rule for an ONNX op of floats; integer inputs are cast to the declared dtype of the output if
// it is a float, else to float32.
LowerFn float_output_op_rule(std::string_view onnx) {
  return [onnx](NodeContext& n) {
    n.set_output("Out", n.emit(onnx, {cast_to_floating(n, n.input("X"))}));
  };
}

// A rule that computes formula `f`; integer inputs are cast to a float dtype.
LowerFn float_output_formula_rule(Expr (*f)(const Expr&)) {
  return
      [f](NodeContext& n) { n.set_output("Out", f(Expr(n, cast_to_floating(n, n.input("X"))))); };
}

// A rule for a float formula; dtypes other than float64 use an ONNX op instead.
LowerFn op_or_float64_formula_rule(std::string_view onnx, Expr (*f)(const Expr&)) {
  return [onnx, f](NodeContext& n) {
    Expr x(n, cast_to_floating(n, n.input("X")));
    n.set_output("Out", n.dtype(x) == DType::float64 ? f(x) : x.emit(onnx));
  };
}

LowerFn log_base_rule(double base) {
  return [base](NodeContext& n) {
    n.set_output("Out", log(Expr(n, cast_to_floating(n, n.input("X")))) * (1 / std::log(base)));
  };
}

// log(u) * x / (u - 1) with u = 1 + x compensates for the rounding of 1 + x.  W.  Kahan; see D.
// Goldberg, "What Every Computer Scientist Should Know About Floating-Point Arithmetic", theorem 4.
Expr log1p(const Expr& x) {
  auto u = x + 1, back = u - 1;
  auto ratio = where(u == x, 1, x / back);
  return where(back == 0, x, log(u) * ratio);
}

// expm1: near zero 2 t / (1 - t) with t = tanh(x / 2), where exp(x) - 1 would be inaccurate.
Expr expm1(const Expr& x) {
  auto t = tanh(x * 0.5);
  return where(abs(x) < 0.5, t * 2 / (1 - t), exp(x) - 1);
}

Expr trunc(const Expr& x) { return where(x < 0, ceil(x), floor(x)); }

Expr tan_formula(const Expr& x) { return x.emit("Sin") / x.emit("Cos"); }

Expr sinh_formula(const Expr& x) {
  auto e = expm1(abs(x));  // may be infinite
  return sign(x) * (e * (1 + 1 / (e + 1)) * 0.5);
}

Expr cosh_formula(const Expr& x) { return (exp(x) + exp(-x)) * 0.5; }

Expr rsqrt(const Expr& x) { return sqrt(x).emit("Reciprocal"); }

void square(NodeContext& n) {
  auto x = input_expr(n, "X");
  n.set_output("Out", x * x);
}

// A rule for a rounding formula; integer inputs are returned unchanged.
LowerFn rounding_formula_rule(Expr (*f)(const Expr&)) {
  return [f](NodeContext& n) {
    auto x = input_expr(n, "X");
    n.set_output("Out", is_integer(n.require_known_dtype(x)) ? x : f(x));
  };
}

void lower_pow_op(NodeContext& n) {
  auto x = n.input("X");
  auto variable = n.has_input("FactorTensor") ? n.input("FactorTensor")
                                              : n.value_of_variable_attr_or_empty("factor");
  if (variable)
    return n.set_output(
        "Out", n.emit("Pow", {x, n.cast(as_scalar(n, variable), n.require_known_dtype(x))}));
  auto factor = n.attr("factor", 1.0f);
  if (is_integer(n.require_known_dtype(x)) && factor != 1 && factor != 2) n.require_opset(12);
  if (factor == 1) return n.set_output("Out", x);
  n.set_output("Out",
               factor == 2 ? n.emit("Mul", {x, x}) : n.emit("Pow", {x, n.scalar_like(factor, x)}));
}

// A bound of clip as a scalar of the dtype of x, from the input in `slot`, a variable, or attribute
// `attr`.
Value read_clip_bound(NodeContext& n, std::string_view slot, std::string_view attr, Value x,
                      float default_value) {
  auto variable = n.has_input(slot) ? n.input(slot) : n.value_of_variable_attr_or_empty(attr);
  if (variable) return n.cast(as_scalar(n, variable), n.require_known_dtype(x));
  return n.scalar_like(n.attr(attr, default_value), x);
}

void lower_clip_op(NodeContext& n) {
  auto x = n.input("X");
  if (n.require_known_dtype(x) != DType::float32) n.require_opset(12);
  if (n.opset() < 8 && !n.has_input("Min") && !n.has_input("Max") &&
      !n.value_of_variable_attr_or_empty("min") && !n.value_of_variable_attr_or_empty("max"))
    return n.set_output(
        "Out",
        n.emit("Clip", {x}, {{"min", n.attr("min", -INFINITY)}, {"max", n.attr("max", INFINITY)}}));
  auto low = read_clip_bound(n, "Min", "min", x, -INFINITY),
       high = read_clip_bound(n, "Max", "max", x, INFINITY);
  if (n.opset() >= 11 && n.dtype(x) != DType::int16)
    return n.set_output("Out", n.emit("Clip", {x, low, high}));
  n.set_output("Out", n.emit("Min", {n.emit("Max", {x, low}), high}));
}

// The op `angle` of real numbers: pi if x < 0, otherwise 0.
void angle(NodeContext& n) {
  auto x = input_expr(n, "X");
  n.set_output("Out", where(x < 0, M_PI, 0, n.require_known_dtype(x)));
}

void cast(NodeContext& n) {
  auto x = input_expr(n, "X");
  auto to = n.attr("out_dtype", n.declared_output_dtype());
  if (!is_complex(to)) return n.set_output("Out", x.to(to));
  auto re = x.to(complex_part_dtype(to));
  n.set_output("Out", n.make_complex_value_outside_graph(re, full_like(re, 0, re.emit("Shape"))));
}

LowerFn pass_through_rule(std::string_view slot) {
  return [slot](NodeContext& n) { n.set_output("Out", n.input(slot)); };
}

}  // namespace

std::span<const Rule> unary_math_rules() {
  static const Rule rules[] = {
      {"exp", 7, float_output_op_rule("Exp")},
      {"log", 7, float_output_op_rule("Log")},
      {"log2", 7, log_base_rule(2)},
      {"log10", 7, log_base_rule(10)},
      {"log1p", 11, float_output_formula_rule(log1p)},
      {"expm1", 11, float_output_formula_rule(expm1)},
      {"sqrt", 7, float_output_op_rule("Sqrt")},
      {"rsqrt", 7, float_output_formula_rule(rsqrt)},
      {"square", 7, square},
      {"reciprocal", 7, float_output_op_rule("Reciprocal")},
      {"abs", 7, single_op_rule("Abs", {"X"})},
      {"sign", 9, single_op_rule("Sign", {"X"})},
      {"floor", 7, rounding_formula_rule(floor)},
      {"ceil", 7, rounding_formula_rule(ceil)},
      {"round", 9, rounding_formula_rule(round_half_away)},
      {"trunc", 9, rounding_formula_rule(trunc)},
      {"sin", 7, float_output_op_rule("Sin")},
      {"cos", 7, float_output_op_rule("Cos")},
      {"tan", 7, op_or_float64_formula_rule("Tan", tan_formula)},
      {"asin", 7, float_output_op_rule("Asin")},
      {"acos", 7, float_output_op_rule("Acos")},
      {"atan", 7, float_output_op_rule("Atan")},
      {"sinh", 9, op_or_float64_formula_rule("Sinh", sinh_formula)},
      {"cosh", 9, op_or_float64_formula_rule("Cosh", cosh_formula)},
      {"asinh", 9, float_output_op_rule("Asinh")},
      {"acosh", 9, float_output_op_rule("Acosh")},
      {"atanh", 9, float_output_op_rule("Atanh")},
      {"erf", 9, float_output_op_rule("Erf")},
      {"pow", 7, lower_pow_op},
      {"clip", 7, lower_clip_op},
      {"angle", 9, angle},
      {"conj", 7, pass_through_rule("X")},
      {"cast", 7, cast, {.lod = OutputTraits::propagate}},
      {"assign",
       7,
       [](NodeContext& n) { n.set_output("Out", n.sequence_input_or_empty_if_unwritten("X")); },
       {.lod = OutputTraits::propagate}},
      {"rnn_memory_helper", 7, pass_through_rule("X")},
      {"share_data", 7, pass_through_rule("X")},
  };
  return rules;
}

}  // namespace oarlock
