// Functions of each element, and arithmetic of two operands.
#pragma once
#include "kernels/kernels.h"
#include "kernels/math.h"

namespace oarlock::kernels {
namespace {

constexpr Size kPart = 65536;  // elements that are worth a task

/// y = f(x...) for vectors of elements, the last one filled up.
template <class T, class F, class... X>
void map(Size count, const F& f, T* y, const X*... x) {
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
void map_parts(Size count, const F& f, T* y, const X*... x) {
  parallel_parts(count, kPart,
                 [&](Size from, Size to) { map(to - from, f, y + from, (x + from)...); });
}

template <class T>
inline V<T> gelu_of(V<T> x) {
  return x * (erf_of(x * T(0.70710678118654752)) + 1) * T(0.5);
}
template <class T>
inline V<T> gelu_slope(V<T> x) {
  V<T> phi = exp_of(x * x * T(-0.5)) * (x * T(0.39894228040143268));
  return (erf_of(x * T(0.70710678118654752)) + 1) * T(0.5) + phi;
}

constexpr double kGelu = 0.79788456080286536,
                 kGelu3 = 0.044715;  // tanh(K * (x + A * x ** 3)), as in the op gelu

template <class T>
inline V<T> gelu_tanh_of(V<T> x) {
  return x * (tanh_of(x * (x * x * T(kGelu * kGelu3) + T(kGelu))) + 1) * T(0.5);
}
template <class T>
inline V<T> gelu_tanh_slope(V<T> x) {
  V<T> square = x * x, h = tanh_of(x * (square * T(kGelu * kGelu3) + T(kGelu)));
  return ((x * (1 - h * h)) * (square * T(3 * kGelu * kGelu3) + T(kGelu)) + h + 1) * T(0.5);
}

template <class T, Unary Which>
inline V<T> function_of(V<T> v) {
  if constexpr (Which == Unary::relu) return v < 0 ? V<T>{} : v;
  if constexpr (Which == Unary::tanh) return tanh_of(v);
  if constexpr (Which == Unary::sigmoid) return sigmoid_of(v);
  if constexpr (Which == Unary::silu) return v * sigmoid_of(v);
  if constexpr (Which == Unary::gelu) return gelu_of<T>(v);
  if constexpr (Which == Unary::gelu_tanh) return gelu_tanh_of<T>(v);
  if constexpr (Which == Unary::exp) return exp_of(v);
  if constexpr (Which == Unary::erf) return erf_of(v);
}

/// The gradient, given g and either the operand or the result.
template <class T, Unary Which>
inline V<T> slope_of(V<T> v, V<T> back) {
  if constexpr (Which == Unary::relu) return v > 0 ? back : V<T>{};
  if constexpr (Which == Unary::tanh) return back * (1 - v * v);
  if constexpr (Which == Unary::sigmoid) return back * (v * (1 - v));
  if constexpr (Which == Unary::silu) {
    V<T> s = sigmoid_of(v);
    return back * (s * (v * (1 - s) + 1));
  }
  if constexpr (Which == Unary::gelu) return back * gelu_slope<T>(v);
  if constexpr (Which == Unary::gelu_tanh) return back * gelu_tanh_slope<T>(v);
  if constexpr (Which == Unary::exp) return back * v;
  if constexpr (Which == Unary::erf) return back * (exp_of(v * v * T(-1)) * T(1.1283791670955126));
}

template <class T, Unary Which>
void unary(Size count, const T* x, T* y) {
  map_parts(count, [](V<T> v) -> V<T> { return function_of<T, Which>(v); }, y, x);
}

template <class T, Unary Which>
void unary_back(Size count, const T* x, const T* g, T* y) {
  map_parts(count, [](V<T> v, V<T> back) -> V<T> { return slope_of<T, Which>(v, back); }, y, x, g);
}

template <class T, Binary Which>
inline V<T> combined(V<T> x, V<T> y) {
  if constexpr (Which == Binary::add) return x + y;
  if constexpr (Which == Binary::sub) return x - y;
  if constexpr (Which == Binary::mul) return x * y;
}

/// z [n,c,k] = x [n,c,k] with y: alike, or along the middle axis [c].
template <class T, Binary Which>
void binary(Size n, Size c, Size k, bool along, const T* x, const T* y, T* z) {
  auto both = combined<T, Which>;
  if (!along) return map_parts(n * c * k, both, z, x, y);
  if (k == 1)
    return parallel_parts(n, most(1, kPart / c), [&](Size from, Size to) {
      for (Size i = from; i < to; ++i) map(c, both, z + i * c, x + i * c, y);
    });
  parallel_parts(n * c, most(1, kPart / k), [&](Size from, Size to) {
    for (Size i = from; i < to; ++i) {
      V<T> same = splat(y[i % c]);
      map(k, [&](V<T> v) { return both(v, same); }, z + i * k, x + i * k);
    }
  });
}

}  // namespace
}  // namespace oarlock::kernels
