// Vectorized exponential functions. float32: within 2e-6 of the exact value. float64: calls the C
// library for each element.
#pragma once
#include "kernels/simd.h"

namespace oarlock::kernels {
namespace {

typedef int Ints __attribute__((vector_size(kBytes)));
using Floats = V<float>;

template <int N>
inline Floats evaluate_polynomial(Floats x, const float (&c)[N]) {
  Floats sum = splat(c[N - 1]);
  for (int i = N - 2; i >= 0; --i) sum = sum * x + c[i];
  return sum;
}

template <class Function>
inline V<double> map_lanes(V<double> x, const Function& function) {
  for (int i = 0; i < kLanes<double>; ++i) x[i] = function(x[i]);
  return x;
}

/// e ** x = 2 ** n * e ** r with |r| <= ln 2 / 2; the polynomial minimizes the relative error, at
/// most 2e-9.
inline Floats exp_of(Floats x) {
  static constexpr float c[] = {1.f,           1.00000004f,    0.49999992f,   0.166664192f,
                                0.0416682298f, 0.00837489912f, 0.00138368525f};
  constexpr float round = 12582912.f;  // 1.5 * 2 ** 23: adding it rounds to an integer
  Floats bounded = x > 89.f ? splat(89.f) : x < -105.f ? splat(-105.f) : x;
  Floats n = bounded * 1.44269504f + round;
  Ints whole = reinterpret_cast<Ints>(n) - 0x4b400000;
  n -= round;
  // ln 2 as a sum of two constants, to reduce rounding
  Floats r = bounded - n * 0.693359375f + n * 2.12194440e-4f;
  Ints half = whole >> 1;  // multiply twice, because 2 ** n may overflow or underflow
  Floats low = reinterpret_cast<Floats>((half + 127) << 23),
         high = reinterpret_cast<Floats>((whole - half + 127) << 23);
  return evaluate_polynomial(r, c) * low * high;
}
inline V<double> exp_of(V<double> x) {
  return map_lanes(x, [](double v) { return __builtin_exp(v); });
}

/// tanh: an odd polynomial with minimal relative error near zero; otherwise 1 - 2 / (e ** 2|x| +
/// 1).
inline Floats tanh_of(Floats x) {
  static constexpr float c[] = {0.999999994f,   -0.333332293f, 0.133304151f,
                                -0.0536652793f, 0.0204151902f, -0.00546826502f};
  Floats size = x < 0.f ? -x : x, square = x * x;
  Floats far = 1.f - 2.f / (exp_of(size + size) + 1.f);
  return size < 0.65f ? x * evaluate_polynomial(square, c) : x < 0.f ? -far : far;
}
inline V<double> tanh_of(V<double> x) {
  return map_lanes(x, [](double v) { return __builtin_tanh(v); });
}

/// erf: x * P(x ** 2) / Q(x ** 2) up to where erf rounds to 1; the coefficients are those of
/// ops/erf.py.
inline Floats erf_of(Floats x) {
  static constexpr float p[] = {1.1283791f,    1.9058469e-1f, 5.2767910e-2f,
                                3.7721114e-3f, 2.8482557e-4f, 2.0459913e-6f};
  static constexpr float q[] = {1.f,           5.0223404e-1f, 1.1417881e-1f,
                                1.4982323e-2f, 1.1637363e-3f, 3.8046459e-5f};
  Floats bounded = x > 3.925f ? splat(3.925f) : x < -3.925f ? splat(-3.925f) : x;
  Floats square = bounded * bounded,
         found = bounded * (evaluate_polynomial(square, p) / evaluate_polynomial(square, q));
  return found > 1.f ? splat(1.f) : found < -1.f ? splat(-1.f) : found;
}
inline V<double> erf_of(V<double> x) {
  return map_lanes(x, [](double v) { return __builtin_erf(v); });
}

template <class X>
inline X sigmoid_of(X x) {
  return 1 / (1 + exp_of(-x));
}

}  // namespace
}  // namespace oarlock::kernels
