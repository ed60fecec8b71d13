// Steps of optimizers, over many parameters at once.   Each reads its parameter and writes the
// changed one to new memory.
#pragma once
#include "kernels/elementwise.h"

namespace oarlock::kernels {
namespace {

/// `body(array, from, to)` over parts of arrays of different sizes, given where each one starts in
/// all of them.
template <class Body>
void each_part(Size count, const Size* starts, const Body& body) {
  parallel_parts(starts[count], kPart, [&](Size from, Size to) {
    for (Size i = 0; i < count; ++i) {
      Size low = most(from, starts[i]) - starts[i], high = least(to, starts[i + 1]) - starts[i];
      if (low < high) body(i, low, high);
    }
  });
}

inline float root(float x) { return __builtin_sqrtf(x); }
inline double root(double x) { return __builtin_sqrt(x); }

/// One part of one parameter; the arrays do not overlap, which lets the compiler work in vectors.
template <class T>
void adam_part(const AdamStep<T>& step, Size from, Size to) {
  const AdamStep<T> s = step;
  const T* __restrict parameter = s.parameter, * __restrict gradient = s.gradient;
  T* __restrict first = s.first, * __restrict second = s.second, * __restrict result = s.result;
  for (Size k = from; k < to; ++k) {
    T g = gradient[k], m = first[k] * s.beta1 + g * s.rest1,
      v = second[k] * s.beta2 + g * g * s.rest2;
    first[k] = m;
    second[k] = v;
    result[k] = parameter[k] * s.keep - m / (root(v) + s.epsilon) * s.rate;
  }
}

template <class T>
void adam(Size count, const Size* starts, const AdamStep<T>* steps) {
  each_part(count, starts, [&](Size i, Size from, Size to) { adam_part(steps[i], from, to); });
}

template <class T>
void momentum_part(const MomentumStep<T>& step, Size from, Size to) {
  const MomentumStep<T> s = step;
  const T* __restrict parameter = s.parameter, * __restrict gradient = s.gradient;
  T* __restrict velocity = s.velocity, * __restrict result = s.result;
  T ahead = s.nesterov ? s.momentum : T(1), now = s.nesterov ? T(1) : T(0);
  if (!velocity) {
    for (Size k = from; k < to; ++k) result[k] = parameter[k] - gradient[k] * s.rate;
    return;
  }
  for (Size k = from; k < to; ++k) {
    T g = gradient[k], v = velocity[k] * s.momentum + g;
    velocity[k] = v;
    result[k] = parameter[k] - (g * now + v * ahead) * s.rate;
  }
}

template <class T>
void momentum(Size count, const Size* starts, const MomentumStep<T>* steps) {
  each_part(count, starts, [&](Size i, Size from, Size to) { momentum_part(steps[i], from, to); });
}

}  // namespace
}  // namespace oarlock::kernels
