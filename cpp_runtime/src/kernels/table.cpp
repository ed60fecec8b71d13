// All kernels for one instruction set: compiled once for each, OARLOCK_SET being its name.
#include "kernels/conv.h"
#include "kernels/conv_filter.h"
#include "kernels/kernels.h"
#include "kernels/matmul.h"
#include "kernels/pooling.h"

#define OARLOCK_JOIN2(a, b) a##b
#define OARLOCK_JOIN(a, b) OARLOCK_JOIN2(a, b)

namespace oarlock::kernels {
namespace {

template <class T>
constexpr Table<T> kTable = {
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
