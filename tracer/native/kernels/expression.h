// The instructions of expressions: each works on a few hundred elements that lie in the cache, and
// is what the kernel of its name does, to the last bit.
#pragma once
#include "kernels/elementwise.h"

namespace oarlock::kernels {
namespace {

template <class T>
inline V<T> sqrt_of(V<T> x) {
  for (int i = 0; i < kLanes<T>; ++i)
    x[i] = sizeof(T) == 4 ? __builtin_sqrtf(x[i]) : __builtin_sqrt(x[i]);
  return x;
}

constexpr bool takes_two(Piece which) { return which <= Piece::keep || which >= Piece::relu_grad; }

template <class T, Piece Which>
inline V<T> of_one(V<T> x) {
  constexpr int first = static_cast<int>(Piece::relu), which = static_cast<int>(Which);
  if constexpr (which <= static_cast<int>(Piece::erf))
    return function_of<T, static_cast<Unary>(which - first)>(x);
  if constexpr (Which == Piece::sqrt) return sqrt_of<T>(x);
  if constexpr (Which == Piece::square) return x * x;
  if constexpr (Which == Piece::abs) return x < 0 ? -x : x == 0 ? V<T>{} : x;
  if constexpr (Which == Piece::reciprocal) return 1 / x;
}

template <class T, Piece Which>
inline V<T> of_two(V<T> x, V<T> y) {
  constexpr int first = static_cast<int>(Piece::relu_grad), which = static_cast<int>(Which);
  if constexpr (Which == Piece::add) return x + y;
  if constexpr (Which == Piece::sub) return x - y;
  if constexpr (Which == Piece::mul) return x * y;
  if constexpr (Which == Piece::div) return x / y;
  if constexpr (Which == Piece::max) return x >= y ? x : x != x ? x : y;  // NaN stays NaN
  if constexpr (Which == Piece::min) return x <= y ? x : x != x ? x : y;
  if constexpr (Which == Piece::first) return x;
  if constexpr (Which == Piece::second) return y;
  if constexpr (Which == Piece::keep) return y == 0 ? V<T>{} : x;
  if constexpr (which >= first) return slope_of<T, static_cast<Unary>(which - first)>(x, y);
}

template <class T, Piece Which>
void piece(Size count, const T* x, const T* y, T* z) {
  if constexpr (takes_two(Which))
    map(count, [](V<T> a, V<T> b) -> V<T> { return of_two<T, Which>(a, b); }, z, x, y);
  else
    map(count, [](V<T> a) -> V<T> { return of_one<T, Which>(a); }, z, x);
}

}  // namespace
}  // namespace oarlock::kernels
