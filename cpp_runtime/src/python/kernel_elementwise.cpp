// Functions of each element, arithmetic, and sums.
#include <array>

#include "python/kernel_arrays.h"

namespace oarlock::python {
namespace {

using kernels::Binary;
using kernels::Unary;

template <Unary Which>
nb::object unary(nb::handle x) {
  Array a(x);
  if (!a.is_real() || !a.is_contiguous()) return not_implemented();
  Array y = empty(a.rank(), a.shape(), a.type());
  for_type(a.type(), [&]<class T>(T) {
    Unlocked free(a.size());
    kernels::table<T>().unary[static_cast<int>(Which)](a.size(), a.start<T>(), y.start<T>());
  });
  return given(std::move(y));
}

template <Unary Which>
nb::object unary_back(nb::handle x, nb::handle g) {
  Array a(x), b(g);
  if (!alike({&a, &b}) || !a.same_shape(b) || !a.is_contiguous()) return not_implemented();
  Array y = empty(a.rank(), a.shape(), a.type());
  for_type(a.type(), [&]<class T>(T) {
    const T* back = b.data<T>();
    Unlocked free(a.size());
    kernels::table<T>().unary_back[static_cast<int>(Which)](a.size(), a.start<T>(), back, y.start<T>());
  });
  return given(std::move(y));
}

/// Where y [c] lies in x [n,c,k].   `fits`: whether it does; `along`: whether it is smaller than x.
struct Place {
  Size n = 1, c = 1, k = 1;
  bool fits, along = false;

  Place(const Array& x, const Array& y) : fits(y.rank() <= x.rank()) {
    int shift = x.rank() - y.rank(), axis = 0;
    auto dim = [&](int i) { return i < shift ? 1 : y.dim(i - shift); };
    if (!fits) return;
    for (; axis < x.rank() && dim(axis) != x.dim(axis); ++axis) n *= x.dim(axis), fits &= dim(axis) == 1;
    for (; axis < x.rank() && dim(axis) == x.dim(axis); ++axis) c *= x.dim(axis);
    for (; axis < x.rank(); ++axis) k *= x.dim(axis), fits &= dim(axis) == 1;
    along = n * k > 1;
  }
};

template <Binary Which>
nb::object binary(nb::handle x, nb::handle y, int axis) {
  Array a(x), b(y);
  if (axis != -1 || !alike({&a, &b}) || !a.is_contiguous() || !b.is_contiguous()) return not_implemented();
  Place place(a, b);
  if (!place.fits) return not_implemented();
  Array z = empty(a.rank(), a.shape(), a.type());
  for_type(a.type(), [&]<class T>(T) {
    Unlocked free(a.size());
    kernels::table<T>().binary[static_cast<int>(Which)](place.n, place.c, place.k, place.along, a.start<T>(),
                                                        b.start<T>(), z.start<T>());
  });
  return given(std::move(z));
}

nb::object sum(nb::handle x, Size n, Size c, Size k) {
  Array a(x);
  if (!a.is_real() || !a.is_contiguous() || a.size() != n * c * k) return not_implemented();
  Array y = empty({c}, a.type());
  for_type(a.type(), [&]<class T>(T) {
    Unlocked free(a.size());
    kernels::table<T>().sum(n, c, k, a.start<T>(), y.start<T>());
  });
  return given(std::move(y));
}

}  // namespace

void bind_elementwise(nb::module_& m) {
  auto function = [&]<Unary Which>(const char* name, const char* back, std::integral_constant<Unary, Which>) {
    m.def(name, &unary<Which>, nb::arg("x"));
    m.def(back, &unary_back<Which>, nb::arg("x"), nb::arg("g"));
  };
  function("relu", "relu_grad", std::integral_constant<Unary, Unary::relu>{});
  function("tanh", "tanh_grad", std::integral_constant<Unary, Unary::tanh>{});
  function("sigmoid", "sigmoid_grad", std::integral_constant<Unary, Unary::sigmoid>{});
  function("silu", "silu_grad", std::integral_constant<Unary, Unary::silu>{});
  function("gelu", "gelu_grad", std::integral_constant<Unary, Unary::gelu>{});
  function("gelu_tanh", "gelu_tanh_grad", std::integral_constant<Unary, Unary::gelu_tanh>{});
  m.def("exp", &unary<Unary::exp>, nb::arg("x"));
  m.def("add", &binary<Binary::add>, nb::arg("x"), nb::arg("y"), nb::arg("axis") = -1);
  m.def("sub", &binary<Binary::sub>, nb::arg("x"), nb::arg("y"), nb::arg("axis") = -1);
  m.def("mul", &binary<Binary::mul>, nb::arg("x"), nb::arg("y"), nb::arg("axis") = -1);
  m.def("sum", &sum, nb::arg("x"), nb::arg("n"), nb::arg("c"), nb::arg("k"), "x seen as [n,c,k] -> [c]");
}

}  // namespace oarlock::python
