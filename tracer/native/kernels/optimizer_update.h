// Optimizer updates of many parameters at once.  Moments are updated in place; new parameter
// values are written to new arrays.
#pragma once
#include "kernels/elementwise.h"

namespace oarlock::kernels {
namespace {

/// Calls `body(array, from, to)` for parts of arrays of different sizes. starts: the position of
/// each array in their concatenation.
template <class Body>
void for_each_array_part(Size count, const Size* starts, const Body& body) {
  parallel_ranges(starts[count], kElementsPerTask, [&](Size from, Size to) {
    for (Size i = 0; i < count; ++i) {
      Size low = max(from, starts[i]) - starts[i], high = min(to, starts[i + 1]) - starts[i];
      if (low < high) body(i, low, high);
    }
  });
}

inline float sqrt_scalar(float x) { return __builtin_sqrtf(x); }
inline double sqrt_scalar(double x) { return __builtin_sqrt(x); }

/// Updates the elements [from, to) of one parameter and of its moments by a step of Adam.  The
/// arrays do not overlap, which enables vectorization.
template <class T>
void update_array_part_by_adam(const AdamParameterUpdate<T>& step, Size from, Size to) {
  const AdamParameterUpdate<T> s = step;
  const T* __restrict parameter = s.parameter, * __restrict gradient = s.gradient;
  T* __restrict first = s.first, * __restrict second = s.second, * __restrict result = s.result;
  for (Size k = from; k < to; ++k) {
    T g = gradient[k], m = first[k] * s.beta1 + g * s.one_minus_beta1,
      v = second[k] * s.beta2 + g * g * s.one_minus_beta2;
    first[k] = m;
    second[k] = v;
    result[k] = parameter[k] * s.decay - m / (sqrt_scalar(v) + s.epsilon) * s.learning_rate;
  }
}

template <class T>
void update_parameters_by_adam(Size count, const Size* starts,
                               const AdamParameterUpdate<T>* steps) {
  for_each_array_part(count, starts, [&](Size i, Size from, Size to) {
    update_array_part_by_adam(steps[i], from, to);
  });
}

template <class T>
void update_array_part_by_momentum(const MomentumParameterUpdate<T>& step, Size from, Size to) {
  const MomentumParameterUpdate<T> s = step;
  const T* __restrict parameter = s.parameter, * __restrict gradient = s.gradient;
  T* __restrict velocity = s.velocity, * __restrict result = s.result;
  T ahead = s.nesterov ? s.momentum : T(1), now = s.nesterov ? T(1) : T(0);
  if (!velocity) {
    for (Size k = from; k < to; ++k) result[k] = parameter[k] - gradient[k] * s.learning_rate;
    return;
  }
  for (Size k = from; k < to; ++k) {
    T g = gradient[k], v = velocity[k] * s.momentum + g;
    velocity[k] = v;
    result[k] = parameter[k] - (g * now + v * ahead) * s.learning_rate;
  }
}

template <class T>
void update_parameters_by_momentum(Size count, const Size* starts,
                                   const MomentumParameterUpdate<T>* steps) {
  for_each_array_part(count, starts, [&](Size i, Size from, Size to) {
    update_array_part_by_momentum(steps[i], from, to);
  });
}

}  // namespace
}  // namespace oarlock::kernels
