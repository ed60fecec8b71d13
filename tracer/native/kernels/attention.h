// Attention with several heads: softmax(q k' * scale + mask) v.
#pragma once
#include "kernels/matmul.h"
#include "kernels/softmax.h"

namespace oarlock::kernels {
namespace {

constexpr Size kScoresPerTask = Size(1) << 14;  // so that the scores of a task stay in the cache

/// Computes the output rows [from, to) of one head.
template <class T>
void attention_of_rows(const AttentionArgs<T>& s, Size batch, Size head, Size from, Size to) {
  Size rows = to - from, columns = s.is_causal ? min(to, s.keys) : s.keys;
  T* scores = padded_workspace<T>(1, rows * columns);
  const T* q = s.q.head(batch, head) + from * s.q.row_stride;
  MatrixPanelSource<T> keys{s.k.head(batch, head), 1, s.k.row_stride, rows};
  multiply_matrix_by_panels(rows, columns, s.depth, q, s.q.row_stride, Size(1), scores, columns,
                            false, keys);
  for (Size i = 0; i < rows; ++i) {
    T* row = scores + i * columns;
    Size num_visible = s.is_causal ? min(from + i + 1, columns) : columns;
    if (s.mask.data)
      map_vectors(
          num_visible, [&](V<T> v, V<T> m) { return v * s.scale + m; }, row, row,
          s.mask.head(batch, head) + (from + i) * s.mask.row_stride);
    else
      map_vectors(num_visible, [&](V<T> v) { return v * s.scale; }, row, row);
    softmax_of_row(num_visible, row, row);
    for (Size j = num_visible; j < columns; ++j) row[j] = 0;
  }
  Size out_row = s.heads * s.value_depth;
  T* out = s.out + (batch * s.queries + from) * out_row + head * s.value_depth;
  MatrixPanelSource<T> values{s.v.head(batch, head), s.v.row_stride, 1, rows};
  multiply_matrix_by_panels(rows, s.value_depth, columns, scores, columns, Size(1), out, out_row,
                            false, values);
}

template <class T>
void attention(const AttentionArgs<T>& s) {
  Size rows = min(s.queries, max(kRows, kScoresPerTask / s.keys / kRows * kRows));
  Size parts = ceil_div(s.queries, rows);
  parallel_for(s.batch * s.heads * parts, [&](Size task) {
    Size from = task % parts * rows, index = task / parts;
    attention_of_rows(s, index / s.heads, index % s.heads, from, min(s.queries, from + rows));
  });
}

}  // namespace
}  // namespace oarlock::kernels
