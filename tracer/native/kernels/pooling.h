// Pooling of images, plane by plane.  Windows are clipped at the image border.
#pragma once
#include <type_traits>

#include "kernels/kernels.h"
#include "kernels/simd.h"

namespace oarlock::kernels {
namespace {

/// The range [from, to) of a window along one axis.
struct WindowRange {
  Size from, to;
};

inline WindowRange window_range(Size index, Size stride, Size before, Size window, Size size,
                                Size out) {
  if (window == 0)  // adaptive
    return {index * size / out, ceil_div((index + 1) * size, out)};
  Size start = index * stride - before;
  return {max(start, 0), min(start + window, size)};
}

inline WindowRange window_rows(const PoolShape& s, Size row) {
  return window_range(row, s.stride_h, s.top, s.kh, s.h, s.oh);
}
inline WindowRange window_columns(const PoolShape& s, Size column) {
  return window_range(column, s.stride_w, s.left, s.kw, s.w, s.ow);
}

/// Calls `body(from, to, first)` for the output columns [from, to) whose windows have an element at
/// column offset `offset`; `first`: the image column of this element for the output column `from`.
template <class Body>
inline void for_columns_at_offset(const PoolShape& s, Size offset, const Body& body) {
  Size before = s.left - offset;  // image column = output column * stride - before
  Size from = before > 0 ? ceil_div(before, s.stride_w) : 0;
  Size last = s.w - 1 + before;
  Size to = last < 0 ? 0 : min(s.ow, last / s.stride_w + 1);
  if (from < to) body(from, to, from * s.stride_w - before);
}

/// Calls `body(stride)` with the column stride, as a constant for the frequent strides 1 and 2,
/// whose loops are vectorized.
template <class Body>
inline void dispatch_column_stride(const PoolShape& s, const Body& body) {
  if (s.stride_w == 1) return body(std::integral_constant<Size, 1>{});
  if (s.stride_w == 2) return body(std::integral_constant<Size, 2>{});
  body(s.stride_w);
}

/// Calls `body(plane, left)` for every plane, in tasks of some thousand elements. left: the number
/// of planes of the task from this plane on.
template <class Body>
void for_each_plane(const PoolShape& s, const Body& body) {
  parallel_ranges(s.planes, max(1, 16384 / max(1, s.h * s.w)), [&](Size from, Size to) {
    for (Size p = from; p < to; ++p) body(p, to - p);
  });
}

template <class T>
inline T max_or_nan(T a, T b) {
  return (b > a) | (b != b) ? b : a;  // NaN propagates; no branch
}

/// Whether windows are 2 x 2, adjacent, and inside of the image.  This is the most frequent case
/// and is vectorized.
inline bool has_adjacent_2x2_windows(const PoolShape& s) {
  return s.kh == 2 && s.kw == 2 && s.stride_h == 2 && s.stride_w == 2 && s.top == 0 &&
         s.left == 0 && 2 * s.oh <= s.h && 2 * s.ow <= s.w;
}

/// Whether output row `row` can be processed in whole vectors: accesses after its end stay in the
/// planes of the task, and later rows overwrite what was written there.
template <class T>
bool can_process_row_in_whole_vectors(const PoolShape& s, Size row, Size left) {
  Size columns = ceil_div(s.ow, kLanes<T>) * kLanes<T>;
  return (2 * row + 1) * s.w + 2 * columns <= left * s.h * s.w &&
         row * s.ow + columns <= left * s.oh * s.ow;
}

template <class T, int... I>
inline void load_deinterleaved(const T* from, V<T>& even, V<T>& odd,
                               std::integer_sequence<int, I...>) {
  V<T> a = load(from), b = load(from + kLanes<T>);
  even = __builtin_shufflevector(a, b, 2 * I...);
  odd = __builtin_shufflevector(a, b, 2 * I + 1 ...);
}

/// The four elements of each of several adjacent 2 x 2 windows: one vector per window position.
template <class T>
inline void load_2x2_windows(const T* from, Size w, V<T> (&windows)[4]) {
  load_deinterleaved(from, windows[0], windows[1], std::make_integer_sequence<int, kLanes<T>>{});
  load_deinterleaved(from + w, windows[2], windows[3],
                     std::make_integer_sequence<int, kLanes<T>>{});
}

template <class T>
void max_pool_2x2_row(const PoolShape& s, const T* x, T* y) {
  for (Size j = 0; j < s.ow; j += kLanes<T>) {
    V<T> windows[4];
    load_2x2_windows(x + 2 * j, s.w, windows);
    V<T> best = windows[0];
    for (int i = 1; i < 4; ++i)
      best = (windows[i] > best) | (windows[i] != windows[i]) ? windows[i] : best;
    store(y + j, best);
  }
}

/// Interleaves the elements of two vectors: a becomes the first half, b the second.
template <class T, int... I>
void interleave_in_place(V<T>& a, V<T>& b, std::integer_sequence<int, I...>) {
  constexpr int n = kLanes<T>;
  V<T> low = __builtin_shufflevector(a, b, (I % 2 ? n : 0) + I / 2 ...);
  b = __builtin_shufflevector(a, b, (I % 2 ? n : 0) + n / 2 + I / 2 ...);
  a = low;
}

template <class T>
void max_pool_grad_2x2_row(const PoolShape& s, const T* x, const T* y, const T* g, T* dx) {
  for (Size half = 0; half < 2;
       ++half)  // the lower row last: it overwrites what the upper row writes beyond its end
    for (Size j = 0; j < s.ow; j += kLanes<T>) {
      V<T> windows[4], best = load(y + j), back = load(g + j), zero = {};
      load_2x2_windows(x + 2 * j, s.w, windows);
      auto first = windows[0] == best, second = ~first & (windows[1] == best),
           above = first | second;
      auto third = ~above & (windows[2] == best), fourth = ~above & ~third & (windows[3] == best);
      V<T> even = (half ? third : first) ? back : zero,
           odd = (half ? fourth : second) ? back : zero;
      interleave_in_place<T>(even, odd, std::make_integer_sequence<int, kLanes<T>>{});
      store(dx + half * s.w + 2 * j, even);
      store(dx + half * s.w + 2 * j + kLanes<T>, odd);
    }
}

/// The same as max_pool_2x2_row, window by window, for a row that does not fit whole vectors.
template <class T>
void max_pool_2x2_row_scalar(const PoolShape& s, const T* x, T* y) {
  for (Size j = 0; j < s.ow; ++j) {
    const T* at = x + 2 * j;
    y[j] = max_or_nan(max_or_nan(max_or_nan(at[0], at[1]), at[s.w]), at[s.w + 1]);
  }
}

template <class T>
void max_pool_grad_2x2_row_scalar(const PoolShape& s, const T* x, const T* y, const T* g, T* dx) {
  for (Size j = 0; j < s.ow; ++j) {
    const T* at = x + 2 * j;
    T best = y[j], back = g[j];
    bool first = at[0] == best, second = !first & (at[1] == best), above = first | second;
    bool third = !above & (at[s.w] == best), fourth = !above & !third & (at[s.w + 1] == best);
    T* to = dx + 2 * j;
    to[0] = first ? back : T(0);
    to[1] = second ? back : T(0);
    to[s.w] = third ? back : T(0);
    to[s.w + 1] = fourth ? back : T(0);
  }
}

template <class T>
T window_max(const PoolShape& s, const T* x, WindowRange rows, WindowRange columns) {
  T best = -static_cast<T>(__builtin_inf());
  for (Size i = rows.from; i < rows.to; ++i)
    for (Size j = columns.from; j < columns.to; ++j) best = max_or_nan(best, x[i * s.w + j]);
  return best;
}

/// One output row for windows of equal size: first the maximum over the rows of the windows for
/// each image column, then the maximum of these over the columns of each window.
template <class T>
void max_pool_row(const PoolShape& s, const T* plane, WindowRange rows, T* __restrict y) {
  const T* columns = plane + rows.from * s.w;
  constexpr T lowest = -static_cast<T>(__builtin_inf());
  if (rows.to - rows.from != 1) {
    T* __restrict column_maxima = padded_workspace<T>(0, s.w);
    for (Size c = 0; c < s.w; ++c) column_maxima[c] = lowest;
    for (Size r = rows.from; r < rows.to; ++r) {
      const T* __restrict x = plane + r * s.w;
      for (Size c = 0; c < s.w; ++c) column_maxima[c] = max_or_nan(column_maxima[c], x[c]);
    }
    columns = column_maxima;
  }
  for (Size j = 0; j < s.ow; ++j) y[j] = lowest;
  dispatch_column_stride(s, [&](auto stride) {
    for (Size offset = 0; offset < s.kw; ++offset)
      for_columns_at_offset(s, offset, [&](Size from, Size to, Size first) {
        const T* __restrict x = columns + first;
        T* __restrict best = y + from;
        for (Size j = 0; j < to - from; ++j) best[j] = max_or_nan(best[j], x[j * stride]);
      });
  });
}

template <class T>
void max_pool(const PoolShape& s, const T* x, T* y) {
  bool twos = has_adjacent_2x2_windows(s);
  for_each_plane(s, [&](Size p, Size left) {
    const T* plane = x + p * s.h * s.w;
    for (Size i = 0; i < s.oh; ++i) {
      T* row = y + (p * s.oh + i) * s.ow;
      if (twos) {
        can_process_row_in_whole_vectors<T>(s, i, left)
            ? max_pool_2x2_row(s, plane + 2 * i * s.w, row)
            : max_pool_2x2_row_scalar(s, plane + 2 * i * s.w, row);
        continue;
      }
      WindowRange rows = window_rows(s, i);
      if (s.kw > 0 && s.ow >= kLanes<T>) {
        max_pool_row(s, plane, rows, row);
        continue;
      }
      for (Size j = 0; j < s.ow; ++j) row[j] = window_max(s, plane, rows, window_columns(s, j));
    }
  });
}

/// Max pooling with the index of the first maximum of each window in its plane.  NaN is skipped;
/// the result of a window without a number is the lowest number and the index -1.
template <class T>
void max_pool_with_index(const PoolShape& s, const T* x, T* y, std::int32_t* indices) {
  constexpr T lowest =
      sizeof(T) == sizeof(float) ? static_cast<T>(-__FLT_MAX__) : static_cast<T>(-__DBL_MAX__);
  for_each_plane(s, [&](Size p, Size) {
    const T* plane = x + p * s.h * s.w;
    for (Size i = 0; i < s.oh; ++i) {
      Size at = (p * s.oh + i) * s.ow;
      WindowRange rows = window_rows(s, i);
      for (Size j = 0; j < s.ow; ++j) y[at + j] = lowest, indices[at + j] = -1;
      if (s.kw == 0) {
        for (Size j = 0; j < s.ow; ++j) {
          WindowRange columns = window_columns(s, j);
          for (Size r = rows.from; r < rows.to; ++r)
            for (Size c = columns.from; c < columns.to; ++c)
              if (T v = plane[r * s.w + c]; v > y[at + j])
                y[at + j] = v, indices[at + j] = static_cast<std::int32_t>(r * s.w + c);
        }
        continue;
      }
      dispatch_column_stride(s, [&](auto stride) {
        for (Size r = rows.from; r < rows.to; ++r)
          for (Size offset = 0; offset < s.kw; ++offset)
            for_columns_at_offset(s, offset, [&](Size from, Size to, Size first) {
              const T* __restrict v = plane + r * s.w + first;
              T* __restrict best = y + at + from;
              std::int32_t* __restrict where = indices + at + from;
              auto start = static_cast<std::int32_t>(r * s.w + first);
              auto step = static_cast<std::int32_t>(stride);
              for (std::int32_t j = 0; j < static_cast<std::int32_t>(to - from); ++j) {
                bool is_better = v[j * stride] > best[j];
                best[j] = is_better ? v[j * stride] : best[j];
                where[j] = is_better ? start + j * step : where[j];
              }
            });
      });
    }
  });
}

/// Adds the gradient to the first maximal element of the window.
template <class T>
void add_gradient_to_first_max(const PoolShape& s, const T* x, T best, T g, WindowRange rows,
                               WindowRange columns, T* dx) {
  for (Size i = rows.from; i < rows.to; ++i)
    for (Size j = columns.from; j < columns.to; ++j)
      if (x[i * s.w + j] == best) {
        dx[i * s.w + j] += g;
        return;
      }
}

/// Zeroes the columns and rows at the end that no 2 x 2 window covers.
template <class T>
void zero_pixels_outside_2x2_windows(const PoolShape& s, T* dx) {
  for (Size r = 0; r < 2 * s.oh; ++r)
    for (Size c = 2 * s.ow; c < s.w; ++c) dx[r * s.w + c] = 0;
  for (Size k = 2 * s.oh * s.w; k < s.h * s.w; ++k) dx[k] = 0;
}

template <class T>
void max_pool_grad(const PoolShape& s, const T* x, const T* y, const T* g, T* dx) {
  bool twos = has_adjacent_2x2_windows(s);
  for_each_plane(s, [&](Size p, Size left) {
    const T *plane = x + p * s.h * s.w, *best = y + p * s.oh * s.ow, *back = g + p * s.oh * s.ow;
    T* to = dx + p * s.h * s.w;
    if (!twos)
      for (Size k = 0; k < s.h * s.w; ++k) to[k] = 0;
    for (Size i = 0; i < s.oh; ++i, best += s.ow, back += s.ow) {
      Size row = 2 * i * s.w;
      if (twos)
        (can_process_row_in_whole_vectors<T>(s, i, left)
             ? max_pool_grad_2x2_row<T>
             : max_pool_grad_2x2_row_scalar<T>)(s, plane + row, best, back, to + row);
      else
        for (Size j = 0; j < s.ow; ++j)
          add_gradient_to_first_max(s, plane, best[j], back[j], window_rows(s, i),
                                    window_columns(s, j), to);
    }
    if (twos) zero_pixels_outside_2x2_windows(s, to);
  });
}

template <class T>
void avg_pool(const PoolShape& s, const T* x, const T* counts_h, const T* counts_w, T* y) {
  for_each_plane(s, [&](Size p, Size) {
    const T* plane = x + p * s.h * s.w;
    for (Size i = 0; i < s.oh; ++i) {
      T* row = y + (p * s.oh + i) * s.ow;
      WindowRange rows = window_rows(s, i);
      if (s.kw == 0 || s.ow < kLanes<T>) {
        for (Size j = 0; j < s.ow; ++j) {
          WindowRange columns = window_columns(s, j);
          T sum = 0;
          for (Size r = rows.from; r < rows.to; ++r)
            for (Size c = columns.from; c < columns.to; ++c) sum += plane[r * s.w + c];
          row[j] = sum;
        }
      } else {
        for (Size j = 0; j < s.ow; ++j) row[j] = 0;
        dispatch_column_stride(s, [&](auto stride) {
          for (Size r = rows.from; r < rows.to; ++r)
            for (Size offset = 0; offset < s.kw; ++offset)
              for_columns_at_offset(s, offset, [&](Size from, Size to, Size first) {
                const T* __restrict v = plane + r * s.w + first;
                T* __restrict sums = row + from;
                for (Size j = 0; j < to - from; ++j) sums[j] += v[j * stride];
              });
        });
      }
      for (Size j = 0; j < s.ow; ++j) row[j] /= counts_h[i] * counts_w[j];
    }
  });
}

template <class T>
void avg_pool_grad(const PoolShape& s, const T* g, const T* counts_h, const T* counts_w, T* dx) {
  for_each_plane(s, [&](Size p, Size) {
    T* to = dx + p * s.h * s.w;
    for (Size i = 0; i < s.h * s.w; ++i) to[i] = 0;
    for (Size i = 0; i < s.oh; ++i)
      for (Size j = 0; j < s.ow; ++j) {
        WindowRange rows = window_rows(s, i), columns = window_columns(s, j);
        T share = g[(p * s.oh + i) * s.ow + j] / (counts_h[i] * counts_w[j]);
        for (Size r = rows.from; r < rows.to; ++r)
          for (Size c = columns.from; c < columns.to; ++c) to[r * s.w + c] += share;
      }
  });
}

}  // namespace
}  // namespace oarlock::kernels
