// Two operands, element by element, broadcast as Paddle does.
#include <cmath>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"
#include "convert/runtime_assert.h"

namespace oarlock {
namespace {

bool integers(const Expr& x) { return is_integer(x.node().need_dtype(x)); }

struct Both {
  Expr x, y;
};

Both both(Node& n, std::string_view slot_x = "X", std::string_view slot_y = "Y") {
  auto [x, y] = aligned(n, slot_x, slot_y);
  return {{n, x}, {n, y}};
}

// Two operands, one formula.
Lower formula(Expr (*f)(const Expr&, const Expr&)) {
  return [f](Node& n) {
    auto [x, y] = both(n);
    n.out("Out", f(x, y));
  };
}

// Numbers have one op, truth values another.
Lower binary_or_logical(std::string_view onnx, std::string_view logical) {
  return [onnx, logical](Node& n) {
    auto [x, y] = both(n);
    n.out("Out", x.emit(n.dtype(x) == DType::boolean ? logical : onnx, {y}));
  };
}

// ---- extremes ----

// ONNX Runtime compares no int16.
Expr extreme_of(const Expr& x, const Expr& y, std::string_view onnx) {
  Node& n = x.node();
  if (integers(x)) n.need_opset(12);
  if (n.dtype(x) != DType::int16) return x.emit(onnx, {y});
  return x.to(DType::int32).emit(onnx, {y.to(DType::int32)}).to(DType::int16);
}

Lower extreme(std::string_view onnx, std::string_view logical) {
  return [onnx, logical](Node& n) {
    auto [x, y] = both(n);
    n.out("Out", n.dtype(x) == DType::boolean ? x.emit(logical, {y}) : extreme_of(x, y, onnx));
  };
}

// What is not a number does not count.
Lower extreme_of_numbers(std::string_view onnx) {
  return [onnx](Node& n) {
    auto [x, y] = both(n);
    auto found = extreme_of(x, y, onnx);
    if (integers(x)) return n.out("Out", found);
    n.out("Out", where(isnan(x), y, where(isnan(y), x, found)));
  };
}

// 0 below zero, 1 above, y there.
Expr heaviside(const Expr& x, const Expr& y) {
  auto step = (x > 0).to(x.node().need_dtype(x));
  return where(x == 0, y, integers(x) ? step : where(isnan(x), x, step));
}

// ---- division: integers must not be divided by zero, which would end the process ----

Expr quotient(const Expr& x, const Expr& y) {
  if (x.node().dtype(x) == DType::boolean) return x && y;  // only by true, which leaves x
  return x / (integers(x) ? Expr(x.node(), nonzero(x.node(), y)) : y);
}

// Whether a rest has another sign than the divisor.
Expr crosses(const Expr& rest, const Expr& y) { return sign(rest) * sign(y) < 0; }

// ONNX divides integers towards zero, Paddle towards minus infinity: one less where a rest has the
// other sign.
Expr whole_floordiv(const Expr& x, const Expr& y) {
  auto found = quotient(x, y);
  return found - crosses(x - found * y, y).to(x.node().need_dtype(x));
}

// Of floats without the rest: 1 / 0.1 rounds to 10, though 0.1 goes into 1 only 9 times and leaves
// a rest.
Expr floordiv(const Expr& x, const Expr& y) {
  if (integers(x)) return whole_floordiv(x, y);
  Node& n = x.node();
  n.need_opset(11);  // floats are compared with 0
  Expr rest(n, n.emit("Mod", {x, y}, {{"fmod", std::int64_t{1}}}));
  auto exact = (x - rest) / y, times = where(crosses(rest, y), exact - 1, exact),
       below = floor(times);
  return where(y == 0, x / y, below + (times - below > 0.5).to(n.need_dtype(x)));
}

// The rest has the sign of the divisor; ONNX has that for integers only.
Expr mod(const Expr& x, const Expr& y) {
  Node& n = x.node();
  if (integers(x)) return x.emit("Mod", {nonzero(n, y)});
  Expr rest(n, n.emit("Mod", {x, y}, {{"fmod", std::int64_t{1}}}));
  return where(crosses(rest, y), rest + y, rest);
}

Expr power(const Expr& x, const Expr& y) {
  if (integers(x)) x.node().need_opset(12);
  return x.emit("Pow", {y});
}

// ---- angles ----

// Whether the sign is minus; that of zero shows in 1 / v.
Expr negative(const Expr& v) { return v < 0 || 1 / v < 0; }

}  // namespace

// The angle between 0 and a half of a right angle comes from the smaller size over the larger, the
// rest by symmetry.
Expr angle_of(const Expr& y, const Expr& x) {
  auto height = abs(y), width = abs(x), larger = max(height, width);
  auto ratio = where(height == width, where(larger == 0, larger, larger.number(1)),
                     min(height, width) / larger);
  auto low = atan(where(isnan(height + width), height + width, ratio));
  auto upper = where(height > width, M_PI / 2 - low, low);
  auto half = where(negative(x), M_PI - upper, upper);
  return where(negative(y), -half, half);
}

namespace {

void atan2(Node& n) {
  Expr y(n, floating(n, n.in("X1"))), x(n, floating(n, n.in("X2")));
  n.out("Out", angle_of(y, x));
}

// ---- more and fewer operands ----

// x + weight * (y - x)
void lerp(Node& n) {
  auto x = in(n, "X");
  n.out("Out", x + in(n, "Weight") * (in(n, "Y") - x));
}

void sum_of_list(Node& n) {
  auto parts = need_values(n, "X");
  Expr total(n, parts[0]);
  for (std::size_t i = 1; i < parts.size(); ++i) total = total + Expr(n, parts[i]);
  n.out("Out", total);
}

// -1 as a byte is 255: what wraps around is then what it would be of wider integers.
double as_held(double v, DType dtype) {
  if (dtype != DType::uint8 || !(std::abs(v) < 1e9)) return v;
  return static_cast<double>(static_cast<std::uint8_t>(static_cast<std::int64_t>(v)));
}

// scale * x + bias, or scale * (x + bias); of an integer, both are cut to integers first
void scale(Node& n) {
  auto x = in(n, "X");
  auto dtype = n.need_dtype(x);
  double scale = as_held(n.attr("scale", 1.0), dtype), bias = as_held(n.attr("bias", 0.0), dtype);
  auto variable = n.has("ScaleTensor") ? n.in("ScaleTensor") : n.attr_tensor("scale");
  auto scaled = [&](const Expr& v) {
    return variable.empty() ? v * scale : v * Expr(n, n.cast(as_scalar(n, variable), dtype));
  };
  n.out("Out", n.attr("bias_after_scale", true) ? scaled(x) + bias : scaled(x + bias));
}

void increment(Node& n) {
  auto x = in(n, "X");
  n.out("Out", x + x.number(n.attr("step", 1.0f)));
}

Expr minus(const Expr& x, const Expr& y) { return x - y; }

}  // namespace

std::span<const Rule> elementwise_rules() {
  static const Rule rules[] = {
      {"elementwise_add", 7, binary_or_logical("Add", "Or")},
      {"elementwise_sub", 7, formula(minus)},
      {"elementwise_mul", 7, binary_or_logical("Mul", "And")},
      {"elementwise_div", 7, formula(quotient)},
      {"elementwise_floordiv", 9, formula(floordiv)},
      {"elementwise_mod", 10, formula(mod)},
      {"elementwise_pow", 7, formula(power)},
      {"elementwise_max", 8, extreme("Max", "Or")},
      {"elementwise_min", 8, extreme("Min", "And")},
      {"elementwise_fmax", 9, extreme_of_numbers("Max")},
      {"elementwise_fmin", 9, extreme_of_numbers("Min")},
      {"elementwise_heaviside", 11, formula(heaviside)},
      {"minus", 7, formula(minus)},
      {"atan2", 11, atan2},
      {"lerp", 7, lerp},
      {"sum", 7, sum_of_list},
      {"scale", 7, scale, {.offsets = Facts::handed_on}},
      {"increment", 7, increment},
  };
  return rules;
}

}  // namespace oarlock
