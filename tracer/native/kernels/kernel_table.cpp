// All kernels for one instruction set: compiled once for each, OARLOCK_SET being its name.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("vect-cost-model=dynamic")  // loops of any length in vectors, as at -O3
#endif
#include "kernels/conv.h"
#include "kernels/conv_filter_grad.h"
#include "kernels/expression.h"
#include "kernels/kernels.h"
#include "kernels/matmul.h"
#include "kernels/norm.h"
#include "kernels/optimizer_update.h"
#include "kernels/pooling.h"
#include "kernels/recurrent.h"
#include "kernels/softmax.h"

#define OARLOCK_JOIN2(a, b) a##b
#define OARLOCK_JOIN(a, b) OARLOCK_JOIN2(a, b)

namespace oarlock::kernels {
namespace {

template <class T, int... I>
constexpr Pieces<T> pieces_of(std::integer_sequence<int, I...>) {
  return {{piece<T, static_cast<Piece>(I)>...}};
}
template <class T>
constexpr Pieces<T> kAllPieces = pieces_of<T>(std::make_integer_sequence<int, kPieces>{});

template <class T>
constexpr Table<T> kTable = {
    .unary = {unary<T, Unary::relu>, unary<T, Unary::tanh>, unary<T, Unary::sigmoid>,
              unary<T, Unary::silu>, unary<T, Unary::gelu>, unary<T, Unary::gelu_tanh>,
              unary<T, Unary::exp>, unary<T, Unary::erf>},
    .unary_back = {unary_back<T, Unary::relu>, unary_back<T, Unary::tanh>,
                   unary_back<T, Unary::sigmoid>, unary_back<T, Unary::silu>,
                   unary_back<T, Unary::gelu>, unary_back<T, Unary::gelu_tanh>,
                   unary_back<T, Unary::exp>, unary_back<T, Unary::erf>},
    .binary = {binary<T, Binary::add>, binary<T, Binary::sub>, binary<T, Binary::mul>},
    .pieces = kAllPieces<T>,
    .sum = sum<T>,
    .moments = moments<T>,
    .affine = affine<T>,
    .layer_norm = layer_norm<T>,
    .standardize_back = standardize_back<T>,
    .standardize_dot = standardize_dot<T>,
    .standardize_dot_rows = standardize_dot_rows<T>,
    .softmax = softmax<T>,
    .softmax_back = softmax_back<T>,
    .log_softmax = log_softmax<T>,
    .cross_entropy = cross_entropy<T>,
    .cross_entropy_back = cross_entropy_back<T>,
    .adam = adam<T>,
    .recur = recur<T>,
    .recur_back = recur_back<T>,
    .momentum = momentum<T>,
    .products = products<T>,
    .conv = conv<T>,
    .conv_input = conv_input<T>,
    .conv_filter = conv_filter<T>,
    .max_pool = max_pool<T>,
    .max_pool_back = max_pool_back<T>,
    .avg_pool = avg_pool<T>,
    .avg_pool_back = avg_pool_back<T>,
};

}  // namespace

const Table<float>& OARLOCK_JOIN(floats_, OARLOCK_SET)() { return kTable<float>; }
const Table<double>& OARLOCK_JOIN(doubles_, OARLOCK_SET)() { return kTable<double>; }

}  // namespace oarlock::kernels
