// Calls functions with `out` set to an operand that the caller does not read again.
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "python/kernel_arrays.h"

namespace oarlock::python {
namespace {

/// A function with an `out` argument.  Its result has the shape and dtype of each operand, float32
/// or float64.
class InplaceCall {
 public:
  InplaceCall(nb::object function, std::vector<std::size_t> spent, Py_ssize_t alone)
      : function_(std::move(function)), reusable_(std::move(spent)), owned_refcount_(alone) {}

  [[nodiscard]] nb::object call(const nb::args& given) const {
    for (std::size_t i : reusable_)
      if (i < given.size() && is_unshared(given[i], owned_refcount_) && all_like(given, given[i]))
        return function_(*given, nb::arg("out") = given[i]);
    return not_implemented();
  }

 private:
  nb::object function_;
  std::vector<std::size_t> reusable_;
  Py_ssize_t owned_refcount_;

  static bool all_like(const nb::args& given, nb::handle place) {
    Array to(place);
    return std::all_of(given.begin(), given.end(), [&](nb::handle operand) {
      Array a(operand);
      return same_real_dtype({&to, &a}) && a.same_shape(to);
    });
  }
};

}  // namespace

void bind_inplace(nb::module_& m) {
  nb::class_<InplaceCall>(
      m, "InplaceCall",
      "A function with `out`, called with an operand as its `out`; NotImplemented "
      "where none may be.\n\n"
      "spent: operands that the caller does not read again; one that has `alone` "
      "references in its call "
      "is written over.")
      .def(nb::init<nb::object, std::vector<std::size_t>, Py_ssize_t>(), nb::arg("function"),
           nb::arg("spent"), nb::arg("alone"))
      .def("__call__", &InplaceCall::call);
}

}  // namespace oarlock::python
