// Pooling over pictures, plane by plane.   Windows are cut off where they leave the picture.
#pragma once
#include "kernels/kernels.h"
#include "kernels/simd.h"

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

inline Cover rows_at(const PoolShape& s, Size row) {
  return cover(row, s.stride_h, s.top, s.kh, s.h);
}
inline Cover columns_at(const PoolShape& s, Size column) {
  return cover(column, s.stride_w, s.left, s.kw, s.w);
}

/// `body(plane, left)` for every plane, in tasks of some thousand elements; left: how many this
/// task still has, this one counted.
template <class Body>
void each_plane(const PoolShape& s, const Body& body) {
  parallel_parts(s.planes, most(1, 16384 / most(1, s.h * s.w)), [&](Size from, Size to) {
    for (Size p = from; p < to; ++p) body(p, to - p);
  });
}

template <class T>
inline T larger(T a, T b) {
  return (b > a) | (b != b) ? b : a;  // NaN wins; without a branch that nobody can foresee
}

/// Whether windows are 2 x 2, side by side, and all inside: what most networks have, and what
/// vectors do best.
inline bool by_twos(const PoolShape& s) {
  return s.kh == 2 && s.kw == 2 && s.stride_h == 2 && s.stride_w == 2 && s.top == 0 &&
         s.left == 0 && 2 * s.oh <= s.h && 2 * s.ow <= s.w;
}

/// Whether row `row` of the result may be read and written in whole vectors: what they reach behind
/// it is in the planes of this task, and is written again with the next rows.
template <class T>
bool has_room(const PoolShape& s, Size row, Size left) {
  Size columns = parts_of(s.ow, kLanes<T>) * kLanes<T>;
  return (2 * row + 1) * s.w + 2 * columns <= left * s.h * s.w &&
         row * s.ow + columns <= left * s.oh * s.ow;
}

template <class T, int... I>
inline void split(const T* from, V<T>& even, V<T>& odd, std::integer_sequence<int, I...>) {
  V<T> a = load(from), b = load(from + kLanes<T>);
  even = __builtin_shufflevector(a, b, 2 * I...);
  odd = __builtin_shufflevector(a, b, 2 * I + 1 ...);
}

/// The four elements of neighbouring windows from (row, column) on, as vectors, in the order of the
/// window.
template <class T>
inline void four(const T* from, Size w, V<T> (&seen)[4]) {
  split(from, seen[0], seen[1], std::make_integer_sequence<int, kLanes<T>>{});
  split(from + w, seen[2], seen[3], std::make_integer_sequence<int, kLanes<T>>{});
}

template <class T>
void max_by_twos(const PoolShape& s, const T* x, T* y) {
  for (Size j = 0; j < s.ow; j += kLanes<T>) {
    V<T> seen[4];
    four(x + 2 * j, s.w, seen);
    V<T> best = seen[0];
    for (int i = 1; i < 4; ++i) best = (seen[i] > best) | (seen[i] != seen[i]) ? seen[i] : best;
    store(y + j, best);
  }
}

template <class T>
void back_by_twos(const PoolShape& s, const T* x, const T* y, const T* g, T* dx) {
  for (Size half = 0; half < 2;
       ++half)  // the lower row last: what is written behind the upper one is part of it
    for (Size j = 0; j < s.ow; j += kLanes<T>) {
      V<T> seen[4], best = load(y + j), back = load(g + j), zero = {};
      four(x + 2 * j, s.w, seen);
      auto first = seen[0] == best, second = ~first & (seen[1] == best), above = first | second;
      auto third = ~above & (seen[2] == best), fourth = ~above & ~third & (seen[3] == best);
      V<T> even = (half ? third : first) ? back : zero,
           odd = (half ? fourth : second) ? back : zero;
      interleave<T>(even, odd, std::make_integer_sequence<int, kLanes<T>>{});
      store(dx + half * s.w + 2 * j, even);
      store(dx + half * s.w + 2 * j + kLanes<T>, odd);
    }
}

/// The same for one row without room, window by window.
template <class T>
void max_of_four(const PoolShape& s, const T* x, T* y) {
  for (Size j = 0; j < s.ow; ++j) {
    const T* at = x + 2 * j;
    y[j] = larger(larger(larger(at[0], at[1]), at[s.w]), at[s.w + 1]);
  }
}

template <class T>
void back_to_four(const PoolShape& s, const T* x, const T* y, const T* g, T* dx) {
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
T largest_of(const PoolShape& s, const T* x, Cover rows, Cover columns) {
  T best = -static_cast<T>(__builtin_inf());
  for (Size i = rows.from; i < rows.to; ++i)
    for (Size j = columns.from; j < columns.to; ++j) best = larger(best, x[i * s.w + j]);
  return best;
}

template <class T>
void max_pool(const PoolShape& s, const T* x, T* y) {
  bool twos = by_twos(s);
  each_plane(s, [&](Size p, Size left) {
    const T* plane = x + p * s.h * s.w;
    for (Size i = 0; i < s.oh; ++i) {
      T* row = y + (p * s.oh + i) * s.ow;
      if (twos) {
        has_room<T>(s, i, left) ? max_by_twos(s, plane + 2 * i * s.w, row)
                                : max_of_four(s, plane + 2 * i * s.w, row);
        continue;
      }
      Cover rows = rows_at(s, i);
      for (Size j = 0; j < s.ow; ++j) row[j] = largest_of(s, plane, rows, columns_at(s, j));
    }
  });
}

/// The gradient goes to the first element of the window that is the maximum.
template <class T>
void send_back(const PoolShape& s, const T* x, T best, T g, Cover rows, Cover columns, T* dx) {
  for (Size i = rows.from; i < rows.to; ++i)
    for (Size j = columns.from; j < columns.to; ++j)
      if (x[i * s.w + j] == best) {
        dx[i * s.w + j] += g;
        return;
      }
}

/// Zero what no window of two by two sees: columns and rows at the end.
template <class T>
void clear_rest(const PoolShape& s, T* dx) {
  for (Size r = 0; r < 2 * s.oh; ++r)
    for (Size c = 2 * s.ow; c < s.w; ++c) dx[r * s.w + c] = 0;
  for (Size k = 2 * s.oh * s.w; k < s.h * s.w; ++k) dx[k] = 0;
}

template <class T>
void max_pool_back(const PoolShape& s, const T* x, const T* y, const T* g, T* dx) {
  bool twos = by_twos(s);
  each_plane(s, [&](Size p, Size left) {
    const T *plane = x + p * s.h * s.w, *best = y + p * s.oh * s.ow, *back = g + p * s.oh * s.ow;
    T* to = dx + p * s.h * s.w;
    if (!twos)
      for (Size k = 0; k < s.h * s.w; ++k) to[k] = 0;
    for (Size i = 0; i < s.oh; ++i, best += s.ow, back += s.ow) {
      Size row = 2 * i * s.w;
      if (twos)
        (has_room<T>(s, i, left) ? back_by_twos<T> : back_to_four<T>)(s, plane + row, best, back,
                                                                      to + row);
      else
        for (Size j = 0; j < s.ow; ++j)
          send_back(s, plane, best[j], back[j], rows_at(s, i), columns_at(s, j), to);
    }
    if (twos) clear_rest(s, to);
  });
}

template <class T>
void avg_pool(const PoolShape& s, const T* x, const T* counts_h, const T* counts_w, T* y) {
  each_plane(s, [&](Size p, Size) {
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
  each_plane(s, [&](Size p, Size) {
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
