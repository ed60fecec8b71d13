// Formula notation for nodes: each operator in `(x - mean) / scale` emits a node at once. A C++
// number in a formula becomes a constant with the dtype of the other operand.
#pragma once
#include "convert/node_context.h"

namespace oarlock {

class Expr {
 public:
  Expr(NodeContext& n, Value v) : context_(&n), value_(v) {}

  NodeContext& context() const { return *context_; }
  Value value() const { return value_; }
  operator Value() const { return value_; }  // implicit conversion to Value

  /// Emits one node with this value as its first input.
  Expr emit(std::string_view onnx, Values more_inputs = {}) const;
  Expr scalar_like(double x) const { return {*context_, context_->scalar_like(x, value_)}; }
  Expr to(DType dtype) const { return {*context_, context_->cast(value_, dtype)}; }

 private:
  NodeContext* context_;
  Value value_;
};

/// The input in a slot.
inline Expr input_expr(NodeContext& n, std::string_view slot) { return {n, n.input(slot)}; }

/// 0 .. count-1. count: int64[] or int64[1] -> int64[count]
Expr arange(NodeContext& n, Value count);

/// Gathers rows: result[i] = rows[at[i]] for indices of any shape. [T,*], int[...] -> [...,*]
Expr gather_rows(const Expr& rows, Value at);
/// `v` with an additional last axis of size 1.
Expr unsqueeze_last(const Expr& v);

// Identity operations (x + 0, x * 1, x / 1) emit no node.
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

// Comparisons and boolean logic.
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
Expr matmul(const Expr& a, const Expr& b);
Expr pow(const Expr& x, double exponent);
/// The angle of the point (x, y) in [-pi, pi].
Expr polar_angle(const Expr& y, const Expr& x);
/// Rounds halves away from zero; ONNX rounds them to even.
Expr round_half_away(const Expr& x);
Expr isnan(const Expr& x);
/// log(exp(a) + exp(b)), also if both are infinite.
Expr log_add_exp(const Expr& a, const Expr& b);
Expr max(const Expr& a, const Expr& b);
Expr max(const Expr& a, double b);
Expr min(const Expr& a, const Expr& b);
Expr min(const Expr& a, double b);
Expr where(const Expr& condition, const Expr& a, const Expr& b);
Expr where(const Expr& condition, const Expr& a, double b);
Expr where(const Expr& condition, double a, const Expr& b);
/// `a` where the condition is true, else `b`, with the dtype `dtype`; where(c, 1, 0) becomes a
/// Cast.
Expr where(const Expr& condition, double a, double b, DType dtype);

/// ReduceMean, ReduceSum, ... over `axes`; over all axes if empty.
Expr reduce(std::string_view onnx, const Expr& x, const Ints& axes = {}, bool keepdims = false);
inline Expr sum(const Expr& x, const Ints& axes = {}, bool keepdims = false) {
  return reduce("ReduceSum", x, axes, keepdims);
}

/// A tensor of `shape` (int64[rank]) filled with `value`, with the dtype of `like`.
Expr full_like(const Expr& like, double value, Value shape);

}  // namespace oarlock
