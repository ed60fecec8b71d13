#include "convert/expression.h"

#include "convert/operands.h"

namespace oarlock {

Expr Expr::emit(std::string_view onnx, Values rest) const {
  rest.insert(rest.begin(), v_);
  return {*n_, n_->emit(onnx, std::move(rest))};
}

Expr counted(Node& n, const Value& count) {
  auto known = n.const_ints(count);
  Expr all(n, n.emit("Range", {n.int_scalar(0), as_scalar(n, count), n.int_scalar(1)}));
  if (known && known->size() == 1) n.declare(all, DType::int64, Ints{(*known)[0]});
  return all;
}

Expr rows_at(const Expr& rows, const Value& at) {
  return {rows.node(), rows.node().emit("Gather", {rows, at}, {{"axis", std::int64_t{0}}})};
}

Expr as_column(const Expr& v) { return {v.node(), v.node().unsqueeze(v, {-1})}; }

Expr operator+(const Expr& a, const Expr& b) { return a.emit("Add", {b}); }
Expr operator+(const Expr& a, double b) { return b == 0 ? a : a + a.number(b); }
Expr operator+(double a, const Expr& b) { return b + a; }
Expr operator-(const Expr& a, const Expr& b) { return a.emit("Sub", {b}); }
Expr operator-(const Expr& a, double b) { return b == 0 ? a : a - a.number(b); }
Expr operator-(double a, const Expr& b) { return b.number(a) - b; }
Expr operator-(const Expr& a) { return a.emit("Neg"); }
Expr operator*(const Expr& a, const Expr& b) { return a.emit("Mul", {b}); }
Expr operator*(const Expr& a, double b) { return b == 1 ? a : a * a.number(b); }
Expr operator*(double a, const Expr& b) { return b * a; }
Expr operator/(const Expr& a, const Expr& b) { return a.emit("Div", {b}); }
Expr operator/(const Expr& a, double b) { return b == 1 ? a : a / a.number(b); }
Expr operator/(double a, const Expr& b) { return b.number(a) / b; }

Expr operator<(const Expr& a, const Expr& b) { return a.emit("Less", {b}); }
Expr operator<(const Expr& a, double b) { return a < a.number(b); }
Expr operator>(const Expr& a, const Expr& b) { return a.emit("Greater", {b}); }
Expr operator>(const Expr& a, double b) { return a > a.number(b); }
// Before opset 12 only the strict ones were there; they agree where nothing is NaN.
// From opset 12 to 15 ONNX's own is a function, whose result has no shape inside of a Scan.
Expr operator<=(const Expr& a, const Expr& b) {
  if (a.node().opset() >= 16) return a.emit("LessOrEqual", {b});
  return a.node().opset() < 12 ? !(a > b) : a < b || a == b;
}
Expr operator<=(const Expr& a, double b) { return a <= a.number(b); }
Expr operator>=(const Expr& a, const Expr& b) {
  if (a.node().opset() >= 16) return a.emit("GreaterOrEqual", {b});
  return a.node().opset() < 12 ? !(a < b) : a > b || a == b;
}
Expr operator>=(const Expr& a, double b) { return a >= a.number(b); }
Expr operator==(const Expr& a, const Expr& b) { return a.emit("Equal", {b}); }
Expr operator==(const Expr& a, double b) { return a == a.number(b); }
Expr operator&&(const Expr& a, const Expr& b) { return a.emit("And", {b}); }
Expr operator||(const Expr& a, const Expr& b) { return a.emit("Or", {b}); }
Expr operator!(const Expr& a) { return a.emit("Not"); }

Expr abs(const Expr& x) { return x.emit("Abs"); }
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
Expr pow(const Expr& x, double exponent) { return x.emit("Pow", {x.number(exponent)}); }
Expr round_half_away(const Expr& x) {
  auto size = abs(x), whole = floor(size);
  return sign(x) * where(size - whole < 0.5, whole, whole + 1);
}
Expr isnan(const Expr& x) { return x.emit("IsNaN"); }
Expr log_add_exp(const Expr& a, const Expr& b) {
  return max(a, b) + log(exp(where(a == b, 0, -abs(a - b))) + 1);
}

namespace {

// Of integers since opset 12, where it is not folded.
Expr extreme(std::string_view onnx, const Expr& a, const Expr& b) {
  Node& n = a.node();
  Expr found = a.emit(onnx, {b});
  if (is_integer(n.dtype(a)) && !n.constant(found)) n.need_opset(12);
  return found;
}

}  // namespace

Expr max(const Expr& a, const Expr& b) { return extreme("Max", a, b); }
Expr max(const Expr& a, double b) { return max(a, a.number(b)); }
Expr min(const Expr& a, const Expr& b) { return extreme("Min", a, b); }
Expr min(const Expr& a, double b) { return min(a, a.number(b)); }
Expr where(const Expr& c, const Expr& a, const Expr& b) { return c.emit("Where", {a, b}); }
Expr where(const Expr& c, const Expr& a, double b) { return where(c, a, a.number(b)); }
Expr where(const Expr& c, double a, const Expr& b) { return where(c, b.number(a), b); }
Expr where(const Expr& c, double a, double b, DType dtype) {
  if (a == 1 && b == 0) return c.to(dtype);
  return c.emit("Where", {c.node().scalar(a, dtype), c.node().scalar(b, dtype)});
}

Expr reduce(std::string_view onnx, const Expr& x, const Ints& axes, bool keep) {
  return {x.node(), reduce(x.node(), onnx, x, axes, keep)};
}

Expr filled_like(const Expr& like, double value, const Value& shape) {
  return like.number(value).emit("Expand", {shape});
}

}  // namespace oarlock
