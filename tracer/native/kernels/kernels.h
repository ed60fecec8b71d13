// The table of compiled kernels.  There is one table per instruction set; the function `table`
// returns the one for this machine. Arrays are contiguous unless strides are given; images are
// [N,C,H,W].  Results do not depend on the number of threads.
#pragma once
#include <cstdint>

#include "kernels/thread_pool.h"

namespace oarlock::kernels {

/// A batch of matrix products: c[i] = a[i] @ b[i].  Strides in elements; c [count,m,n] contiguous.
template <class T>
struct MatmulBatch {
  Size count, m, n, k;
  const T* const* a;
  Size a_row, a_column;
  const T* const* b;
  Size b_row, b_column;
  T* c;
  const T* bias = nullptr;  // [n], added to each row of each product
};

/// An operand of attention with the axes batch, head, row, column. The elements of a row are
/// adjacent; the strides of the other axes are given, 0 for an axis that is broadcast.
template <class T>
struct AttentionOperand {
  const T* data;
  Size batch_stride, head_stride, row_stride;

  const T* head(Size batch, Size head) const {
    return data + batch * batch_stride + head * head_stride;
  }
};

/// Attention of q [batch,heads,queries,depth] to k [batch,heads,keys,depth] and
/// v [batch,heads,keys,value_depth]; out [batch,queries,heads,value_depth].
/// mask: added to the scores [batch,heads,queries,keys]; its data may be null.
/// is_causal: query i sees the keys up to i.
template <class T>
struct AttentionArgs {
  Size batch, heads, queries, keys, depth, value_depth;
  AttentionOperand<T> q, k, v, mask;
  T scale;
  bool is_causal;
  T* out;
};

/// The sizes of a convolution of x [N,C,H,W] with a filter [M,C/groups,KH,KW] to y [N,M,OH,OW].
struct ConvShape {
  Size n, c, h, w, m, groups, kh, kw, oh, ow, stride_h, stride_w, dilation_h, dilation_w, top, left;
};

/// The sizes of a pooling of planes [planes,h,w] to [planes,oh,ow].  kh and kw are 0 for adaptive
/// pooling with windows of several sizes: window i of n covers [i * h / n, ceil((i + 1) * h / n)).
struct PoolShape {
  Size planes, h, w, oh, ow, kh, kw, stride_h, stride_w, top, left;
};

/// Functions of one operand.  The gradients of relu, tanh, sigmoid and exp take the output of the
/// function, the other gradients its input.
enum class Unary { relu, tanh, sigmoid, silu, gelu, gelu_tanh, exp, erf };
constexpr int kNumUnary = 8;
enum class Binary { add, sub, mul };
constexpr int kNumBinary = 3;

/// Instructions of expressions with one or two operands.  `first` and `second` return that operand,
/// broadcast to the shape of both; `mask` is the first operand where the second is not 0, else 0.
/// Gradients take the operand that `Unary` states, then the output gradient.
enum class ExprOp {
  add,
  sub,
  mul,
  div,
  max,
  min,
  first,
  second,
  mask,
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
constexpr int kNumExprOps = 27;

template <class T>
struct ExprOpTable {
  void (*run[kNumExprOps])(Size count, const T* x, const T* y, T* z);
};

/// One parameter of an Adam step: parameter * decay - first / (sqrt(second) + epsilon) *
/// learning_rate.
template <class T>
struct AdamParameterUpdate {
  const T *parameter, *gradient;
  T *first, *second, *result;
  T beta1, beta2, one_minus_beta1, one_minus_beta2, epsilon, learning_rate, decay;
};

/// One parameter of a momentum step; plain SGD if `velocity` is nullptr.
template <class T>
struct MomentumParameterUpdate {
  const T *parameter, *gradient;
  T *velocity, *result;
  T momentum, learning_rate;
  bool nesterov;
};

enum class Cell { lstm, gru, tanh, relu };

/// One direction of one layer of a recurrent network, for T steps and batch size B; recurrent.h
/// describes the layouts. valid [T,B]: 0 for steps after the end of a sequence; nullptr if all
/// steps are valid. `c`: only for lstm.
template <class T>
struct RnnDirectionArgs {
  Cell cell;
  Size steps, batch, hidden, gates, parts;
  bool reverse;
  const T *inputs, *weight, *bias, *h, *c;
  const std::uint8_t* valid;
  T* saved;
};

/// Gradients for RnnDirectionArgs. g [T,B,H]: of the outputs. dh, dc [B,H]: on entry of the final
/// states, on exit of the initial ones. dx, dy [T,B,G*H]: of the input and hidden products; dy is
/// nullptr except for gru, then dx serves as both.
template <class T>
struct RnnDirectionGradArgs {
  const T* g;
  T *dh, *dc, *dx, *dy;
};

/// The sizes and options of a cumulative function along the middle axis of arrays
/// [outer, count, inner]; all sizes are at least 1.  reverse: from the end; exclusive: without the
/// element itself.
struct ScanShape {
  Size outer, count, inner;
  bool reverse, exclusive;
};
enum class CumulativeOp { sum, product };

/// Kernels for float32, float64, int32 and int64.
template <class T>
struct NumberKernelTable {
  /// By CumulativeOp.
  void (*cumulate[2])(const ScanShape&, const T* x, T* y);
  /// indices: of the last maximum or minimum up to each position.
  void (*cumulative_max)(const ScanShape&, const T* x, T* y, std::int64_t* indices);
  void (*cumulative_min)(const ScanShape&, const T* x, T* y, std::int64_t* indices);
  /// y has one element if `is_scalar`; integer divisors are not 0.
  void (*floor_divide)(Size count, bool is_scalar, const T* x, const T* y, T* z);
  void (*remainder)(Size count, bool is_scalar, const T* x, const T* y, T* z);
};

template <class T>
struct KernelTable {
  void (*unary[kNumUnary])(Size count, const T* x, T* y);
  void (*unary_grad[kNumUnary])(Size count, const T* x, const T* g, T* y);
  void (*binary[kNumBinary])(Size n, Size c, Size k, bool along, const T* x, const T* y, T* z);
  ExprOpTable<T> expr_ops;
  void (*sum)(Size n, Size c, Size k, const T* x, T* y);
  void (*linear_recurrence)(const ScanShape&, const T* x, const T* a, T* y);
  void (*moments)(Size n, Size c, Size k, const T* x, T* mean, T* variance);
  void (*affine)(Size n, Size c, Size k, const T* x, const T* mean, const T* factor, const T* bias,
                 T* y);
  void (*layer_norm)(Size r, Size k, T epsilon, const T* x, const T* weight, const T* bias, T* y,
                     T* mean, T* variance);
  void (*standardize_affine_grad)(Size n, Size c, Size k, const T* x, const T* weight,
                                  const T* mean, const T* inv_std, const T* g, T* dx, T* dweight,
                                  T* dbias);
  void (*standardize_dot)(Size n, Size c, Size k, const T* x, const T* mean, const T* inv_std,
                          const T* y, T* out);
  void (*standardize_dot_over_rows)(Size r, Size k, const T* x, const T* mean, const T* inv_std,
                                    const T* y, T* out);
  void (*softmax)(Size r, Size k, const T* x, T* y);
  void (*softmax_grad)(Size r, Size k, const T* y, const T* g, T* dx);
  void (*log_softmax)(Size r, Size k, const T* x, T* y);
  void (*cross_entropy)(Size r, Size k, const T* x, const std::int64_t* labels,
                        std::int64_t ignored, T* probabilities, T* loss);
  void (*cross_entropy_grad)(Size r, Size k, const T* probabilities, const std::int64_t* labels,
                             std::int64_t ignored, const T* g, T* dx);
  /// starts [count + 1]: the position of each parameter in the concatenation of all parameters.
  void (*update_parameters_by_adam)(Size count, const Size* starts,
                                    const AdamParameterUpdate<T>* steps);
  void (*run_rnn_direction)(const RnnDirectionArgs<T>&);
  void (*run_rnn_direction_grad)(const RnnDirectionArgs<T>&, const RnnDirectionGradArgs<T>&);
  void (*update_parameters_by_momentum)(Size count, const Size* starts,
                                        const MomentumParameterUpdate<T>* steps);
  void (*batched_matmul)(const MatmulBatch<T>&);
  void (*attention)(const AttentionArgs<T>&);
  void (*conv)(const ConvShape&, const T* x, const T* filter, T* y);
  void (*conv_input_grad)(const ConvShape&, const T* filter, const T* g, T* x);
  void (*conv_filter_grad)(const ConvShape&, const T* x, const T* g, T* filter);
  void (*max_pool)(const PoolShape&, const T* x, T* y);
  void (*max_pool_with_index)(const PoolShape&, const T* x, T* y, std::int32_t* indices);
  void (*max_pool_grad)(const PoolShape&, const T* x, const T* y, const T* g, T* dx);
  /// Greedy non-maximum suppression of boxes [count, 4] sorted by score: sets `selected` to the
  /// indices of selected boxes and returns their number.  A box is selected unless its intersection
  /// over union with a selected box before is above the threshold or NaN.  side_offset: added to
  /// widths and heights, 1 for coordinates of pixels.
  Size (*select_boxes)(Size count, const T* boxes, T threshold, T side_offset,
                       std::int64_t* selected);
  /// counts_h, counts_w: for each output row and column, the number of averaged elements along that
  /// axis.
  void (*avg_pool)(const PoolShape&, const T* x, const T* counts_h, const T* counts_w, T* y);
  void (*avg_pool_grad)(const PoolShape&, const T* g, const T* counts_h, const T* counts_w, T* dx);
};

/// All kernels for one instruction set.
struct KernelTables {
  const char* name;
  KernelTable<float> floats;
  KernelTable<double> doubles;
  NumberKernelTable<float> float_numbers;
  NumberKernelTable<double> double_numbers;
  NumberKernelTable<std::int32_t> int32_numbers;
  NumberKernelTable<std::int64_t> int64_numbers;
};

/// The kernels for the best instruction set of this machine.
template <class T>
const KernelTable<T>& kernel_table();
template <class T>
const NumberKernelTable<T>& number_kernel_table();

/// The name of the instruction set of the selected kernels: avx512, avx2 or baseline.
const char* selected_instruction_set_name();

}  // namespace oarlock::kernels
