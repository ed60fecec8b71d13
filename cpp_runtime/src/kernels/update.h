// Steps of optimizers, over many parameters at once.   Each reads its parameter and writes the changed one to new memory.
#pragma once
#include "kernels/elementwise.h"

namespace oarlock::kernels {
namespace {

/// `body(array, from, to)` over parts of arrays of different sizes, given where each one starts in all of them.
template <class Body>
void each_part(Size count, const Size* starts, const Body& body) {
  parallel_parts(starts[count], kPart, [&](Size from, Size to) {
    for (Size i = 0; i < count; ++i) {
      Size low = most(from, starts[i]) - starts[i], high = least(to, starts[i + 1]) - starts[i];
      if (low < high) body(i, low, high);
    }
  });
}

template <class T>
void adam(Size count, const Size* starts, const AdamStep<T>* steps) {
  each_part(count, starts, [&](Size i, Size from, Size to) {
    const AdamStep<T>& s = steps[i];
    T rest1 = s.rest1, rest2 = s.rest2;
    for (Size k = from; k < to; ++k) {
      T g = s.gradient[k];
      T first = s.first[k] * s.beta1 + g * rest1, second = s.second[k] * s.beta2 + g * g * rest2;
      s.first[k] = first;
      s.second[k] = second;
      T root = sizeof(T) == 4 ? static_cast<T>(__builtin_sqrtf(static_cast<float>(second))) : __builtin_sqrt(second);
      s.result[k] = s.parameter[k] * s.keep - first / (root + s.epsilon) * s.rate;
    }
  });
}

template <class T>
void momentum(Size count, const Size* starts, const MomentumStep<T>* steps) {
  each_part(count, starts, [&](Size i, Size from, Size to) {
    const MomentumStep<T>& s = steps[i];
    for (Size k = from; k < to; ++k) {
      T g = s.gradient[k], velocity = s.velocity ? s.velocity[k] * s.momentum + g : g;
      if (s.velocity) s.velocity[k] = velocity;
      s.result[k] = s.parameter[k] - (s.nesterov ? g + velocity * s.momentum : velocity) * s.rate;
    }
  });
}

}  // namespace
}  // namespace oarlock::kernels
