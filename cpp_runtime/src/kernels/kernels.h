// What the compiled kernels are.   Each instruction set has a table of them; `table` gives the one of this machine.
//
// Arrays are contiguous unless strides are given, pictures are [N,C,H,W].   Results are the same whatever the number of threads.
#pragma once
#include "kernels/pool.h"

namespace oarlock::kernels {

/// Products of matrices, one for each of `count`: c[i] = a[i] @ b[i].   Strides in elements; c [count,m,n] contiguous.
template <class T>
struct Products {
  Size count, m, n, k;
  const T* const* a;
  Size a_row, a_column;
  const T* const* b;
  Size b_row, b_column;
  T* c;
};

/// The sizes of a convolution of x [N,C,H,W] with a filter [M,C/groups,KH,KW] to y [N,M,OH,OW].
struct ConvShape {
  Size n, c, h, w, m, groups, kh, kw, oh, ow, stride_h, stride_w, dilation_h, dilation_w, top, left;
};

/// The sizes of a pooling of planes [planes,h,w] to [planes,oh,ow].
struct PoolShape {
  Size planes, h, w, oh, ow, kh, kw, stride_h, stride_w, top, left;
};

template <class T>
struct Table {
  void (*products)(const Products<T>&);
  void (*conv)(const ConvShape&, const T* x, const T* filter, T* y);
  void (*conv_input)(const ConvShape&, const T* filter, const T* g, T* x);
  void (*conv_filter)(const ConvShape&, const T* x, const T* g, T* filter);
  void (*max_pool)(const PoolShape&, const T* x, T* y);
  void (*max_pool_back)(const PoolShape&, const T* x, const T* y, const T* g, T* dx);
  /// counts_h, counts_w: how many elements the average is over along each axis.
  void (*avg_pool)(const PoolShape&, const T* x, const T* counts_h, const T* counts_w, T* y);
  void (*avg_pool_back)(const PoolShape&, const T* g, const T* counts_h, const T* counts_w, T* dx);
};

/// The kernels of the best instruction set that this machine has.
template <class T>
const Table<T>& table();

/// Its name: avx512, avx2 or baseline.
const char* instruction_set();

}  // namespace oarlock::kernels
