// Cumulative functions and first-order recurrences along the middle axis of arrays [outer, count,
// inner]. A line is the `count` elements with the same outer and inner index; a row is the `inner`
// adjacent elements with the same outer and middle index.
#pragma once
#include <type_traits>

#include "kernels/kernels.h"
#include "kernels/simd.h"

namespace oarlock::kernels {
namespace {

template <class T, CumulativeOp Which>
inline T apply_cumulative(T a, T b) {
  using W = WrappingType<T>;
  W x = static_cast<W>(a), y = static_cast<W>(b);
  return static_cast<T>(Which == CumulativeOp::sum ? x + y : x * y);
}

/// The value that a result begins with.  -0 + x is x for every x, also for -0.
template <class T, CumulativeOp Which>
constexpr T kInitialValue = Which == CumulativeOp::product ? T(1)
                            : std::is_integral_v<T>        ? T(0)
                                                           : -T(0);

/// The result at the first position of an exclusive function.
template <class T, CumulativeOp Which>
constexpr T kEmptyResult = Which == CumulativeOp::product ? T(1) : T(0);

constexpr int kLinesPerGroup = 8;  // independent lines hide the latency of an addition
// Rows of at least this many elements are processed in vectors.
constexpr Size kMinVectorizedRow = 16;
constexpr Size kColumnsPerTask = 256;
constexpr Size kScanElementsPerTask = 32768;

/// The lines of an array along its middle axis.
struct ScanLines {
  Size first, step;  // offset of the first element of line 0, and distance between its elements
  const ScanShape& s;

  explicit ScanLines(const ScanShape& shape)
      : first(shape.reverse ? (shape.count - 1) * shape.inner : 0),
        step(shape.reverse ? -shape.inner : shape.inner),
        s(shape) {}
  Size start(Size line) const {
    return line / s.inner * s.count * s.inner + line % s.inner + first;
  }
};

/// Calls `body(line, N)` for each group of N lines from `line` on; N is an integral constant,
/// kLinesPerGroup or, for the last lines, 1.
template <class Body>
void for_each_line_group(const ScanShape& s, const Body& body) {
  Size lines = s.outer * s.inner;
  Size part = max(1, kScanElementsPerTask / s.count);
  part = ceil_div(part, kLinesPerGroup) * kLinesPerGroup;
  parallel_ranges(lines, part, [&](Size from, Size to) {
    Size line = from;
    for (; line + kLinesPerGroup <= to; line += kLinesPerGroup)
      body(line, std::integral_constant<int, kLinesPerGroup>{});
    for (; line < to; ++line) body(line, std::integral_constant<int, 1>{});
  });
}

/// Divides the rows into parts of at most kColumnsPerTask columns, and calls `body(offset,
/// columns)` for each part; `offset` is that of the part in the first row in the direction of the
/// scan.
template <class Body>
void for_each_column_part(const ScanShape& s, const Body& body) {
  Size parts = ceil_div(s.inner, kColumnsPerTask), first = ScanLines(s).first;
  Size elements = s.count * min(s.inner, kColumnsPerTask);
  parallel_ranges(s.outer * parts, max(1, kScanElementsPerTask / elements),
                  [&](Size from, Size to) {
                    for (Size i = from; i < to; ++i) {
                      Size column = i % parts * kColumnsPerTask;
                      body(i / parts * s.count * s.inner + first + column,
                           min(kColumnsPerTask, s.inner - column));
                    }
                  });
}

/// Scans N lines of `count` elements.  carry: on entry the initial values of the lines, on exit
/// their totals.
template <class T, CumulativeOp Which, int N>
inline void cumulate_lines(const T* x, T* y, const Size (&starts)[N], Size count, Size step,
                           bool exclusive, T (&carry)[N]) {
  T total[N];
  for (int n = 0; n < N; ++n) total[n] = carry[n];
  for (Size k = 0; k < count; ++k)
    for (int n = 0; n < N; ++n) {
      Size at = starts[n] + k * step;
      T next = apply_cumulative<T, Which>(total[n], x[at]);
      y[at] = exclusive ? total[n] : next;
      total[n] = next;
    }
  for (int n = 0; n < N; ++n) carry[n] = total[n];
}

// A sum over a line of at least this many elements is computed in blocks of kLinesPerGroup pieces.
constexpr Size kMinBlockedLine = 2048, kPiece = 1024;

/// Sums one long line: the pieces of a block are summed independently, then each gets the total of
/// the pieces before it.
template <class T>
void cumulate_long_line(const T* x, T* y, Size start, Size count, Size step, bool exclusive) {
  constexpr auto sum = CumulativeOp::sum;
  T carry = kInitialValue<T, sum>;
  Size done = 0;
  while (count - done >= kLinesPerGroup) {
    Size piece = min(kPiece, (count - done) / kLinesPerGroup), starts[kLinesPerGroup];
    T totals[kLinesPerGroup];
    for (int n = 0; n < kLinesPerGroup; ++n) {
      starts[n] = start + (done + n * piece) * step;
      totals[n] = kInitialValue<T, sum>;
    }
    cumulate_lines<T, sum>(x, y, starts, piece, step, exclusive, totals);
    for (int n = 0; n < kLinesPerGroup; ++n) {
      if (done + n > 0) {
        T* to = y + starts[n];
        if (step == 1)
          for (Size k = 0; k < piece; ++k) to[k] = apply_cumulative<T, sum>(carry, to[k]);
        else
          for (Size k = 0; k < piece; ++k)
            to[k * step] = apply_cumulative<T, sum>(carry, to[k * step]);
      }
      carry = apply_cumulative<T, sum>(carry, totals[n]);
    }
    done += kLinesPerGroup * piece;
  }
  T remaining_carry[1] = {carry};
  const Size remaining_start[1] = {start + done * step};
  cumulate_lines<T, sum>(x, y, remaining_start, count - done, step, exclusive, remaining_carry);
}

/// Scans all lines at the same time, row by row in vectors.
template <class T, CumulativeOp Which>
void cumulate_rows(const ScanShape& s, const T* x, T* y) {
  Size step = ScanLines(s).step;
  for_each_column_part(s, [&](Size first, Size columns) {
    for (Size c = 0; c < columns; ++c)
      y[first + c] = s.exclusive ? kInitialValue<T, Which> : x[first + c];
    Size at = first;
    for (Size k = 1; k < s.count; ++k, at += step) {
      const T* add = x + at + (s.exclusive ? 0 : step);
      const T* __restrict previous = y + at;
      T* __restrict to = y + at + step;
      for (Size c = 0; c < columns; ++c) to[c] = apply_cumulative<T, Which>(previous[c], add[c]);
    }
    if (s.exclusive)
      for (Size c = 0; c < columns; ++c) y[first + c] = kEmptyResult<T, Which>;
  });
}

template <class T, CumulativeOp Which>
void cumulate(const ScanShape& s, const T* x, T* y) {
  if (s.inner >= kMinVectorizedRow) return cumulate_rows<T, Which>(s, x, y);
  ScanLines lines(s);
  bool is_blocked = Which == CumulativeOp::sum && s.count >= kMinBlockedLine;
  for_each_line_group(s, [&]<int N>(Size line, std::integral_constant<int, N>) {
    Size starts[N];
    T carry[N];
    for (int n = 0; n < N; ++n) {
      starts[n] = lines.start(line + n);
      carry[n] = kInitialValue<T, Which>;
      if (is_blocked) cumulate_long_line(x, y, starts[n], s.count, lines.step, s.exclusive);
    }
    if (!is_blocked)
      cumulate_lines<T, Which>(x, y, starts, s.count, lines.step, s.exclusive, carry);
    if (s.exclusive)
      for (Size start : starts) y[start] = kEmptyResult<T, Which>;
  });
}

/// Whether the later element x replaces the maximum or minimum of the elements before.  NaN
/// replaces every element and remains.
template <class T, bool IsMax>
inline bool replaces_extreme(T x, T extreme) {
  return (IsMax ? x >= extreme : x <= extreme) | (x != x);
}

template <class T, bool IsMax>
void cumulate_extreme(const ScanShape& s, const T* x, T* y, std::int64_t* indices) {
  ScanLines lines(s);
  if (s.inner >= kMinVectorizedRow)
    return for_each_column_part(s, [&](Size at, Size columns) {
      for (Size c = 0; c < columns; ++c) y[at + c] = x[at + c], indices[at + c] = 0;
      for (Size k = 1; k < s.count; ++k, at += lines.step) {
        const T* __restrict extreme = y + at, * __restrict next = x + at + lines.step;
        const std::int64_t* __restrict index = indices + at;
        T* __restrict to = y + at + lines.step;
        std::int64_t* __restrict to_index = indices + at + lines.step;
        for (Size c = 0; c < columns; ++c) {
          bool replaces = replaces_extreme<T, IsMax>(next[c], extreme[c]);
          to[c] = replaces ? next[c] : extreme[c];
          to_index[c] = replaces ? k : index[c];
        }
      }
    });
  for_each_line_group(s, [&]<int N>(Size line, std::integral_constant<int, N>) {
    Size starts[N];
    T extreme[N];
    std::int64_t index[N];
    for (int n = 0; n < N; ++n) {
      starts[n] = lines.start(line + n);
      extreme[n] = x[starts[n]];
      index[n] = 0;
    }
    for (Size k = 0; k < s.count; ++k)
      for (int n = 0; n < N; ++n) {
        Size at = starts[n] + k * lines.step;
        bool replaces = replaces_extreme<T, IsMax>(x[at], extreme[n]);
        extreme[n] = replaces ? x[at] : extreme[n];
        index[n] = replaces ? k : index[n];
        y[at] = extreme[n];
        indices[at] = index[n];
      }
  });
}

/// y[k] = x[k] + a[k] * y[k - 1]; in reverse y[k] = x[k] + a[k + 1] * y[k + 1].
template <class T>
void linear_recurrence(const ScanShape& s, const T* x, const T* a, T* y) {
  ScanLines lines(s);
  Size factor_offset = s.reverse ? 0 : lines.step;  // of the factor from the previous element
  if (s.inner >= kMinVectorizedRow)
    return for_each_column_part(s, [&](Size at, Size columns) {
      for (Size c = 0; c < columns; ++c) y[at + c] = x[at + c];
      for (Size k = 1; k < s.count; ++k, at += lines.step) {
        const T* __restrict previous = y + at;
        const T* __restrict added = x + at + lines.step;
        const T* __restrict factors = a + at + factor_offset;
        T* __restrict to = y + at + lines.step;
        for (Size c = 0; c < columns; ++c) to[c] = added[c] + factors[c] * previous[c];
      }
    });
  for_each_line_group(s, [&]<int N>(Size line, std::integral_constant<int, N>) {
    Size starts[N];
    T last[N];
    for (int n = 0; n < N; ++n) {
      starts[n] = lines.start(line + n);
      y[starts[n]] = last[n] = x[starts[n]];
    }
    for (Size k = 1; k < s.count; ++k)
      for (int n = 0; n < N; ++n) {
        Size at = starts[n] + k * lines.step;
        y[at] = last[n] = x[at] + a[at - lines.step + factor_offset] * last[n];
      }
  });
}

}  // namespace
}  // namespace oarlock::kernels
