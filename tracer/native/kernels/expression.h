// The instructions of expressions.  Each instruction works on a chunk of about a thousand elements,
// which stays in the cache. The results of an instruction are bitwise equal to those of the kernel
// with the same name.
#pragma once
#include "kernels/elementwise.h"

namespace oarlock::kernels {
namespace {

template <class T>
inline V<T> sqrt_of_vector(V<T> x) {
  for (int i = 0; i < kLanes<T>; ++i)
    x[i] = sizeof(T) == 4 ? __builtin_sqrtf(x[i]) : __builtin_sqrt(x[i]);
  return x;
}

constexpr bool is_binary_expr_op(ExprOp which) {
  return which <= ExprOp::mask || which >= ExprOp::relu_grad;
}

template <class T, ExprOp Which>
inline V<T> apply_unary_expr_op_to_vector(V<T> x) {
  constexpr int first = static_cast<int>(ExprOp::relu), which = static_cast<int>(Which);
  if constexpr (which <= static_cast<int>(ExprOp::erf))
    return apply_unary_to_vector<T, static_cast<Unary>(which - first)>(x);
  if constexpr (Which == ExprOp::sqrt) return sqrt_of_vector<T>(x);
  if constexpr (Which == ExprOp::square) return x * x;
  if constexpr (Which == ExprOp::abs) return x < 0 ? -x : x == 0 ? V<T>{} : x;
  if constexpr (Which == ExprOp::reciprocal) return 1 / x;
}

template <class T, ExprOp Which>
inline V<T> apply_binary_expr_op_to_vectors(V<T> x, V<T> y) {
  constexpr int first = static_cast<int>(ExprOp::relu_grad), which = static_cast<int>(Which);
  if constexpr (Which == ExprOp::add) return x + y;
  if constexpr (Which == ExprOp::sub) return x - y;
  if constexpr (Which == ExprOp::mul) return x * y;
  if constexpr (Which == ExprOp::div) return x / y;
  if constexpr (Which == ExprOp::max) return x >= y ? x : x != x ? x : y;  // NaN propagates
  if constexpr (Which == ExprOp::min) return x <= y ? x : x != x ? x : y;
  if constexpr (Which == ExprOp::first) return x;
  if constexpr (Which == ExprOp::second) return y;
  if constexpr (Which == ExprOp::mask) return y == 0 ? V<T>{} : x;
  if constexpr (which >= first)
    return apply_unary_grad_to_vectors<T, static_cast<Unary>(which - first)>(x, y);
}

template <class T, ExprOp Which>
void expr_op_chunk_kernel(Size count, const T* x, const T* y, T* z) {
  if constexpr (is_binary_expr_op(Which))
    map_vectors(
        count,
        [](V<T> a, V<T> b) -> V<T> { return apply_binary_expr_op_to_vectors<T, Which>(a, b); }, z,
        x, y);
  else
    map_vectors(
        count, [](V<T> a) -> V<T> { return apply_unary_expr_op_to_vector<T, Which>(a); }, z, x);
}

}  // namespace
}  // namespace oarlock::kernels
