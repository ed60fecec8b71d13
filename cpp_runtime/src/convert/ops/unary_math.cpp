// Functions of one number, and changes of its type.
#include <cmath>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// An integer counts as a float where the program declares the result as one.
Lower of_float(std::string_view onnx) {
  return [onnx](Node& n) { n.out("Out", n.emit(onnx, {floating(n, n.in("X"))})); };
}

// Functions of one float, given as a formula.
Lower formula(Expr (*f)(const Expr&)) {
  return [f](Node& n) { n.out("Out", f(Expr(n, floating(n, n.in("X"))))); };
}

// The same, where ONNX Runtime has a kernel for all but doubles.
Lower or_for_doubles(std::string_view onnx, Expr (*f)(const Expr&)) {
  return [onnx, f](Node& n) {
    Expr x(n, floating(n, n.in("X")));
    n.out("Out", n.dtype(x) == DType::float64 ? f(x) : x.emit(onnx));
  };
}

Lower log_to(double base) {
  return [base](Node& n) {
    n.out("Out", log(Expr(n, floating(n, n.in("X")))) * (1 / std::log(base)));
  };
}

// log(u) * x / (u - 1) with u = 1 + x makes up for the digits that 1 + x loses.
// W. Kahan; see D. Goldberg, "What Every Computer Scientist Should Know About Floating-Point
// Arithmetic", theorem 4.
Expr log1p(const Expr& x) {
  auto u = x + 1, back = u - 1;
  auto ratio = where(u == x, 1, x / back);
  return where(back == 0, x, log(u) * ratio);
}

// Near zero 2 t / (1 - t) with t = tanh(x / 2); elsewhere exp(x) - 1 loses nothing.
Expr expm1(const Expr& x) {
  auto t = tanh(x * 0.5);
  return where(abs(x) < 0.5, t * 2 / (1 - t), exp(x) - 1);
}

Expr trunc(const Expr& x) { return where(x < 0, ceil(x), floor(x)); }

Expr tan_by_parts(const Expr& x) { return x.emit("Sin") / x.emit("Cos"); }

Expr sinh_by_exp(const Expr& x) {
  auto e = expm1(abs(x));
  return sign(x) * ((e + e / (e + 1)) * 0.5);
}

Expr cosh_by_exp(const Expr& x) { return (exp(x) + exp(-x)) * 0.5; }

Expr rsqrt(const Expr& x) { return sqrt(x).emit("Reciprocal"); }

void square(Node& n) {
  auto x = in(n, "X");
  n.out("Out", x * x);
}

// Integers are whole as they are.
Lower to_whole(Expr (*f)(const Expr&)) {
  return [f](Node& n) {
    auto x = in(n, "X");
    n.out("Out", is_integer(n.need_dtype(x)) ? x : f(x));
  };
}

void power(Node& n) {
  auto x = n.in("X");
  auto variable = n.has("FactorTensor") ? n.in("FactorTensor") : n.attr_tensor("factor");
  if (!variable.empty())
    return n.out("Out", n.emit("Pow", {x, n.cast(as_scalar(n, variable), n.need_dtype(x))}));
  auto factor = n.attr("factor", 1.0f);
  if (is_integer(n.need_dtype(x)) && factor != 1 && factor != 2) n.need_opset(12);
  if (factor == 1) return n.out("Out", x);
  n.out("Out", factor == 2 ? n.emit("Mul", {x, x}) : n.emit("Pow", {x, n.scalar_like(factor, x)}));
}

// An attribute that the dtype cannot hold is as good as no bound.
Value bound(Node& n, std::string_view slot, std::string_view attr, const Value& x,
            float otherwise) {
  auto variable = n.has(slot) ? n.in(slot) : n.attr_tensor(attr);
  if (!variable.empty()) return n.cast(as_scalar(n, variable), n.need_dtype(x));
  return n.scalar_like(n.attr(attr, otherwise), x);
}

void clip(Node& n) {
  auto x = n.in("X");
  if (n.need_dtype(x) != DType::float32) n.need_opset(12);
  if (n.opset() < 8 && !n.has("Min") && !n.has("Max") && n.attr_tensor("min").empty() &&
      n.attr_tensor("max").empty())
    return n.out(
        "Out",
        n.emit("Clip", {x}, {{"min", n.attr("min", -INFINITY)}, {"max", n.attr("max", INFINITY)}}));
  auto low = bound(n, "Min", "min", x, -INFINITY), high = bound(n, "Max", "max", x, INFINITY);
  if (n.opset() >= 11 && n.dtype(x) != DType::int16)
    return n.out("Out", n.emit("Clip", {x, low, high}));
  n.out("Out", n.emit("Min", {n.emit("Max", {x, low}), high}));
}

// Of a real number: 0, or half a turn.
void angle(Node& n) {
  auto x = in(n, "X");
  n.out("Out", where(x < 0, M_PI, 0, n.need_dtype(x)));
}

void cast(Node& n) {
  auto x = in(n, "X");
  auto to = n.attr("out_dtype", n.out_dtype());
  if (!is_complex(to)) return n.out("Out", x.to(to));
  auto re = x.to(part_of(to));
  n.out("Out", n.complex(re, re - re));
}

Lower same(std::string_view slot) {
  return [slot](Node& n) { n.out("Out", n.in(slot)); };
}

}  // namespace

std::span<const Rule> math_rules() {
  static const Rule rules[] = {
      {"exp", 7, of_float("Exp")},
      {"log", 7, of_float("Log")},
      {"log2", 7, log_to(2)},
      {"log10", 7, log_to(10)},
      {"log1p", 11, formula(log1p)},
      {"expm1", 11, formula(expm1)},
      {"sqrt", 7, of_float("Sqrt")},
      {"rsqrt", 7, formula(rsqrt)},
      {"square", 7, square},
      {"reciprocal", 7, of_float("Reciprocal")},
      {"abs", 7, as("Abs", {"X"})},
      {"sign", 9, as("Sign", {"X"})},
      {"floor", 7, to_whole(floor)},
      {"ceil", 7, to_whole(ceil)},
      {"round", 9, to_whole(round_half_away)},
      {"trunc", 9, to_whole(trunc)},
      {"sin", 7, of_float("Sin")},
      {"cos", 7, of_float("Cos")},
      {"tan", 7, or_for_doubles("Tan", tan_by_parts)},
      {"asin", 7, of_float("Asin")},
      {"acos", 7, of_float("Acos")},
      {"atan", 7, of_float("Atan")},
      {"sinh", 9, or_for_doubles("Sinh", sinh_by_exp)},
      {"cosh", 9, or_for_doubles("Cosh", cosh_by_exp)},
      {"asinh", 9, of_float("Asinh")},
      {"acosh", 9, of_float("Acosh")},
      {"atanh", 9, of_float("Atanh")},
      {"erf", 9, of_float("Erf")},
      {"pow", 7, power},
      {"clip", 7, clip},
      {"angle", 9, angle},
      {"conj", 7, same("X")},
      {"cast", 7, cast, {.offsets = Facts::handed_on}},
      {"assign",
       7,
       [](Node& n) { n.out("Out", n.in_or_empty("X")); },
       {.offsets = Facts::handed_on}},
      {"rnn_memory_helper", 7, same("X")},
      {"share_data", 7, same("X")},
  };
  return rules;
}

}  // namespace oarlock
