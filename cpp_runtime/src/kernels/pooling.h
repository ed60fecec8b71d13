// Pooling over pictures, plane by plane.   Windows are cut off where they leave the picture.
#pragma once
#include "kernels/kernels.h"
#include "kernels/lanes.h"

namespace oarlock::kernels {
namespace {

/// What a window covers along one axis: [from, to).
struct Cover {
  Size from, to;
};

inline Cover cover(Size place, Size stride, Size before, Size window, Size size) {
  Size start = place * stride - before;
  return {most(start, 0), least(start + window, size)};
}

inline Cover rows_at(const PoolShape& s, Size row) { return cover(row, s.stride_h, s.top, s.kh, s.h); }
inline Cover columns_at(const PoolShape& s, Size column) { return cover(column, s.stride_w, s.left, s.kw, s.w); }

/// `body` for every plane, in tasks of some thousand elements.
template <class Body>
void each_plane(const PoolShape& s, const Body& body) {
  parallel_parts(s.planes, most(1, 16384 / most(1, s.h * s.w)), [&](Size from, Size to) {
    for (Size p = from; p < to; ++p) body(p);
  });
}

template <class T>
inline T larger(T a, T b) {
  return b > a || b != b ? b : a;  // NaN wins
}

/// The columns of the result whose windows lie inside: [from, to).
inline Cover inner_columns(const PoolShape& s) {
  Size from = least(parts_of(s.left, s.stride_w), s.ow);
  Size to = s.w + s.left >= s.kw ? least((s.w + s.left - s.kw) / s.stride_w + 1, s.ow) : 0;
  return {from, most(from, to)};
}

template <class T>
T largest_of(const PoolShape& s, const T* x, Cover rows, Cover columns) {
  T best = -static_cast<T>(__builtin_inf());
  for (Size i = rows.from; i < rows.to; ++i)
    for (Size j = columns.from; j < columns.to; ++j) best = larger(best, x[i * s.w + j]);
  return best;
}

/// One row of maxima whose windows lie inside: the stride is known to the compiler, or 0.
template <class T, int Stride>
void inner_maxima(const PoolShape& s, const T* x, Cover rows, Cover inside, T* y) {
  Size step = Stride ? Stride : s.stride_w;
  for (Size j = inside.from; j < inside.to; ++j) y[j] = -static_cast<T>(__builtin_inf());
  for (Size i = rows.from; i < rows.to; ++i)
    for (Size k = 0; k < s.kw; ++k) {
      const T* from = x + i * s.w + k - s.left;
      for (Size j = inside.from; j < inside.to; ++j) y[j] = larger(y[j], from[j * (Stride ? Stride : step)]);
    }
}

template <class T>
void max_pool(const PoolShape& s, const T* x, T* y) {
  Cover inside = inner_columns(s);
  auto inner = s.stride_w == 1 ? inner_maxima<T, 1> : s.stride_w == 2 ? inner_maxima<T, 2> : inner_maxima<T, 0>;
  each_plane(s, [&](Size p) {
    const T* plane = x + p * s.h * s.w;
    for (Size i = 0; i < s.oh; ++i) {
      T* row = y + (p * s.oh + i) * s.ow;
      Cover rows = rows_at(s, i);
      inner(s, plane, rows, inside, row);
      for (Size j = 0; j < inside.from; ++j) row[j] = largest_of(s, plane, rows, columns_at(s, j));
      for (Size j = inside.to; j < s.ow; ++j) row[j] = largest_of(s, plane, rows, columns_at(s, j));
    }
  });
}

/// The gradient goes to the first element of the window that is the maximum.
template <class T>
void send_back(const PoolShape& s, const T* x, T best, T g, Cover rows, Cover columns, T* dx) {
  bool open = true;
  for (Size i = rows.from; i < rows.to; ++i)
    for (Size j = columns.from; j < columns.to; ++j) {
      bool hit = open & (x[i * s.w + j] == best);
      dx[i * s.w + j] += hit ? g : T(0);
      open &= !hit;
    }
}

template <class T>
void max_pool_back(const PoolShape& s, const T* x, const T* y, const T* g, T* dx) {
  each_plane(s, [&](Size p) {
    const T* plane = x + p * s.h * s.w;
    T* to = dx + p * s.h * s.w;
    for (Size i = 0; i < s.h * s.w; ++i) to[i] = 0;
    for (Size i = 0; i < s.oh; ++i)
      for (Size j = 0; j < s.ow; ++j) {
        Size at = (p * s.oh + i) * s.ow + j;
        send_back(s, plane, y[at], g[at], rows_at(s, i), columns_at(s, j), to);
      }
  });
}

template <class T>
void avg_pool(const PoolShape& s, const T* x, const T* counts_h, const T* counts_w, T* y) {
  each_plane(s, [&](Size p) {
    const T* plane = x + p * s.h * s.w;
    for (Size i = 0; i < s.oh; ++i)
      for (Size j = 0; j < s.ow; ++j) {
        Cover rows = rows_at(s, i), columns = columns_at(s, j);
        T sum = 0;
        for (Size r = rows.from; r < rows.to; ++r)
          for (Size c = columns.from; c < columns.to; ++c) sum += plane[r * s.w + c];
        y[(p * s.oh + i) * s.ow + j] = sum / (counts_h[i] * counts_w[j]);
      }
  });
}

template <class T>
void avg_pool_back(const PoolShape& s, const T* g, const T* counts_h, const T* counts_w, T* dx) {
  each_plane(s, [&](Size p) {
    T* to = dx + p * s.h * s.w;
    for (Size i = 0; i < s.h * s.w; ++i) to[i] = 0;
    for (Size i = 0; i < s.oh; ++i)
      for (Size j = 0; j < s.ow; ++j) {
        Cover rows = rows_at(s, i), columns = columns_at(s, j);
        T share = g[(p * s.oh + i) * s.ow + j] / (counts_h[i] * counts_w[j]);
        for (Size r = rows.from; r < rows.to; ++r)
          for (Size c = columns.from; c < columns.to; ++c) to[r * s.w + c] += share;
      }
  });
}

}  // namespace
}  // namespace oarlock::kernels
