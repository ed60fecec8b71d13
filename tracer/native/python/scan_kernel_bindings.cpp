// Bindings of cumulative functions.
#include "python/kernel_arrays.h"

namespace oarlock::python {
namespace {

using kernels::CumulativeOp;
using kernels::ScanShape;

nb::object cumulate(nb::handle x, int axis, bool product, bool reverse, bool exclusive) {
  KernelOperand a(x);
  if (!a.is_number()) return not_implemented();
  MiddleAxis m(a, axis);
  if (!m.fits) return not_implemented();
  KernelOperand y = a.empty_of_same_type(a.rank(), a.shape());
  dispatch_number_type(a, [&]<class T>(T) {
    const T* from = a.data<T>();
    ScopedGilReleaseForWork free(a.size());
    auto which = product ? CumulativeOp::product : CumulativeOp::sum;
    kernels::number_kernel_table<T>().cumulate[static_cast<int>(which)](
        ScanShape{m.outer, m.size, m.inner, reverse, exclusive}, from, y.address<T>());
  });
  return to_object(std::move(y));
}

nb::object cumulate_extreme(nb::handle x, int axis, bool is_max) {
  KernelOperand a(x);
  if (!a.is_number()) return not_implemented();
  MiddleAxis m(a, axis);
  if (!m.fits) return not_implemented();
  KernelOperand y = a.empty_of_same_type(a.rank(), a.shape()),
                indices = empty(a.rank(), a.shape(), NPY_INT64);
  dispatch_number_type(a, [&]<class T>(T) {
    const T* from = a.data<T>();
    ScopedGilReleaseForWork free(a.size());
    const auto& table = kernels::number_kernel_table<T>();
    (is_max ? table.cumulative_max : table.cumulative_min)(
        ScanShape{m.outer, m.size, m.inner, false, false}, from, y.address<T>(),
        indices.address<std::int64_t>());
  });
  return nb::make_tuple(to_object(std::move(y)), to_object(std::move(indices)));
}

nb::object linear_recurrence(nb::handle x, nb::handle factors, int axis, bool reverse) {
  KernelOperand a(x), b(factors);
  if (!are_nonempty_real_of_same_dtype({&a, &b}) || !a.same_shape(b)) return not_implemented();
  MiddleAxis m(a, axis);
  if (!m.fits) return not_implemented();
  KernelOperand y = empty(a.rank(), a.shape(), a.type());
  dispatch_real_type(a.type(), [&]<class T>(T) {
    const T *from = a.data<T>(), *by = b.data<T>();
    ScopedGilReleaseForWork free(a.size());
    kernels::kernel_table<T>().linear_recurrence(
        ScanShape{m.outer, m.size, m.inner, reverse, false}, from, by, y.address<T>());
  });
  return to_object(std::move(y));
}

}  // namespace

void bind_scan(nb::module_& m) {
  m.def("cumulate", &cumulate, nb::arg("x"), nb::arg("axis"), nb::arg("product"),
        nb::arg("reverse") = false, nb::arg("exclusive") = false,
        "The cumulative sum or product along the axis.");
  m.def("cumulate_extreme", &cumulate_extreme, nb::arg("x"), nb::arg("axis"), nb::arg("is_max"),
        "The largest or smallest element up to each position along the axis, and its last index.");
  m.def("linear_recurrence", &linear_recurrence, nb::arg("x"), nb::arg("factors"), nb::arg("axis"),
        nb::arg("reverse"), "y[k] = x[k] + factors[k] * y[k - 1] along the axis.");
}

}  // namespace oarlock::python
