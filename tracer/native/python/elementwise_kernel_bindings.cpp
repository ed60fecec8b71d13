// Bindings of elementwise functions, arithmetic and sums.
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "python/kernel_arrays.h"

namespace oarlock::python {
namespace {

using kernels::Binary;
using kernels::Unary;

template <Unary Which>
nb::object apply_unary_to_array(nb::handle x) {
  KernelOperand a(x);
  if (!a.is_real() || !a.is_contiguous()) return not_implemented();
  KernelOperand y = empty(a.rank(), a.shape(), a.type());
  dispatch_real_type(a.type(), [&]<class T>(T) {
    ScopedGilReleaseForWork free(a.size());
    kernels::kernel_table<T>().unary[static_cast<int>(Which)](a.size(), a.address<T>(),
                                                              y.address<T>());
  });
  return to_object(std::move(y));
}

template <Unary Which>
nb::object apply_unary_grad_to_arrays(nb::handle x, nb::handle g) {
  KernelOperand a(x), b(g);
  if (!are_nonempty_real_of_same_dtype({&a, &b}) || !a.same_shape(b) || !a.is_contiguous())
    return not_implemented();
  KernelOperand y = empty(a.rank(), a.shape(), a.type());
  dispatch_real_type(a.type(), [&]<class T>(T) {
    const T* back = b.data<T>();
    ScopedGilReleaseForWork free(a.size());
    kernels::kernel_table<T>().unary_grad[static_cast<int>(Which)](a.size(), a.address<T>(), back,
                                                                   y.address<T>());
  });
  return to_object(std::move(y));
}

/// How y [c] broadcasts along the middle axis of x [n,c,k], into which the axes of x are merged.
/// fits: whether it has this form; is_smaller: whether y is smaller than x.
struct MiddleAxisBroadcastLayout {
  Size n = 1, c = 1, k = 1;
  bool fits, is_smaller = false;

  MiddleAxisBroadcastLayout(const KernelOperand& x, const KernelOperand& y)
      : fits(y.rank() <= x.rank()) {
    int shift = x.rank() - y.rank(), axis = 0;
    auto dim = [&](int i) { return i < shift ? 1 : y.dim(i - shift); };
    if (!fits) return;
    for (; axis < x.rank() && dim(axis) != x.dim(axis); ++axis)
      n *= x.dim(axis), fits &= dim(axis) == 1;
    for (; axis < x.rank() && dim(axis) == x.dim(axis); ++axis) c *= x.dim(axis);
    for (; axis < x.rank(); ++axis) k *= x.dim(axis), fits &= dim(axis) == 1;
    is_smaller = n * k > 1;
    if (c == 1) k *= n, n = 1;  // the smaller operand has one element
  }
};

template <Binary Which>
nb::object apply_binary_to_arrays(nb::handle x, nb::handle y, int axis) {
  KernelOperand a(x), b(y);
  if (axis != -1 || !are_nonempty_real_of_same_dtype({&a, &b}) || !a.is_contiguous() ||
      !b.is_contiguous())
    return not_implemented();
  MiddleAxisBroadcastLayout layout(a, b);
  if (!layout.fits) return not_implemented();
  KernelOperand z = empty(a.rank(), a.shape(), a.type());
  dispatch_real_type(a.type(), [&]<class T>(T) {
    ScopedGilReleaseForWork free(a.size());
    kernels::kernel_table<T>().binary[static_cast<int>(Which)](layout.n, layout.c, layout.k,
                                                               layout.is_smaller, a.address<T>(),
                                                               b.address<T>(), z.address<T>());
  });
  return to_object(std::move(z));
}

/// floor(x / y), or the remainder, of arrays of the same shape and dtype, or with a single number
/// y.
template <bool IsRemainder>
nb::object floor_divide_or_remainder(nb::handle x, nb::handle y) {
  KernelOperand a(x), b(y);
  if (!a.is_number() || !b.is_number() || !a.same_type(b)) return not_implemented();
  bool is_scalar = b.size() == 1 && b.rank() <= a.rank();
  if (!is_scalar && !a.same_shape(b)) return not_implemented();
  KernelOperand z = a.empty_of_same_type(a.rank(), a.shape());
  bool is_divisible = true;
  dispatch_number_type(a, [&]<class T>(T) {
    const T *dividend = a.data<T>(), *divisor = b.data<T>();
    ScopedGilReleaseForWork free(a.size());
    if constexpr (std::is_integral_v<T>)
      is_divisible = std::find(divisor, divisor + b.size(), T(0)) == divisor + b.size();
    const auto& table = kernels::number_kernel_table<T>();
    if (is_divisible)
      (IsRemainder ? table.remainder : table.floor_divide)(a.size(), is_scalar, dividend, divisor,
                                                           z.address<T>());
  });
  return is_divisible ? to_object(std::move(z)) : not_implemented();
}

nb::object sum(nb::handle x, Size n, Size c, Size k) {
  KernelOperand a(x);
  if (!a.is_real() || !a.is_contiguous() || a.size() != n * c * k) return not_implemented();
  KernelOperand y = empty({c}, a.type());
  dispatch_real_type(a.type(), [&]<class T>(T) {
    ScopedGilReleaseForWork free(a.size());
    kernels::kernel_table<T>().sum(n, c, k, a.address<T>(), y.address<T>());
  });
  return to_object(std::move(y));
}

/// The axes that a sum over x [n,c,k] keeps, if they are adjacent.
struct AxesKeptByReduction {
  Size n = 1, c = 1, k = 1;
  int axes = 0;
  bool is_contiguous = true;  // no other axis lies between them

  void add(Size size, bool remains) {
    if (remains) is_contiguous &= k == 1 || axes == 0;
    if (remains && axes == 0) n = std::exchange(k, 1);
    (remains ? c : k) *= size;
    axes += remains;
  }
};

nb::object sum_or_mean_to_remaining_axes(const KernelOperand& x, AxesKeptByReduction m, int rank,
                                         const npy_intp* shape, bool mean) {
  if (m.axes == 0) m = {1, 1, x.size(), 0, true};
  if (!m.is_contiguous || (m.n * m.k <= 1 && m.axes)) return not_implemented();
  KernelOperand y = empty(rank, shape, x.type());
  dispatch_real_type(x.type(), [&]<class T>(T) {
    ScopedGilReleaseForWork free(x.size());
    kernels::kernel_table<T>().sum(m.n, m.c, m.k, x.address<T>(), y.address<T>());
    if (mean)
      for (Size i = 0; i < m.c; ++i) y.address<T>()[i] /= static_cast<T>(m.n * m.k);
  });
  return to_object(std::move(y));
}

constexpr int kMaxReductionAxes = 16;

nb::object sum_to(nb::handle x, const std::vector<Size>& shape, int axis) {
  KernelOperand a(x);
  int rank = static_cast<int>(shape.size());
  if (!a.is_real() || !a.is_contiguous() || rank > kMaxReductionAxes) return not_implemented();
  int start = axis == -1 ? a.rank() - rank : axis;
  if (start < 0 || start + rank > a.rank()) return not_implemented();
  AxesKeptByReduction m;
  npy_intp target_shape[kMaxReductionAxes];
  for (int i = 0; i < a.rank(); ++i) {
    bool inside = i >= start && i < start + rank;
    if (inside) target_shape[i - start] = shape[static_cast<std::size_t>(i - start)];
    if (inside && target_shape[i - start] != a.dim(i) && target_shape[i - start] != 1)
      return not_implemented();
    m.add(a.dim(i), inside && target_shape[i - start] == a.dim(i));
  }
  return sum_or_mean_to_remaining_axes(a, m, rank, target_shape, false);
}

nb::object reduce(nb::handle x, const std::vector<int>& axes, bool keep, bool mean) {
  KernelOperand a(x);
  if (!a.is_real() || !a.is_contiguous() || a.rank() < 1 || a.rank() > kMaxReductionAxes)
    return not_implemented();
  AxesKeptByReduction m;
  npy_intp shape[kMaxReductionAxes];
  int rank = 0;
  for (int i = 0; i < a.rank(); ++i) {
    bool is_reduced = axes.empty();
    for (int axis : axes) is_reduced |= axis == i || axis + a.rank() == i;
    m.add(a.dim(i), !is_reduced);
    if (!is_reduced || keep) shape[rank++] = is_reduced ? 1 : a.dim(i);
  }
  return sum_or_mean_to_remaining_axes(a, m, rank, shape, mean);
}

}  // namespace

void bind_elementwise_and_reductions(nb::module_& m) {
  auto function = [&]<Unary Which>(const char* name, const char* back,
                                   std::integral_constant<Unary, Which>) {
    m.def(name, &apply_unary_to_array<Which>, nb::arg("x"));
    m.def(back, &apply_unary_grad_to_arrays<Which>, nb::arg("x"), nb::arg("g"));
  };
  function("relu", "relu_grad", std::integral_constant<Unary, Unary::relu>{});
  function("tanh", "tanh_grad", std::integral_constant<Unary, Unary::tanh>{});
  function("sigmoid", "sigmoid_grad", std::integral_constant<Unary, Unary::sigmoid>{});
  function("silu", "silu_grad", std::integral_constant<Unary, Unary::silu>{});
  function("gelu", "gelu_grad", std::integral_constant<Unary, Unary::gelu>{});
  function("gelu_tanh", "gelu_tanh_grad", std::integral_constant<Unary, Unary::gelu_tanh>{});
  m.def("exp", &apply_unary_to_array<Unary::exp>, nb::arg("x"));
  m.def("erf", &apply_unary_to_array<Unary::erf>, nb::arg("x"));
  m.def("add", &apply_binary_to_arrays<Binary::add>, nb::arg("x"), nb::arg("y"),
        nb::arg("axis") = -1);
  m.def("sub", &apply_binary_to_arrays<Binary::sub>, nb::arg("x"), nb::arg("y"),
        nb::arg("axis") = -1);
  m.def("mul", &apply_binary_to_arrays<Binary::mul>, nb::arg("x"), nb::arg("y"),
        nb::arg("axis") = -1);
  m.def("floor_divide", &floor_divide_or_remainder<false>, nb::arg("x"), nb::arg("y"));
  m.def("remainder", &floor_divide_or_remainder<true>, nb::arg("x"), nb::arg("y"));
  m.def("sum_to", &sum_to, nb::arg("x"), nb::arg("shape"), nb::arg("axis") = -1,
        "x summed over the axes that broadcasting had added or stretched.   x [*] -> [*shape]");
  m.def("reduce", &reduce, nb::arg("x"), nb::arg("axes"), nb::arg("keep"), nb::arg("mean"),
        "The sum or mean of x over axes, all for none.");
  m.def("sum", &sum, nb::arg("x"), nb::arg("n"), nb::arg("c"), nb::arg("k"),
        "x seen as [n,c,k] -> [c]");
}

}  // namespace oarlock::python
