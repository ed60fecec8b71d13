// Softmax of rows [r,k], and cross entropy with class labels.
#pragma once
#include "kernels/per_channel_sum.h"

namespace oarlock::kernels {
namespace {

/// Calls `body(row)` for every row, in parallel.
template <class Body>
void for_each_row(Size r, Size k, const Body& body) {
  parallel_ranges(r, max(1, kElementsPerTask / 4 / k), [&](Size from, Size to) {
    for (Size i = from; i < to; ++i) body(i);
  });
}

template <class T>
T row_max(Size k, const T* x) {
  T best = x[0];
  Size i = 0;
  if (k >= kLanes<T>) {
    V<T> most = load(x);
    for (i = kLanes<T>; i + kLanes<T> <= k; i += kLanes<T>) {
      V<T> v = load(x + i);
      most = v > most || v != v ? v : most;  // NaN propagates
    }
    best = horizontal_reduce<T>(most, [](V<T> a, V<T> b) { return b > a || b != b ? b : a; });
  }
  for (; i < k; ++i) best = x[i] > best || x[i] != x[i] ? x[i] : best;
  return best;
}

/// y = e ** (x - top); returns the sum.
template <class T>
T exp_and_sum(Size k, const T* x, T top, T* y) {
  map_vectors(k, [&](V<T> v) { return exp_of(v - top); }, y, x);
  return sum_mapped_elements<T>(k, [](V<T> v) { return v; }, y);
}

/// y = softmax of one row; y may be x.
template <class T>
void softmax_of_row(Size k, const T* x, T* y) {
  T total = exp_and_sum(k, x, row_max(k, x), y);
  map_vectors(k, [&](V<T> v) { return v / total; }, y, y);
}

template <class T>
void softmax(Size r, Size k, const T* x, T* y) {
  for_each_row(r, k, [&](Size i) { softmax_of_row(k, x + i * k, y + i * k); });
}

template <class T>
void softmax_grad(Size r, Size k, const T* y, const T* g, T* dx) {
  for_each_row(r, k, [&](Size i) {
    const T *out = y + i * k, *back = g + i * k;
    T dot = sum_mapped_elements<T>(k, [](V<T> a, V<T> b) { return a * b; }, out, back);
    map_vectors(k, [&](V<T> a, V<T> b) { return a * (b - dot); }, dx + i * k, out, back);
  });
}

template <class T>
void log_softmax(Size r, Size k, const T* x, T* y) {
  for_each_row(r, k, [&](Size i) {
    T* row = y + i * k;
    T top = row_max(k, x + i * k),
      log = static_cast<T>(__builtin_log(exp_and_sum(k, x + i * k, top, row)));
    map_vectors(k, [&](V<T> v) { return v - top - log; }, row, x + i * k);
  });
}

/// probabilities [r,k] and loss [r]. labels: classes, or `ignored`, for which the loss is zero.
template <class T>
void cross_entropy(Size r, Size k, const T* x, const std::int64_t* labels, std::int64_t ignored,
                   T* probabilities, T* loss) {
  for_each_row(r, k, [&](Size i) {
    T *row = probabilities + i * k, top = row_max(k, x + i * k);
    T total = exp_and_sum(k, x + i * k, top, row);
    map_vectors(k, [&](V<T> v) { return v / total; }, row, row);
    loss[i] = labels[i] == ignored
                  ? T(0)
                  : static_cast<T>(__builtin_log(total)) - (x[i * k + labels[i]] - top);
  });
}

template <class T>
void cross_entropy_grad(Size r, Size k, const T* probabilities, const std::int64_t* labels,
                        std::int64_t ignored, const T* g, T* dx) {
  for_each_row(r, k, [&](Size i) {
    T times = labels[i] == ignored ? T(0) : g[i];
    map_vectors(k, [&](V<T> v) { return v * times; }, dx + i * k, probabilities + i * k);
    if (labels[i] != ignored) dx[i * k + labels[i]] -= times;
  });
}

}  // namespace
}  // namespace oarlock::kernels
