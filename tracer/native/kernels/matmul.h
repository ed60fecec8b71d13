// Batched matrix products.
#pragma once
#include "kernels/gemm.h"
#include "kernels/kernels.h"

namespace oarlock::kernels {
namespace {

/// The panels of a matrix: read in place if whole vectors can be read, else copied or transposed.
template <class T>
struct MatrixPanelSource {
  const T* b;
  Size row, column, m;

  /// Returns the block with `width` columns from j on and `depth` rows from p on.  A copied block
  /// is in the workspace of the thread and valid until the next call.
  PanelView<T> operator()(Size j, Size width, Size p, Size depth) const {
    const T* from = b + p * row + j * column;
    bool whole = width == kColumns<T> || width == kLanes<T>;
    if (column == 1 && whole && (m <= Size(4) * kRows || row < 1024)) return {from, row};
    Size pitch = width > kLanes<T> ? kColumns<T> : kLanes<T>;
    T* to = padded_workspace<T>(0, depth * pitch);
    if (row == 1 && column != 1) {
      copy_transposed(from, column, width, depth, to, pitch);
    } else if (column == 1 && whole) {
      for (Size i = 0; i < depth; ++i)
        for (Size k = 0; k < width; k += kLanes<T>)
          store(to + i * pitch + k, load(from + i * row + k));
    } else {
      for (Size i = 0; i < depth; ++i)
        for (Size k = 0; k < width; ++k) to[i * pitch + k] = from[i * row + k * column];
    }
    return {to, pitch};
  }
};

template <class T>
void compute_block_of_product(const MatmulBatch<T>& s, Size index, Size row, Size rows, Size column,
                              Size columns) {
  MatrixPanelSource<T> panels{s.b[index] + column * s.b_column, s.b_row, s.b_column, rows};
  T* c = s.c + index * s.m * s.n + row * s.n + column;
  multiply_matrix_by_panels(rows, columns, s.k, s.a[index] + row * s.a_row, s.a_row, s.a_column, c,
                            s.n, false, panels);
  if (s.bias)
    for (Size i = 0; i < rows; ++i)
      map_vectors(
          columns, [](V<T> v, V<T> b) { return v + b; }, c + i * s.n, c + i * s.n, s.bias + column);
}

constexpr Size kWorkPerTask = Size(1) << 19;  // multiplications per task

template <class T>
void batched_matmul(const MatmulBatch<T>& s) {
  Size each = max(s.m * s.n * s.k, 1);
  if (each * 2 <= kWorkPerTask || s.count >= 8)
    return parallel_ranges(s.count, max(ceil_div(s.count, 16), kWorkPerTask / each),
                           [&](Size from, Size to) {
                             for (Size i = from; i < to; ++i)
                               compute_block_of_product(s, i, 0, s.m, 0, s.n);
                           });
  bool by_rows = s.m > s.n;
  Size unit = by_rows ? kRows : kColumns<T>, length = by_rows ? s.m : s.n;
  Size parts = 1;  // a power of two, which most numbers of threads divide evenly
  while (parts < 8 && parts * kWorkPerTask < each) parts *= 2;
  Size part = ceil_div(ceil_div(length, parts), unit) * unit;
  parts = ceil_div(length, part);
  parallel_for(s.count * parts, [&](Size task) {
    Size from = task % parts * part, many = min(part, length - from);
    by_rows ? compute_block_of_product(s, task / parts, from, many, 0, s.n)
            : compute_block_of_product(s, task / parts, 0, s.m, from, many);
  });
}

}  // namespace
}  // namespace oarlock::kernels
