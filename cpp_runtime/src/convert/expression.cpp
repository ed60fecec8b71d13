#include "convert/expression.h"

#include "convert/operands.h"

namespace oarlock {

Expr Expr::emit(std::string_view onnx, Values more_inputs) const {
  more_inputs.insert(more_inputs.begin(), value_);
  return {*context_, context_->emit(onnx, std::move(more_inputs))};
}

Expr arange(NodeContext& n, Value count) {
  auto known = n.find_constant_ints(count);
  Expr range(n, n.emit("Range", {n.int64_scalar(0), as_scalar(n, count), n.int64_scalar(1)}));
  if (known && known->size() == 1) n.declare_type(range, DType::int64, Ints{(*known)[0]});
  return range;
}

Expr gather_rows(const Expr& rows, Value at) {
  return {rows.context(), rows.context().emit("Gather", {rows, at}, {{"axis", std::int64_t{0}}})};
}

Expr unsqueeze_last(const Expr& v) { return {v.context(), v.context().unsqueeze(v, {-1})}; }

Expr operator+(const Expr& a, const Expr& b) { return a.emit("Add", {b}); }
Expr operator+(const Expr& a, double b) { return b == 0 ? a : a + a.scalar_like(b); }
Expr operator+(double a, const Expr& b) { return b + a; }
Expr operator-(const Expr& a, const Expr& b) { return a.emit("Sub", {b}); }
Expr operator-(const Expr& a, double b) { return b == 0 ? a : a - a.scalar_like(b); }
Expr operator-(double a, const Expr& b) { return b.scalar_like(a) - b; }
Expr operator-(const Expr& a) { return a.emit("Neg"); }
Expr operator*(const Expr& a, const Expr& b) { return a.emit("Mul", {b}); }
Expr operator*(const Expr& a, double b) { return b == 1 ? a : a * a.scalar_like(b); }
Expr operator*(double a, const Expr& b) { return b * a; }
Expr operator/(const Expr& a, const Expr& b) { return a.emit("Div", {b}); }
Expr operator/(const Expr& a, double b) { return b == 1 ? a : a / a.scalar_like(b); }
Expr operator/(double a, const Expr& b) { return b.scalar_like(a) / b; }

Expr operator<(const Expr& a, const Expr& b) { return a.emit("Less", {b}); }
Expr operator<(const Expr& a, double b) { return a < a.scalar_like(b); }
Expr operator>(const Expr& a, const Expr& b) { return a.emit("Greater", {b}); }
Expr operator>(const Expr& a, double b) { return a > a.scalar_like(b); }
// Before opset 12, ONNX has only strict comparisons; `!(a > b)` equals `a <= b` except for NaN.
// From opset 12 to 15, LessOrEqual is a function whose result has no shape inside a Scan.
Expr operator<=(const Expr& a, const Expr& b) {
  if (a.context().opset() >= 16) return a.emit("LessOrEqual", {b});
  return a.context().opset() < 12 ? !(a > b) : a < b || a == b;
}
Expr operator<=(const Expr& a, double b) { return a <= a.scalar_like(b); }
Expr operator>=(const Expr& a, const Expr& b) {
  if (a.context().opset() >= 16) return a.emit("GreaterOrEqual", {b});
  return a.context().opset() < 12 ? !(a < b) : a > b || a == b;
}
Expr operator>=(const Expr& a, double b) { return a >= a.scalar_like(b); }
Expr operator==(const Expr& a, const Expr& b) { return a.emit("Equal", {b}); }
Expr operator==(const Expr& a, double b) { return a == a.scalar_like(b); }
Expr operator&&(const Expr& a, const Expr& b) { return a.emit("And", {b}); }
Expr operator||(const Expr& a, const Expr& b) { return a.emit("Or", {b}); }
Expr operator!(const Expr& a) { return a.emit("Not"); }

Expr abs(const Expr& x) { return x.emit("Abs"); }
Expr matmul(const Expr& a, const Expr& b) { return a.emit("MatMul", {b}); }
Expr exp(const Expr& x) { return x.emit("Exp"); }
Expr log(const Expr& x) { return x.emit("Log"); }
Expr sqrt(const Expr& x) { return x.emit("Sqrt"); }
Expr floor(const Expr& x) { return x.emit("Floor"); }
Expr ceil(const Expr& x) { return x.emit("Ceil"); }
Expr tanh(const Expr& x) { return x.emit("Tanh"); }
Expr sin(const Expr& x) { return x.emit("Sin"); }
Expr cos(const Expr& x) { return x.emit("Cos"); }
Expr atan(const Expr& x) { return x.emit("Atan"); }
Expr sigmoid(const Expr& x) { return x.emit("Sigmoid"); }
Expr sign(const Expr& x) { return x.emit("Sign"); }
Expr relu(const Expr& x) { return x.emit("Relu"); }
Expr pow(const Expr& x, double exponent) { return x.emit("Pow", {x.scalar_like(exponent)}); }
Expr round_half_away(const Expr& x) {
  auto size = abs(x), whole = floor(size);
  return sign(x) * where(size - whole < 0.5, whole, whole + 1);
}
Expr isnan(const Expr& x) { return x.emit("IsNaN"); }
Expr log_add_exp(const Expr& a, const Expr& b) {
  return max(a, b) + log(exp(where(a == b, 0, -abs(a - b))) + 1);
}

namespace {

// Emits Min or Max, which need opset 12 for integer inputs unless the result is constant.
Expr emit_min_max_and_require_opset(std::string_view onnx, const Expr& a, const Expr& b) {
  NodeContext& n = a.context();
  Expr result = a.emit(onnx, {b});
  if (is_integer(n.dtype(a)) && !n.find_constant(result)) n.require_opset(12);
  return result;
}

}  // namespace

Expr max(const Expr& a, const Expr& b) { return emit_min_max_and_require_opset("Max", a, b); }
Expr max(const Expr& a, double b) { return max(a, a.scalar_like(b)); }
Expr min(const Expr& a, const Expr& b) { return emit_min_max_and_require_opset("Min", a, b); }
Expr min(const Expr& a, double b) { return min(a, a.scalar_like(b)); }
Expr where(const Expr& c, const Expr& a, const Expr& b) { return c.emit("Where", {a, b}); }
Expr where(const Expr& c, const Expr& a, double b) { return where(c, a, a.scalar_like(b)); }
Expr where(const Expr& c, double a, const Expr& b) { return where(c, b.scalar_like(a), b); }
Expr where(const Expr& c, double a, double b, DType dtype) {
  if (a == 1 && b == 0) return c.to(dtype);
  return c.emit("Where", {c.context().scalar(a, dtype), c.context().scalar(b, dtype)});
}

Expr reduce(std::string_view onnx, const Expr& x, const Ints& axes, bool keepdims) {
  return {x.context(), reduce(x.context(), onnx, x, axes, keepdims)};
}

Expr full_like(const Expr& like, double value, Value shape) {
  return like.scalar_like(value).emit("Expand", {shape});
}

}  // namespace oarlock
