// All kernels for one instruction set.  This file is compiled once for each instruction set; the
// macro OARLOCK_SET is its name.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("vect-cost-model=dynamic")  // vectorize loops of any length, as at -O3
#endif
#include "kernels/attention.h"
#include "kernels/conv.h"
#include "kernels/conv_filter_grad.h"
#include "kernels/division.h"
#include "kernels/expression.h"
#include "kernels/kernels.h"
#include "kernels/matmul.h"
#include "kernels/nms.h"
#include "kernels/norm.h"
#include "kernels/optimizer_update.h"
#include "kernels/pooling.h"
#include "kernels/recurrent.h"
#include "kernels/scan.h"
#include "kernels/softmax.h"

#define OARLOCK_JOIN2(a, b) a##b
#define OARLOCK_JOIN(a, b) OARLOCK_JOIN2(a, b)
#define OARLOCK_TEXT2(a) #a
#define OARLOCK_TEXT(a) OARLOCK_TEXT2(a)

namespace oarlock::kernels {
namespace {

template <class T, int... I>
constexpr ExprOpTable<T> make_expr_op_table(std::integer_sequence<int, I...>) {
  return {{expr_op_chunk_kernel<T, static_cast<ExprOp>(I)>...}};
}
template <class T>
constexpr ExprOpTable<T> kAllExprOps =
    make_expr_op_table<T>(std::make_integer_sequence<int, kNumExprOps>{});

template <class T>
constexpr KernelTable<T> kTable = {
    .unary = {unary<T, Unary::relu>, unary<T, Unary::tanh>, unary<T, Unary::sigmoid>,
              unary<T, Unary::silu>, unary<T, Unary::gelu>, unary<T, Unary::gelu_tanh>,
              unary<T, Unary::exp>, unary<T, Unary::erf>},
    .unary_grad = {unary_grad<T, Unary::relu>, unary_grad<T, Unary::tanh>,
                   unary_grad<T, Unary::sigmoid>, unary_grad<T, Unary::silu>,
                   unary_grad<T, Unary::gelu>, unary_grad<T, Unary::gelu_tanh>,
                   unary_grad<T, Unary::exp>, unary_grad<T, Unary::erf>},
    .binary = {apply_binary_with_middle_axis_broadcast<T, Binary::add>,
               apply_binary_with_middle_axis_broadcast<T, Binary::sub>,
               apply_binary_with_middle_axis_broadcast<T, Binary::mul>},
    .expr_ops = kAllExprOps<T>,
    .sum = sum<T>,
    .linear_recurrence = linear_recurrence<T>,
    .moments = moments<T>,
    .affine = affine<T>,
    .layer_norm = layer_norm<T>,
    .standardize_affine_grad = standardize_affine_grad<T>,
    .standardize_dot = standardize_dot<T>,
    .standardize_dot_over_rows = standardize_dot_over_rows<T>,
    .softmax = softmax<T>,
    .softmax_grad = softmax_grad<T>,
    .log_softmax = log_softmax<T>,
    .cross_entropy = cross_entropy<T>,
    .cross_entropy_grad = cross_entropy_grad<T>,
    .update_parameters_by_adam = update_parameters_by_adam<T>,
    .run_rnn_direction = run_rnn_direction<T>,
    .run_rnn_direction_grad = run_rnn_direction_grad<T>,
    .update_parameters_by_momentum = update_parameters_by_momentum<T>,
    .batched_matmul = batched_matmul<T>,
    .attention = attention<T>,
    .conv = conv<T>,
    .conv_input_grad = conv_input_grad<T>,
    .conv_filter_grad = conv_filter_grad<T>,
    .max_pool = max_pool<T>,
    .max_pool_with_index = max_pool_with_index<T>,
    .max_pool_grad = max_pool_grad<T>,
    .select_boxes = select_boxes<T>,
    .avg_pool = avg_pool<T>,
    .avg_pool_grad = avg_pool_grad<T>,
};

template <class T>
constexpr NumberKernelTable<T> kNumberTable = {
    .cumulate = {cumulate<T, CumulativeOp::sum>, cumulate<T, CumulativeOp::product>},
    .cumulative_max = cumulate_extreme<T, true>,
    .cumulative_min = cumulate_extreme<T, false>,
    .floor_divide = floor_divide_or_remainder<T, false>,
    .remainder = floor_divide_or_remainder<T, true>,
};

constexpr KernelTables kTables = {
    .name = OARLOCK_TEXT(OARLOCK_SET),
    .floats = kTable<float>,
    .doubles = kTable<double>,
    .float_numbers = kNumberTable<float>,
    .double_numbers = kNumberTable<double>,
    .int32_numbers = kNumberTable<std::int32_t>,
    .int64_numbers = kNumberTable<std::int64_t>,
};

}  // namespace

const KernelTables& OARLOCK_JOIN(tables_, OARLOCK_SET)() { return kTables; }

}  // namespace oarlock::kernels
