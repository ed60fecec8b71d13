// Elementwise functions of one input, and casts.
#include <cmath>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// Integers are cast if the program declares a float output.
LowerFn float_op(std::string_view onnx) {
  return [onnx](NodeContext& n) { n.out("Out", n.emit(onnx, {as_floating(n, n.in("X"))})); };
}

// A rule for a float formula.
LowerFn formula(Expr (*f)(const Expr&)) {
  return [f](NodeContext& n) { n.out("Out", f(Expr(n, as_floating(n, n.in("X"))))); };
}

// A rule for a float formula; dtypes other than float64 use an ONNX op instead.
LowerFn op_or_formula(std::string_view onnx, Expr (*f)(const Expr&)) {
  return [onnx, f](NodeContext& n) {
    Expr x(n, as_floating(n, n.in("X")));
    n.out("Out", n.dtype(x) == DType::float64 ? f(x) : x.emit(onnx));
  };
}

LowerFn log_to(double base) {
  return [base](NodeContext& n) {
    n.out("Out", log(Expr(n, as_floating(n, n.in("X")))) * (1 / std::log(base)));
  };
}

// log(u) * x / (u - 1) with u = 1 + x compensates for the rounding of 1 + x.  W.  Kahan; see D.
// Goldberg, "What Every Computer Scientist Should Know About Floating-Point Arithmetic", theorem 4.
Expr log1p(const Expr& x) {
  auto u = x + 1, back = u - 1;
  auto ratio = where(u == x, 1, x / back);
  return where(back == 0, x, log(u) * ratio);
}

// Near zero 2 t / (1 - t) with t = tanh(x / 2); elsewhere exp(x) - 1 is accurate.
Expr expm1(const Expr& x) {
  auto t = tanh(x * 0.5);
  return where(abs(x) < 0.5, t * 2 / (1 - t), exp(x) - 1);
}

Expr trunc(const Expr& x) { return where(x < 0, ceil(x), floor(x)); }

Expr tan_formula(const Expr& x) { return x.emit("Sin") / x.emit("Cos"); }

Expr sinh_formula(const Expr& x) {
  auto e = expm1(abs(x));
  return sign(x) * ((e + e / (e + 1)) * 0.5);
}

Expr cosh_formula(const Expr& x) { return (exp(x) + exp(-x)) * 0.5; }

Expr rsqrt(const Expr& x) { return sqrt(x).emit("Reciprocal"); }

void square(NodeContext& n) {
  auto x = in(n, "X");
  n.out("Out", x * x);
}

// Integers are returned unchanged.
LowerFn rounding(Expr (*f)(const Expr&)) {
  return [f](NodeContext& n) {
    auto x = in(n, "X");
    n.out("Out", is_integer(n.require_dtype(x)) ? x : f(x));
  };
}

void power(NodeContext& n) {
  auto x = n.in("X");
  auto variable = n.has("FactorTensor") ? n.in("FactorTensor") : n.attr_tensor("factor");
  if (variable)
    return n.out("Out", n.emit("Pow", {x, n.cast(as_scalar(n, variable), n.require_dtype(x))}));
  auto factor = n.attr("factor", 1.0f);
  if (is_integer(n.require_dtype(x)) && factor != 1 && factor != 2) n.require_opset(12);
  if (factor == 1) return n.out("Out", x);
  n.out("Out", factor == 2 ? n.emit("Mul", {x, x}) : n.emit("Pow", {x, n.scalar_like(factor, x)}));
}

// The bound as a scalar of the dtype of x: a variable, or the attribute.
Value clip_bound(NodeContext& n, std::string_view slot, std::string_view attr, Value x,
                 float default_value) {
  auto variable = n.has(slot) ? n.in(slot) : n.attr_tensor(attr);
  if (variable) return n.cast(as_scalar(n, variable), n.require_dtype(x));
  return n.scalar_like(n.attr(attr, default_value), x);
}

void clip(NodeContext& n) {
  auto x = n.in("X");
  if (n.require_dtype(x) != DType::float32) n.require_opset(12);
  if (n.opset() < 8 && !n.has("Min") && !n.has("Max") && !n.attr_tensor("min") &&
      !n.attr_tensor("max"))
    return n.out(
        "Out",
        n.emit("Clip", {x}, {{"min", n.attr("min", -INFINITY)}, {"max", n.attr("max", INFINITY)}}));
  auto low = clip_bound(n, "Min", "min", x, -INFINITY),
       high = clip_bound(n, "Max", "max", x, INFINITY);
  if (n.opset() >= 11 && n.dtype(x) != DType::int16)
    return n.out("Out", n.emit("Clip", {x, low, high}));
  n.out("Out", n.emit("Min", {n.emit("Max", {x, low}), high}));
}

// The angle of a real number: 0 or pi.
void angle(NodeContext& n) {
  auto x = in(n, "X");
  n.out("Out", where(x < 0, M_PI, 0, n.require_dtype(x)));
}

void cast(NodeContext& n) {
  auto x = in(n, "X");
  auto to = n.attr("out_dtype", n.out_dtype());
  if (!is_complex(to)) return n.out("Out", x.to(to));
  auto re = x.to(part_of(to));
  n.out("Out", n.complex(re, re - re));
}

LowerFn identity(std::string_view slot) {
  return [slot](NodeContext& n) { n.out("Out", n.in(slot)); };
}

}  // namespace

std::span<const Rule> unary_math_rules() {
  static const Rule rules[] = {
      {"exp", 7, float_op("Exp")},
      {"log", 7, float_op("Log")},
      {"log2", 7, log_to(2)},
      {"log10", 7, log_to(10)},
      {"log1p", 11, formula(log1p)},
      {"expm1", 11, formula(expm1)},
      {"sqrt", 7, float_op("Sqrt")},
      {"rsqrt", 7, formula(rsqrt)},
      {"square", 7, square},
      {"reciprocal", 7, float_op("Reciprocal")},
      {"abs", 7, lower_to("Abs", {"X"})},
      {"sign", 9, lower_to("Sign", {"X"})},
      {"floor", 7, rounding(floor)},
      {"ceil", 7, rounding(ceil)},
      {"round", 9, rounding(round_half_away)},
      {"trunc", 9, rounding(trunc)},
      {"sin", 7, float_op("Sin")},
      {"cos", 7, float_op("Cos")},
      {"tan", 7, op_or_formula("Tan", tan_formula)},
      {"asin", 7, float_op("Asin")},
      {"acos", 7, float_op("Acos")},
      {"atan", 7, float_op("Atan")},
      {"sinh", 9, op_or_formula("Sinh", sinh_formula)},
      {"cosh", 9, op_or_formula("Cosh", cosh_formula)},
      {"asinh", 9, float_op("Asinh")},
      {"acosh", 9, float_op("Acosh")},
      {"atanh", 9, float_op("Atanh")},
      {"erf", 9, float_op("Erf")},
      {"pow", 7, power},
      {"clip", 7, clip},
      {"angle", 9, angle},
      {"conj", 7, identity("X")},
      {"cast", 7, cast, {.lod = OpTraits::propagate}},
      {"assign",
       7,
       [](NodeContext& n) { n.out("Out", n.in_or_empty("X")); },
       {.lod = OpTraits::propagate}},
      {"rnn_memory_helper", 7, identity("X")},
      {"share_data", 7, identity("X")},
  };
  return rules;
}

}  // namespace oarlock
