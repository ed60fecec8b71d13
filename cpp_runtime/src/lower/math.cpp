// Functions of one number, and changes of its type.
#include <cmath>

#include "lower/operands.h"
#include "lower/rules.h"

namespace oarlock {
namespace {

// An integer counts as a float where the program declares the result as one.
Lower of_float(std::string_view onnx) {
  return [onnx](Node& n) { n.out("Out", n.emit(onnx, {floating(n, n.in("X"))})); };
}

// Functions of one float, given as a formula.
Lower formula(Value (*f)(Node&, const Value&)) {
  return [f](Node& n) { n.out("Out", f(n, floating(n, n.in("X")))); };
}

// The same, where ONNX Runtime has a kernel for all but doubles.
Lower or_for_doubles(std::string_view onnx, Value (*f)(Node&, const Value&)) {
  return [onnx, f](Node& n) {
    auto x = floating(n, n.in("X"));
    n.out("Out", n.dtype(x) == DType::float64 ? f(n, x) : n.emit(onnx, {x}));
  };
}

Value add(Node& n, const Value& v, double what) { return n.emit("Add", {v, n.scalar_like(what, v)}); }
Value mul(Node& n, const Value& v, double by) { return n.emit("Mul", {v, n.scalar_like(by, v)}); }

Lower log_to(double base) {
  return [base](Node& n) {
    auto x = floating(n, n.in("X"));
    n.out("Out", mul(n, n.emit("Log", {x}), 1 / std::log(base)));
  };
}

// log(u) * x / (u - 1) with u = 1 + x makes up for the digits that 1 + x loses.
// W. Kahan; see D. Goldberg, "What Every Computer Scientist Should Know About Floating-Point Arithmetic", theorem 4.
Value log1p(Node& n, const Value& x) {
  auto u = add(n, x, 1), back = add(n, u, -1);
  auto ratio = n.emit("Where", {n.emit("Equal", {u, x}), n.scalar_like(1, x), n.emit("Div", {x, back})});
  auto lost = n.emit("Equal", {back, n.scalar_like(0, x)});
  return n.emit("Where", {lost, x, n.emit("Mul", {n.emit("Log", {u}), ratio})});
}

// Near zero 2 t / (1 - t) with t = tanh(x / 2); elsewhere exp(x) - 1 loses nothing.
Value expm1(Node& n, const Value& x) {
  auto t = n.emit("Tanh", {mul(n, x, 0.5)});
  auto near = n.emit("Div", {mul(n, t, 2), n.emit("Sub", {n.scalar_like(1, x), t})});
  auto is_near = n.emit("Less", {n.emit("Abs", {x}), n.scalar_like(0.5, x)});
  return n.emit("Where", {is_near, near, add(n, n.emit("Exp", {x}), -1)});
}

// A half goes away from zero; ONNX rounds it to even.
Value round_half_away(Node& n, const Value& x) {
  auto size = n.emit("Abs", {x}), whole = n.emit("Floor", {size});
  auto up = n.emit("Less", {n.emit("Sub", {size, whole}), n.scalar_like(0.5, x)});
  auto rounded = n.emit("Where", {up, whole, add(n, whole, 1)});
  return n.emit("Mul", {n.emit("Sign", {x}), rounded});
}

Value tan_by_parts(Node& n, const Value& x) { return n.emit("Div", {n.emit("Sin", {x}), n.emit("Cos", {x})}); }

Value sinh_by_exp(Node& n, const Value& x) {
  auto e = expm1(n, n.emit("Abs", {x}));  // (e + e / (e + 1)) / 2
  auto size = mul(n, n.emit("Add", {e, n.emit("Div", {e, add(n, e, 1)})}), 0.5);
  return n.emit("Mul", {n.emit("Sign", {x}), size});
}

Value cosh_by_exp(Node& n, const Value& x) {
  return mul(n, n.emit("Add", {n.emit("Exp", {x}), n.emit("Exp", {n.emit("Neg", {x})})}), 0.5);
}

Value rsqrt(Node& n, const Value& x) { return n.emit("Reciprocal", {n.emit("Sqrt", {x})}); }

void square(Node& n) {
  auto x = n.in("X");
  n.out("Out", n.emit("Mul", {x, x}));
}

// Integers are whole as they are.
Lower to_whole(Value (*f)(Node&, const Value&)) {
  return [f](Node& n) {
    auto x = n.in("X");
    n.out("Out", is_integer(n.need_dtype(x)) ? x : f(n, x));
  };
}

void pow(Node& n) {
  auto x = n.in("X");
  auto variable = n.has("FactorTensor") ? n.in("FactorTensor") : n.attr_tensor("factor");
  if (!variable.empty()) return n.out("Out", n.emit("Pow", {x, n.cast(as_scalar(n, variable), n.need_dtype(x))}));
  auto factor = n.attr("factor", 1.0f);
  if (is_integer(n.need_dtype(x)) && factor != 1 && factor != 2) n.need_opset(12);
  if (factor == 1) return n.out("Out", x);
  n.out("Out", factor == 2 ? n.emit("Mul", {x, x}) : n.emit("Pow", {x, n.scalar_like(factor, x)}));
}

// An attribute that the dtype cannot hold is as good as no bound.
Value bound(Node& n, std::string_view slot, std::string_view attr, const Value& x, float otherwise) {
  auto variable = n.has(slot) ? n.in(slot) : n.attr_tensor(attr);
  if (!variable.empty()) return n.cast(as_scalar(n, variable), n.need_dtype(x));
  return n.scalar_like(n.attr(attr, otherwise), x);
}

void clip(Node& n) {
  auto x = n.in("X");
  if (n.need_dtype(x) != DType::float32) n.need_opset(12);
  auto low = bound(n, "Min", "min", x, -INFINITY), high = bound(n, "Max", "max", x, INFINITY);
  if (n.opset() >= 11 && n.dtype(x) != DType::int16) return n.out("Out", n.emit("Clip", {x, low, high}));
  n.out("Out", n.emit("Min", {n.emit("Max", {x, low}), high}));
}

void cast(Node& n) { n.out("Out", n.cast(n.in("X"), n.attr("out_dtype", n.out_dtype()))); }

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
      {"floor", 7, to_whole([](Node& n, const Value& x) { return n.emit("Floor", {x}); })},
      {"ceil", 7, to_whole([](Node& n, const Value& x) { return n.emit("Ceil", {x}); })},
      {"round", 9, to_whole(round_half_away)},
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
      {"pow", 7, pow},
      {"clip", 7, clip},
      {"cast", 7, cast},
      {"assign", 7, same("X")},
      {"share_data", 7, same("X")},
  };
  return rules;
}

}  // namespace oarlock
