// Formulas on values: `(x - mean) / scale` for a nest of emitted nodes.   A number takes the dtype
// of what it meets.
#pragma once
#include "convert/node_context.h"

namespace oarlock {

class Expr {
 public:
  Expr(Node& n, Value v) : n_(&n), v_(std::move(v)) {}

  Node& node() const { return *n_; }
  const Value& value() const { return v_; }
  operator const Value&() const { return v_; }  // an Expr goes wherever a Value does

  Expr emit(std::string_view onnx, Values rest = {}) const;
  Expr number(double x) const { return {*n_, n_->scalar_like(x, v_)}; }
  Expr to(DType dtype) const { return {*n_, n_->cast(v_, dtype)}; }

 private:
  Node* n_;
  Value v_;
};

/// An operand by its slot.
inline Expr in(Node& n, std::string_view slot) { return {n, n.in(slot)}; }

/// 0 .. count-1.   count: int64[] or int64[1] -> int64[count]
Expr counted(Node& n, const Value& count);

/// Rows at places of any shape.   [T,*], int[...] -> [...,*]
Expr rows_at(const Expr& rows, const Value& at);
/// `v` with an axis of size 1 behind.
Expr as_column(const Expr& v);

// What adds nothing (x + 0, x * 1, x / 1) is not written.
Expr operator+(const Expr& a, const Expr& b);
Expr operator+(const Expr& a, double b);
Expr operator+(double a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, double b);
Expr operator-(double a, const Expr& b);
Expr operator-(const Expr& a);
Expr operator*(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, double b);
Expr operator*(double a, const Expr& b);
Expr operator/(const Expr& a, const Expr& b);
Expr operator/(const Expr& a, double b);
Expr operator/(double a, const Expr& b);

// Truth values.
Expr operator<(const Expr& a, const Expr& b);
Expr operator<(const Expr& a, double b);
Expr operator>(const Expr& a, const Expr& b);
Expr operator>(const Expr& a, double b);
Expr operator<=(const Expr& a, const Expr& b);
Expr operator<=(const Expr& a, double b);
Expr operator>=(const Expr& a, const Expr& b);
Expr operator>=(const Expr& a, double b);
Expr operator==(const Expr& a, const Expr& b);
Expr operator==(const Expr& a, double b);
Expr operator&&(const Expr& a, const Expr& b);
Expr operator||(const Expr& a, const Expr& b);
Expr operator!(const Expr& a);

Expr abs(const Expr& x);
Expr exp(const Expr& x);
Expr log(const Expr& x);
Expr sqrt(const Expr& x);
Expr floor(const Expr& x);
Expr ceil(const Expr& x);
Expr tanh(const Expr& x);
Expr sin(const Expr& x);
Expr cos(const Expr& x);
Expr atan(const Expr& x);
Expr sigmoid(const Expr& x);
Expr sign(const Expr& x);
Expr relu(const Expr& x);
Expr pow(const Expr& x, double exponent);
/// Of the point (x, y), between minus a half turn and a half.
Expr angle_of(const Expr& y, const Expr& x);
/// A half goes away from zero; ONNX rounds it to even.
Expr round_half_away(const Expr& x);
Expr isnan(const Expr& x);
/// log(exp(a) + exp(b)), also where both are infinite.
Expr log_add_exp(const Expr& a, const Expr& b);
Expr max(const Expr& a, const Expr& b);
Expr max(const Expr& a, double b);
Expr min(const Expr& a, const Expr& b);
Expr min(const Expr& a, double b);
Expr where(const Expr& condition, const Expr& a, const Expr& b);
Expr where(const Expr& condition, const Expr& a, double b);
Expr where(const Expr& condition, double a, const Expr& b);
/// Of a dtype; where(c, 1, 0) of truth values is a cast.
Expr where(const Expr& condition, double a, double b, DType dtype);

/// Means, sums and the like over `axes`, all of them where none is named.
Expr reduce(std::string_view onnx, const Expr& x, const Ints& axes = {}, bool keep = false);
inline Expr sum(const Expr& x, const Ints& axes = {}, bool keep = false) {
  return reduce("ReduceSum", x, axes, keep);
}

/// `value` everywhere in a shape (int64[rank]), with the dtype of `like`.
Expr filled_like(const Expr& like, double value, const Value& shape);

}  // namespace oarlock
