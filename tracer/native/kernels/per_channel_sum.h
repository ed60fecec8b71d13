// Sums over all axes but the middle one: x [n,c,k] -> [c].
#pragma once
#include "kernels/elementwise.h"

namespace oarlock::kernels {
namespace {

/// The sum of f over `count` elements of each operand, in four vectors.  Large counts use pairwise
/// summation, which reduces rounding errors.
template <class T, class F, class... X>
T sum_mapped_elements(Size count, const F& f, const X*... x) {
  if (Size half = count / 2; count > 8192)
    return sum_mapped_elements<T>(half, f, x...) +
           sum_mapped_elements<T>(count - half, f, (x + half)...);
  constexpr Size n = kLanes<T>;
  V<T> sums[4] = {};
  Size i = 0;
  for (; i + 4 * n <= count; i += 4 * n)
    for (Size j = 0; j < 4; ++j) sums[j] += f(load(x + i + j * n)...);
  for (; i + n <= count; i += n) sums[0] += f(load(x + i)...);
  T total = horizontal_sum<T>((sums[0] + sums[1]) + (sums[2] + sums[3]));
  for (; i < count; ++i) total += f(splat(x[i])...)[0];
  return total;
}

/// sums [c] += the sum of f over the rows [from, to) of each operand [rows,c].
template <class T, class F, class... X>
void add_mapped_column_sums(Size from, Size to, Size c, const F& f, T* sums, const X*... x) {
  for (Size i = from; i < to; ++i) {
    Size j = 0;
    for (; j + kLanes<T> <= c; j += kLanes<T>)
      store(sums + j, load(sums + j) + f(load(x + i * c + j)...));
    for (; j < c; ++j) sums[j] += f(splat(x[i * c + j])...)[0];
  }
}

/// sums [c] = the sum of f over the rows of operands [rows,c].  The partial sums of the tasks are
/// added in a fixed order.
template <class T, class F, class... X>
void sum_mapped_columns(Size rows, Size c, const F& f, T* sums, const X*... x) {
  Size part = max(1, kElementsPerTask / c), parts = ceil_div(rows, part);
  T* each = padded_workspace<T>(0, parts * c);
  for (Size i = 0; i < parts * c; ++i) each[i] = 0;
  parallel_for(parts, [&](Size p) {
    add_mapped_column_sums(p * part, min(rows, (p + 1) * part), c, f, each + p * c, x...);
  });
  for (Size j = 0; j < c; ++j) {
    sums[j] = each[j];
    for (Size p = 1; p < parts; ++p) sums[j] += each[p * c + j];
  }
}

template <class T>
void sum(Size n, Size c, Size k, const T* x, T* y) {
  auto same = [](V<T> v) { return v; };
  if (k == 1) return sum_mapped_columns(n, c, same, y, x);
  parallel_ranges(c, max(1, kElementsPerTask / (n * k)), [&](Size from, Size to) {
    for (Size j = from; j < to; ++j) {
      T total = 0;
      for (Size i = 0; i < n; ++i) total += sum_mapped_elements<T>(k, same, x + (i * c + j) * k);
      y[j] = total;
    }
  });
}

}  // namespace
}  // namespace oarlock::kernels
