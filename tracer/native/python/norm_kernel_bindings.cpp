// Bindings of normalization kernels. x is viewed as [n,c,k]; statistics are [c].
#include "python/kernel_arrays.h"

namespace oarlock::python {
namespace {

bool is_contiguous_of_size(const KernelOperand& x, Size n, Size c, Size k) {
  return x.is_contiguous() && x.size() == n * c * k;
}

nb::object moments(nb::handle x, Size n, Size c, Size k) {
  KernelOperand a(x);
  if (!a.is_real() || !is_contiguous_of_size(a, n, c, k)) return not_implemented();
  KernelOperand mean = empty({c}, a.type()), variance = empty({c}, a.type());
  dispatch_real_type(a.type(), [&]<class T>(T) {
    ScopedGilReleaseForWork free(a.size());
    kernels::kernel_table<T>().moments(n, c, k, a.address<T>(), mean.address<T>(),
                                       variance.address<T>());
  });
  return nb::make_tuple(to_object(std::move(mean)), to_object(std::move(variance)));
}

nb::object affine(nb::handle x, nb::handle mean, nb::handle factor, nb::handle bias, Size n, Size c,
                  Size k) {
  KernelOperand a(x), m(mean), f(factor), b(bias);
  if (!are_nonempty_real_of_same_dtype({&a, &m, &f, &b}) || !is_contiguous_of_size(a, n, c, k))
    return not_implemented();
  if (m.size() != c || f.size() != c || b.size() != c) return not_implemented();
  KernelOperand y = empty(a.rank(), a.shape(), a.type());
  dispatch_real_type(a.type(), [&]<class T>(T) {
    const T *middle = m.data<T>(), *times = f.data<T>(), *plus = b.data<T>();
    ScopedGilReleaseForWork free(a.size());
    kernels::kernel_table<T>().affine(n, c, k, a.address<T>(), middle, times, plus, y.address<T>());
  });
  return to_object(std::move(y));
}

/// Whether an optional operand is None, or has the dtype of x and `size` elements.
bool is_none_or_of_dtype_and_size(const KernelOperand& operand, nb::handle handle,
                                  const KernelOperand& x, Size size) {
  return handle.is_none() ||
         (are_nonempty_real_of_same_dtype({&x, &operand}) && operand.size() == size);
}

nb::object layer_norm(nb::handle x, nb::handle weight, nb::handle bias, double epsilon, Size r,
                      Size k) {
  KernelOperand a(x), w(weight), b(bias);
  if (!a.is_real() || !is_contiguous_of_size(a, 1, r, k) ||
      !is_none_or_of_dtype_and_size(w, weight, a, k) ||
      !is_none_or_of_dtype_and_size(b, bias, a, k))
    return not_implemented();
  KernelOperand y = empty(a.rank(), a.shape(), a.type()), mean = empty({r}, a.type()),
                variance = empty({r}, a.type());
  dispatch_real_type(a.type(), [&]<class T>(T) {
    const T *times = weight.is_none() ? nullptr : w.data<T>(),
            *plus = bias.is_none() ? nullptr : b.data<T>();
    ScopedGilReleaseForWork free(a.size());
    kernels::kernel_table<T>().layer_norm(r, k, static_cast<T>(epsilon), a.address<T>(), times,
                                          plus, y.address<T>(), mean.address<T>(),
                                          variance.address<T>());
  });
  return nb::make_tuple(to_object(std::move(y)), to_object(std::move(mean)),
                        to_object(std::move(variance)));
}

nb::object standardize_affine_grad(nb::handle x, nb::handle weight, nb::handle mean,
                                   nb::handle inv_std, nb::handle g, Size n, Size c, Size k) {
  KernelOperand a(x), w(weight), m(mean), v(inv_std), b(g);
  if (!are_nonempty_real_of_same_dtype({&a, &m, &v, &b}) || !is_contiguous_of_size(a, n, c, k) ||
      b.size() != a.size() || m.size() != c || v.size() != c ||
      !is_none_or_of_dtype_and_size(w, weight, a, c))
    return not_implemented();
  KernelOperand dx = empty(a.rank(), a.shape(), a.type()), dweight = empty({c}, a.type()),
                dbias = empty({c}, a.type());
  dispatch_real_type(a.type(), [&]<class T>(T) {
    const T *times = weight.is_none() ? nullptr : w.data<T>(), *middle = m.data<T>(),
            *inv = v.data<T>(), *back = b.data<T>();
    ScopedGilReleaseForWork free(a.size());
    kernels::kernel_table<T>().standardize_affine_grad(n, c, k, a.address<T>(), times, middle, inv,
                                                       back, dx.address<T>(), dweight.address<T>(),
                                                       dbias.address<T>());
  });
  return nb::make_tuple(to_object(std::move(dx)), to_object(std::move(dweight)),
                        to_object(std::move(dbias)));
}

nb::object standardize_dot(nb::handle x, nb::handle mean, nb::handle inv_std, nb::handle y,
                           bool rows, Size n, Size c, Size k) {
  KernelOperand a(x), m(mean), v(inv_std), b(y);
  if (!are_nonempty_real_of_same_dtype({&a, &m, &v, &b}) || !is_contiguous_of_size(a, n, c, k) ||
      b.size() != a.size() || m.size() != c || v.size() != c)
    return not_implemented();
  if (rows && n != 1) return not_implemented();
  KernelOperand out = empty({rows ? k : c}, a.type());
  dispatch_real_type(a.type(), [&]<class T>(T) {
    const T *middle = m.data<T>(), *inv = v.data<T>(), *back = b.data<T>();
    ScopedGilReleaseForWork free(a.size());
    if (rows)
      kernels::kernel_table<T>().standardize_dot_over_rows(c, k, a.address<T>(), middle, inv, back,
                                                           out.address<T>());
    else
      kernels::kernel_table<T>().standardize_dot(n, c, k, a.address<T>(), middle, inv, back,
                                                 out.address<T>());
  });
  return to_object(std::move(out));
}

}  // namespace

void bind_norm(nb::module_& m) {
  m.def("moments", &moments, nb::arg("x"), nb::arg("n"), nb::arg("c"), nb::arg("k"),
        "-> mean [c], variance [c]");
  m.def("affine", &affine, nb::arg("x"), nb::arg("mean"), nb::arg("factor"), nb::arg("bias"),
        nb::arg("n"), nb::arg("c"), nb::arg("k"), "(x - mean) * factor + bias");
  m.def("layer_norm", &layer_norm, nb::arg("x"), nb::arg("weight").none(), nb::arg("bias").none(),
        nb::arg("epsilon"), nb::arg("r"), nb::arg("k"),
        "x seen as rows [r,k] -> y like x, mean [r], variance [r]");
  m.def("standardize_affine_grad", &standardize_affine_grad, nb::arg("x"), nb::arg("weight").none(),
        nb::arg("mean"), nb::arg("inv_std"), nb::arg("g"), nb::arg("n"), nb::arg("c"), nb::arg("k"),
        "-> dx, dweight [c], dbias [c]");
  m.def("standardize_dot", &standardize_dot, nb::arg("x"), nb::arg("mean"), nb::arg("inv_std"),
        nb::arg("y"), nb::arg("rows"), nb::arg("n"), nb::arg("c"), nb::arg("k"),
        "the sum of xhat * y over n and k; rows: over c");
}

}  // namespace oarlock::python
