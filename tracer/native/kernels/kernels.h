// What the compiled kernels are.   Each instruction set has a table of them; `table` gives the one
// of this machine.
//
// Arrays are contiguous unless strides are given, pictures are [N,C,H,W].   Results are the same
// whatever the number of threads.
#pragma once
#include <cstdint>

#include "kernels/thread_pool.h"

namespace oarlock::kernels {

/// Products of matrices, one for each of `count`: c[i] = a[i] @ b[i].   Strides in elements; c
/// [count,m,n] contiguous.
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

/// Functions of one operand.   The gradients of relu, tanh, sigmoid and exp are given the result,
/// the others the operand.
enum class Unary { relu, tanh, sigmoid, silu, gelu, gelu_tanh, exp, erf };
constexpr int kUnaries = 8;
enum class Binary { add, sub, mul };
constexpr int kBinaries = 3;

/// What one instruction of an expression does with one or two operands.   `first` is there for the
/// shape of the second; `keep` is the first where the second is not 0.   The gradients take what
/// `Unary` says, and then the gradient.
enum class Piece {
  add,
  sub,
  mul,
  div,
  max,
  min,
  first,
  second,
  keep,
  relu,
  tanh,
  sigmoid,
  silu,
  gelu,
  gelu_tanh,
  exp,
  erf,
  sqrt,
  square,
  abs,
  reciprocal,
  relu_grad,
  tanh_grad,
  sigmoid_grad,
  silu_grad,
  gelu_grad,
  gelu_tanh_grad
};
constexpr int kPieces = 27;

template <class T>
struct Pieces {
  void (*each[kPieces])(Size count, const T* x, const T* y, T* z);
};

/// One parameter of a step of Adam: parameter * keep - first / (sqrt(second) + epsilon) * rate.
/// rest: 1 - beta.
template <class T>
struct AdamStep {
  const T *parameter, *gradient;
  T *first, *second, *result;
  T beta1, beta2, rest1, rest2, epsilon, rate, keep;
};

/// One parameter of a step with momentum; without where `velocity` is nullptr.
template <class T>
struct MomentumStep {
  const T *parameter, *gradient;
  T *velocity, *result;
  T momentum, rate;
  bool nesterov;
};

enum class Cell { lstm, gru, tanh, relu };

/// One direction of one layer of a recurrent network over T steps of a batch B; see recurrent.h for
/// what is where. valid [T,B]: 0 where a step is not part of its sequence, nullptr if all are. `c`
/// only for lstm.
template <class T>
struct Recurrence {
  Cell cell;
  Size steps, batch, hidden, gates, parts;
  bool reverse;
  const T *inputs, *weight, *bias, *h, *c;
  const std::uint8_t* valid;
  T* kept;
};

template <class T>
struct RecurrenceBack {
  const T* g;
  T *dh, *dc, *dx, *dy;  // dy only where it is not dx: in gru
};

template <class T>
struct Table {
  void (*unary[kUnaries])(Size count, const T* x, T* y);
  void (*unary_back[kUnaries])(Size count, const T* x, const T* g, T* y);
  void (*binary[kBinaries])(Size n, Size c, Size k, bool along, const T* x, const T* y, T* z);
  Pieces<T> pieces;
  void (*sum)(Size n, Size c, Size k, const T* x, T* y);
  void (*moments)(Size n, Size c, Size k, const T* x, T* mean, T* variance);
  void (*affine)(Size n, Size c, Size k, const T* x, const T* mean, const T* factor, const T* bias,
                 T* y);
  void (*layer_norm)(Size r, Size k, T epsilon, const T* x, const T* weight, const T* bias, T* y,
                     T* mean, T* variance);
  void (*standardize_back)(Size n, Size c, Size k, const T* x, const T* mean, const T* inv_std,
                           const T* g, T* dx);
  void (*standardize_dot)(Size n, Size c, Size k, const T* x, const T* mean, const T* inv_std,
                          const T* y, T* out);
  void (*standardize_dot_rows)(Size r, Size k, const T* x, const T* mean, const T* inv_std,
                               const T* y, T* out);
  void (*softmax)(Size r, Size k, const T* x, T* y);
  void (*softmax_back)(Size r, Size k, const T* y, const T* g, T* dx);
  void (*log_softmax)(Size r, Size k, const T* x, T* y);
  void (*cross_entropy)(Size r, Size k, const T* x, const std::int64_t* labels,
                        std::int64_t ignored, T* probabilities, T* loss);
  void (*cross_entropy_back)(Size r, Size k, const T* probabilities, const std::int64_t* labels,
                             std::int64_t ignored, const T* g, T* dx);
  /// starts [count + 1]: where each parameter would start if they lay one after the other.
  void (*adam)(Size count, const Size* starts, const AdamStep<T>* steps);
  void (*recur)(const Recurrence<T>&);
  void (*recur_back)(const Recurrence<T>&, const RecurrenceBack<T>&);
  void (*momentum)(Size count, const Size* starts, const MomentumStep<T>* steps);
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
