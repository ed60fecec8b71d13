// Tiled matrix product.  The caller provides the matrix B in panels of a few columns, which
// `multiply_matrix_by_panels` requests one by one.
#pragma once
#include "kernels/simd.h"
#include "kernels/thread_pool.h"

namespace oarlock::kernels {
namespace {

/// A panel of B, readable in whole vectors. The first vector of row p is at data + p * row, or at
/// data + rows[p] if `rows` is set; the second vector is `second_vector_offset` elements after the
/// first.
template <class T>
struct PanelView {
  const T* data;
  Size row;
  const Size* rows = nullptr;
  Size second_vector_offset = kLanes<T>;
};

/// c[i][j] (+)= the sum over p of a[i][p] * b[p][j], for R rows and N vectors of columns.
template <class T, int R, int N, bool Anywhere>
void multiply_tile(Size k, const T* a, Size a_row, Size a_column, PanelView<T> b, T* c, Size c_row,
                   bool add) {
  V<T> sums[R][N] = {};
  for (Size p = 0; p < k; ++p) {
    const T* row = Anywhere ? b.data + b.rows[p] : b.data;
    V<T> columns[N];
    for (int j = 0; j < N; ++j)
      columns[j] = load(row + (Anywhere ? j * b.second_vector_offset : j * kLanes<T>));
#pragma GCC unroll 8
    for (int i = 0; i < R; ++i) {
      V<T> factor = splat(a[i * a_row]);
      for (int j = 0; j < N; ++j) sums[i][j] += factor * columns[j];
    }
    a += a_column;
    if (!Anywhere) b.data += b.row;
  }
  for (int i = 0; i < R; ++i)
    for (int j = 0; j < N; ++j) {
      T* target = c + i * c_row + j * kLanes<T>;
      store(target, add ? load(target) + sums[i][j] : sums[i][j]);
    }
}

template <class T>
using TileFunction = void (*)(Size, const T*, Size, Size, PanelView<T>, T*, Size, bool);

template <class T, int... R>
TileFunction<T> select_tile_function(Size rows, bool wide, bool anywhere,
                                     std::integer_sequence<int, R...>) {
  static constexpr TileFunction<T> tiles[2][2][kRows] = {
      {{multiply_tile<T, R + 1, 1, false>...}, {multiply_tile<T, R + 1, 2, false>...}},
      {{multiply_tile<T, R + 1, 1, true>...}, {multiply_tile<T, R + 1, 2, true>...}}};
  return tiles[anywhere][wide][rows - 1];
}

constexpr Size kElementsPerPoll =
    Size(1) << 20;  // elements of `a` between polls, each multiplied by a panel: some milliseconds
constexpr Size kDepth = 384;  // rows of B per pass; a panel of this depth fits in the L1 cache

/// Multiplies a tile that may be narrower than whole vectors, with multiply_tile.
template <class T>
void multiply_tile_of_any_width(Size k, const T* a, Size a_row, Size a_column, Size rows,
                                PanelView<T> b, T* c, Size c_row, Size width, bool add) {
  bool wide = width > kLanes<T>;
  TileFunction<T> tile =
      select_tile_function<T>(rows, wide, b.rows, std::make_integer_sequence<int, kRows>{});
  if (width == (wide ? 2 : 1) * kLanes<T>) return tile(k, a, a_row, a_column, b, c, c_row, add);
  alignas(kBytes) T whole[kRows * kColumns<T>];
  tile(k, a, a_row, a_column, b, whole, kColumns<T>, false);
  for (Size i = 0; i < rows; ++i)
    for (Size j = 0; j < width; ++j)
      c[i * c_row + j] = whole[i * kColumns<T> + j] + (add ? c[i * c_row + j] : T(0));
}

/// c [m,n] (+)= a [m,k] @ B. panel(j, width, p, depth) returns the block of B with `width` columns
/// from j on and `depth` rows from p on.
template <class T, class Panel>
void multiply_matrix_by_panels(Size m, Size n, Size k, const T* a, Size a_row, Size a_column, T* c,
                               Size c_row, bool add, const Panel& panel) {
  Size steps = max(ceil_div(k, kDepth), 1), depth = ceil_div(k, steps), unpolled = 0;
  for (Size j = 0; j < n; j += kColumns<T>) {
    Size width = min(n - j, kColumns<T>);
    for (Size step = 0, p = 0; step < steps; ++step, p += depth) {
      Size count = min(depth, k - p);
      unpolled += m * count;
      if (unpolled > kElementsPerPoll) {
        throw_if_job_failed_or_interrupted();
        unpolled = 0;
      }
      PanelView<T> b = panel(j, width, p, count);
      for (Size i = 0; i < m; i += kRows)
        multiply_tile_of_any_width(count, a + i * a_row + p * a_column, a_row, a_column,
                                   min(m - i, kRows), b, c + i * c_row + j, c_row, width,
                                   add || p > 0);
    }
  }
}

}  // namespace
}  // namespace oarlock::kernels
