// Standardization of x [n,c,k] for each index of its middle axis.  Batch norm uses it with channels
// as the middle axis, layer norm with rows (n = 1).
#pragma once
#include "kernels/per_channel_sum.h"

namespace oarlock::kernels {
namespace {

/// Calls `body(j)` for every index j of the middle axis, in parallel.
template <class Body>
void parallel_for_each_channel(Size n, Size c, Size k, const Body& body) {
  parallel_ranges(c, max(1, kElementsPerTask / max(1, n * k)), [&](Size from, Size to) {
    for (Size j = from; j < to; ++j) body(j);
  });
}

/// Sets the mean and the variance of index j of the middle axis.
template <class T>
[[gnu::always_inline]] inline void moments_of_channel(Size n, Size c, Size k, Size j, const T* x,
                                                      T* mean, T* variance) {
  T count = static_cast<T>(n * k), total = 0, squared_deviations = 0;
  for (Size i = 0; i < n; ++i)
    total += sum_mapped_elements<T>(k, [](V<T> v) { return v; }, x + (i * c + j) * k);
  T average = total / count;
  auto square = [&](V<T> v) { return (v - average) * (v - average); };
  for (Size i = 0; i < n; ++i)
    squared_deviations += sum_mapped_elements<T>(k, square, x + (i * c + j) * k);
  mean[j] = average;
  variance[j] = squared_deviations / count;
}

template <class T>
void moments(Size n, Size c, Size k, const T* x, T* mean, T* variance) {
  parallel_for_each_channel(n, c, k,
                            [&](Size j) { moments_of_channel(n, c, k, j, x, mean, variance); });
}

/// y = (x - mean) * factor + bias, each of [c].
template <class T>
void affine(Size n, Size c, Size k, const T* x, const T* mean, const T* factor, const T* bias,
            T* y) {
  parallel_ranges(n * c, max(1, kElementsPerTask / k), [&](Size from, Size to) {
    for (Size i = from; i < to; ++i) {
      T middle = mean[i % c], times = factor[i % c], plus = bias[i % c];
      map_vectors(k, [&](V<T> v) { return (v - middle) * times + plus; }, y + i * k, x + i * k);
    }
  });
}

/// y [r,k] = standardized rows of x, times weight [k] and plus bias [k] if given.
template <class T>
void layer_norm(Size r, Size k, T epsilon, const T* x, const T* weight, const T* bias, T* y,
                T* mean, T* variance) {
  parallel_ranges(r, max(1, kElementsPerTask / 2 / k), [&](Size from, Size to) {
    for (Size i = from; i < to; ++i) {
      moments_of_channel(Size(1), r, k, i, x, mean, variance);
      T row_mean = mean[i], inv_std = 1 / __builtin_sqrt(variance[i] + epsilon), *out = y + i * k;
      const T* row = x + i * k;
      auto xhat = [&](V<T> v) { return (v - row_mean) * inv_std; };
      if (weight && bias)
        map_vectors(
            k, [&](V<T> v, V<T> w, V<T> b) { return xhat(v) * w + b; }, out, row, weight, bias);
      else if (weight)
        map_vectors(k, [&](V<T> v, V<T> w) { return xhat(v) * w; }, out, row, weight);
      else if (bias)
        map_vectors(k, [&](V<T> v, V<T> b) { return xhat(v) + b; }, out, row, bias);
      else
        map_vectors(k, xhat, out, row);
    }
  });
}

/// The gradients of y = xhat * weight + bias, xhat = (x - mean) * inv_std, for g like y: dweight
/// [c] = the sum of xhat * g over n and k, dbias [c] = the sum of g, and dx = weight * inv_std * (g
/// - mean g - xhat * mean(g * xhat)), means over n and k. `weight` may be null, for ones.
template <class T>
void standardize_affine_grad(Size n, Size c, Size k, const T* x, const T* weight, const T* mean,
                             const T* inv_std, const T* g, T* dx, T* dweight, T* dbias) {
  T count = static_cast<T>(n * k);
  parallel_for_each_channel(n, c, k, [&](Size j) {
    // sum_g_centered: of g * (x - mean)
    T channel_mean = mean[j], inv = inv_std[j], sum_g = 0, sum_g_centered = 0;
    for (Size i = 0; i < n; ++i) {
      const T *x_row = x + (i * c + j) * k, *g_row = g + (i * c + j) * k;
      sum_g += sum_mapped_elements<T>(k, [](V<T> u) { return u; }, g_row);
      sum_g_centered += sum_mapped_elements<T>(
          k, [&](V<T> v, V<T> u) { return (v - channel_mean) * u; }, x_row, g_row);
    }
    dweight[j] = sum_g_centered * inv;
    dbias[j] = sum_g;
    T mean_g = sum_g / count, slope = sum_g_centered / count * inv * inv;
    if (weight) inv *= weight[j];
    for (Size i = 0; i < n; ++i) {
      const T *x_row = x + (i * c + j) * k, *g_row = g + (i * c + j) * k;
      map_vectors(
          k, [&](V<T> v, V<T> u) { return (u - mean_g - (v - channel_mean) * slope) * inv; },
          dx + (i * c + j) * k, x_row, g_row);
    }
  });
}

/// out [c] = the sum of xhat * y over n and k; the _rows variant, for n = 1, sums over c to out
/// [k].
template <class T>
void standardize_dot(Size n, Size c, Size k, const T* x, const T* mean, const T* inv_std,
                     const T* y, T* out) {
  parallel_for_each_channel(n, c, k, [&](Size j) {
    T middle = mean[j], dot = 0;
    for (Size i = 0; i < n; ++i)
      dot += sum_mapped_elements<T>(
          k, [&](V<T> v, V<T> b) { return (v - middle) * b; }, x + (i * c + j) * k,
          y + (i * c + j) * k);
    out[j] = dot * inv_std[j];
  });
}

template <class T>
void standardize_dot_over_rows(Size r, Size k, const T* x, const T* mean, const T* inv_std,
                               const T* y, T* out) {
  Size part = max(1, kElementsPerTask / k), parts = ceil_div(r, part);
  T* each = padded_workspace<T>(0, parts * k);
  for (Size i = 0; i < parts * k; ++i) each[i] = 0;
  parallel_for(parts, [&](Size p) {
    for (Size i = p * part; i < min(r, (p + 1) * part); ++i) {
      T middle = mean[i], inv = inv_std[i], *sums = each + p * k;
      map_vectors(
          k, [&](V<T> s, V<T> v, V<T> b) { return s + (v - middle) * inv * b; }, sums, sums,
          x + i * k, y + i * k);
    }
  });
  for (Size j = 0; j < k; ++j) {
    out[j] = each[j];
    for (Size p = 1; p < parts; ++p) out[j] += each[p * k + j];
  }
}

}  // namespace
}  // namespace oarlock::kernels
