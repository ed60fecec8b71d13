// Calls functions of NumPy or `_kernels` with the argument `out` set to an operand that the caller
// does not read again.
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "python/kernel_arrays.h"

namespace oarlock::python {
namespace {

/// A function with an `out` argument whose result is written into one of its operands, all of the
/// same shape and dtype float32 or float64.  Returns NotImplemented if no operand can be
/// overwritten.
///
/// reusable: the indices of the operands that the caller does not read again.
/// owned_refcount: the reference count of an operand that only the caller holds.
class InPlaceKernel {
 public:
  InPlaceKernel(nb::object function, std::vector<std::size_t> reusable, Py_ssize_t owned_refcount)
      : function_(std::move(function)),
        reusable_(std::move(reusable)),
        owned_refcount_(owned_refcount) {}

  [[nodiscard]] nb::object call(const nb::args& operands) const {
    for (std::size_t i : reusable_)
      if (i < operands.size() && is_unshared(operands[i], owned_refcount_) &&
          all_match_dtype_and_shape(operands, operands[i]))
        return function_(*operands, nb::arg("out") = operands[i]);
    return not_implemented();
  }

 private:
  nb::object function_;
  std::vector<std::size_t> reusable_;
  Py_ssize_t owned_refcount_;

  static bool all_match_dtype_and_shape(const nb::args& operands, nb::handle target) {
    KernelOperand to(target);
    return std::all_of(operands.begin(), operands.end(), [&](nb::handle operand) {
      KernelOperand a(operand);
      return are_nonempty_real_of_same_dtype({&to, &a}) && a.same_shape(to);
    });
  }
};

}  // namespace

void bind_inplace_kernel_class(nb::module_& m) {
  nb::class_<InPlaceKernel>(
      m, "InPlaceKernel",
      "Calls a function with one of its operands as `out`; returns NotImplemented if no operand "
      "may be overwritten.\n\n"
      "reusable: operands that the caller does not read again. One whose reference count in the "
      "call is `owned_refcount` may be overwritten.")
      .def(nb::init<nb::object, std::vector<std::size_t>, Py_ssize_t>(), nb::arg("function"),
           nb::arg("reusable"), nb::arg("owned_refcount"))
      .def("__call__", &InPlaceKernel::call);
}

}  // namespace oarlock::python
