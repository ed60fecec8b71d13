// Two operands, element by element, broadcast as Paddle does.
#include "lower/guard.h"
#include "lower/operands.h"
#include "lower/rules.h"

namespace oarlock {
namespace {

bool integers(const Node& n, const Value& x) { return is_integer(n.need_dtype(x)); }

Lower binary(std::string_view onnx) {
  return [onnx](Node& n) {
    auto [x, y] = aligned(n);
    n.out("Out", n.emit(onnx, {x, y}));
  };
}

// Numbers have one op, truth values another.
Lower binary_or_logical(std::string_view onnx, std::string_view logical) {
  return [onnx, logical](Node& n) {
    auto [x, y] = aligned(n);
    n.out("Out", n.emit(n.dtype(x) == DType::boolean ? logical : onnx, {x, y}));
  };
}

// ONNX Runtime compares no int16.
Lower extreme(std::string_view onnx, std::string_view logical) {
  return [onnx, logical](Node& n) {
    auto [x, y] = aligned(n);
    if (n.dtype(x) == DType::boolean) return n.out("Out", n.emit(logical, {x, y}));
    if (integers(n, x)) n.need_opset(12);
    if (n.dtype(x) != DType::int16) return n.out("Out", n.emit(onnx, {x, y}));
    n.out("Out", n.cast(n.emit(onnx, {n.cast(x, DType::int32), n.cast(y, DType::int32)}), DType::int16));
  };
}

// ---- division: integers must not be divided by zero, which would end the process ----

void div(Node& n) {
  auto [x, y] = aligned(n);
  if (integers(n, x)) y = nonzero(n, y);
  n.out("Out", n.emit("Div", {x, y}));
}

// ONNX divides integers towards zero, Paddle towards minus infinity: one less where a rest has the other sign.
Value floored_quotient(Node& n, const Value& x, const Value& y) {
  auto quotient = n.emit("Div", {x, y}), rest = n.emit("Sub", {x, n.emit("Mul", {quotient, y})});
  auto zero = n.scalar_like(0, x);
  auto crosses = n.emit("Less", {n.emit("Mul", {n.emit("Sign", {rest}), n.emit("Sign", {y})}), zero});
  return n.emit("Sub", {quotient, n.cast(crosses, n.dtype(x))});
}

void floordiv(Node& n) {
  auto [x, y] = aligned(n);
  if (!integers(n, x)) return n.out("Out", n.emit("Floor", {n.emit("Div", {x, y})}));
  n.out("Out", floored_quotient(n, x, nonzero(n, y)));
}

// The rest has the sign of the divisor; ONNX has that for integers only.
void mod(Node& n) {
  auto [x, y] = aligned(n);
  if (integers(n, x)) return n.out("Out", n.emit("Mod", {x, nonzero(n, y)}));
  auto rest = n.emit("Mod", {x, y}, {{"fmod", std::int64_t{1}}});
  auto zero = n.scalar_like(0, x);
  auto crosses = n.emit("Less", {n.emit("Mul", {n.emit("Sign", {rest}), n.emit("Sign", {y})}), zero});
  n.out("Out", n.emit("Where", {crosses, n.emit("Add", {rest, y}), rest}));
}

// ---- more and fewer operands ----

void sum(Node& n) {
  auto parts = need_values(n, "X");
  Value total = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) total = n.emit("Add", {total, parts[i]});
  n.out("Out", total);
}

// scale * x + bias, or scale * (x + bias); of an integer, both are cut to integers first
void scale(Node& n) {
  auto x = n.in("X");
  double scale = n.attr("scale", 1.0), bias = n.attr("bias", 0.0);
  bool after = n.attr("bias_after_scale", true);
  Value factor = n.has("ScaleTensor")              ? n.cast(as_scalar(n, n.in("ScaleTensor")), n.need_dtype(x))
                 : !n.attr_tensor("scale").empty() ? n.cast(as_scalar(n, n.attr_tensor("scale")), n.need_dtype(x))
                 : scale != 1                      ? n.scalar_like(scale, x)
                                                   : "";
  auto add = [&](Value v) { return bias == 0 ? v : n.emit("Add", {v, n.scalar_like(bias, x)}); };
  auto mul = [&](Value v) { return factor.empty() ? v : n.emit("Mul", {v, factor}); };
  n.out("Out", after ? add(mul(x)) : mul(add(x)));
}

void increment(Node& n) {
  auto x = n.in("X");
  n.out("Out", n.emit("Add", {x, n.scalar_like(n.attr("step", 1.0f), x)}));
}

}  // namespace

std::span<const Rule> elementwise_rules() {
  static const Rule rules[] = {
      {"elementwise_add", 7, binary_or_logical("Add", "Or")},
      {"elementwise_sub", 7, binary("Sub")},
      {"elementwise_mul", 7, binary_or_logical("Mul", "And")},
      {"elementwise_div", 7, div},
      {"elementwise_floordiv", 9, floordiv},
      {"elementwise_mod", 10, mod},
      {"elementwise_pow", 7,
       [](Node& n) {
         if (integers(n, n.in("X"))) n.need_opset(12);
         binary("Pow")(n);
       }},
      {"elementwise_max", 8, extreme("Max", "Or")},
      {"elementwise_min", 8, extreme("Min", "And")},
      {"sum", 7, sum},
      {"scale", 7, scale},
      {"increment", 7, increment},
  };
  return rules;
}

}  // namespace oarlock
