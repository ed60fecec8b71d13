// Elementwise functions and arithmetic.
#pragma once
#include "kernels/kernels.h"
#include "kernels/math.h"

namespace oarlock::kernels {
namespace {

constexpr Size kElementsPerTask = 65536;  // elements per task

/// y = f(x...), computed in vectors; the last vector is padded.
template <class T, class F, class... X>
void map_vectors(Size count, const F& f, T* y, const X*... x) {
  Size i = 0;
  for (; i + kLanes<T> <= count; i += kLanes<T>) store<T>(y + i, f(load(x + i)...));
  if (i == count) return;
  auto rest = [&](const T* from) {
    V<T> v = {};
    for (Size k = i; k < count; ++k) v[k - i] = from[k];
    return v;
  };
  V<T> last = f(rest(x)...);
  for (Size k = i; k < count; ++k) y[k] = last[k - i];
}

template <class T, class F, class... X>
void map_parallel(Size count, const F& f, T* y, const X*... x) {
  parallel_ranges(count, kElementsPerTask,
                  [&](Size from, Size to) { map_vectors(to - from, f, y + from, (x + from)...); });
}

template <class T>
inline V<T> gelu_of_vector(V<T> x) {
  return x * (erf_of(x * T(0.70710678118654752)) + 1) * T(0.5);
}
template <class T>
inline V<T> gelu_derivative(V<T> x) {
  V<T> phi = exp_of(x * x * T(-0.5)) * (x * T(0.39894228040143268));
  return (erf_of(x * T(0.70710678118654752)) + 1) * T(0.5) + phi;
}

constexpr double kGelu = 0.79788456080286536,
                 kGelu3 = 0.044715;  // constants of tanh(K * (x + A * x ** 3)), as in the op gelu

template <class T>
inline V<T> gelu_tanh_of_vector(V<T> x) {
  return x * (tanh_of(x * (x * x * T(kGelu * kGelu3) + T(kGelu))) + 1) * T(0.5);
}
template <class T>
inline V<T> gelu_tanh_derivative(V<T> x) {
  V<T> square = x * x, h = tanh_of(x * (square * T(kGelu * kGelu3) + T(kGelu)));
  return ((x * (1 - h * h)) * (square * T(3 * kGelu * kGelu3) + T(kGelu)) + h + 1) * T(0.5);
}

template <class T, Unary Which>
inline V<T> apply_unary_to_vector(V<T> v) {
  if constexpr (Which == Unary::relu) return v < 0 ? V<T>{} : v;
  if constexpr (Which == Unary::tanh) return tanh_of(v);
  if constexpr (Which == Unary::sigmoid) return sigmoid_of(v);
  if constexpr (Which == Unary::silu) return v * sigmoid_of(v);
  if constexpr (Which == Unary::gelu) return gelu_of_vector<T>(v);
  if constexpr (Which == Unary::gelu_tanh) return gelu_tanh_of_vector<T>(v);
  if constexpr (Which == Unary::exp) return exp_of(v);
  if constexpr (Which == Unary::erf) return erf_of(v);
}

/// The input gradient, given the output gradient g and the input or output.
template <class T, Unary Which>
inline V<T> apply_unary_grad_to_vectors(V<T> v, V<T> upstream) {
  if constexpr (Which == Unary::relu) return v > 0 ? upstream : V<T>{};
  if constexpr (Which == Unary::tanh) return upstream * (1 - v * v);
  if constexpr (Which == Unary::sigmoid) return upstream * (v * (1 - v));
  if constexpr (Which == Unary::silu) {
    V<T> s = sigmoid_of(v);
    return upstream * (s * (v * (1 - s) + 1));
  }
  if constexpr (Which == Unary::gelu) return upstream * gelu_derivative<T>(v);
  if constexpr (Which == Unary::gelu_tanh) return upstream * gelu_tanh_derivative<T>(v);
  if constexpr (Which == Unary::exp) return upstream * v;
  if constexpr (Which == Unary::erf)
    return upstream * (exp_of(v * v * T(-1)) * T(1.1283791670955126));
}

template <class T, Unary Which>
void unary(Size count, const T* x, T* y) {
  map_parallel(count, [](V<T> v) -> V<T> { return apply_unary_to_vector<T, Which>(v); }, y, x);
}

template <class T, Unary Which>
void unary_grad(Size count, const T* x, const T* g, T* y) {
  map_parallel(
      count,
      [](V<T> v, V<T> upstream) -> V<T> {
        return apply_unary_grad_to_vectors<T, Which>(v, upstream);
      },
      y, x, g);
}

template <class T, Binary Which>
inline V<T> apply_binary_to_vectors(V<T> x, V<T> y) {
  if constexpr (Which == Binary::add) return x + y;
  if constexpr (Which == Binary::sub) return x - y;
  if constexpr (Which == Binary::mul) return x * y;
}

/// z [n,c,k] = x [n,c,k] op y, where y has the same shape, or [c] along the middle axis.
template <class T, Binary Which>
void apply_binary_with_middle_axis_broadcast(Size n, Size c, Size k, bool along, const T* x,
                                             const T* y, T* z) {
  auto both = apply_binary_to_vectors<T, Which>;
  if (!along) return map_parallel(n * c * k, both, z, x, y);
  if (k == 1)
    return parallel_ranges(n, max(1, kElementsPerTask / c), [&](Size from, Size to) {
      for (Size i = from; i < to; ++i) map_vectors(c, both, z + i * c, x + i * c, y);
    });
  parallel_ranges(n * c, max(1, kElementsPerTask / k), [&](Size from, Size to) {
    for (Size i = from; i < to; ++i) {
      V<T> same = splat(y[i % c]);
      map_vectors(k, [&](V<T> v) { return both(v, same); }, z + i * k, x + i * k);
    }
  });
}

}  // namespace
}  // namespace oarlock::kernels
