// Kernels that write over an operand which the caller does not read again.
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "python/kernel_arrays.h"

namespace oarlock::python {
namespace {

/// A function with `out` whose result is like each of its operands: float32 or float64, of one
/// shape.
class Over {
 public:
  Over(nb::object function, std::vector<std::size_t> spent, Py_ssize_t alone)
      : function_(std::move(function)), spent_(std::move(spent)), alone_(alone) {}

  [[nodiscard]] nb::object call(const nb::args& given) const {
    for (std::size_t i : spent_)
      if (i < given.size() && may_be_written_over(given[i], alone_) && all_like(given, given[i]))
        return function_(*given, nb::arg("out") = given[i]);
    return not_implemented();
  }

 private:
  nb::object function_;
  std::vector<std::size_t> spent_;
  Py_ssize_t alone_;

  static bool all_like(const nb::args& given, nb::handle place) {
    Array to(place);
    return std::all_of(given.begin(), given.end(), [&](nb::handle operand) {
      Array a(operand);
      return alike({&to, &a}) && a.same_shape(to);
    });
  }
};

}  // namespace

void bind_over(nb::module_& m) {
  nb::class_<Over>(m, "Over",
                   "A function with `out`, called with an operand as its `out`; NotImplemented "
                   "where none may be.\n\n"
                   "spent: operands that the caller does not read again; one that has `alone` "
                   "references in its call "
                   "is written over.")
      .def(nb::init<nb::object, std::vector<std::size_t>, Py_ssize_t>(), nb::arg("function"),
           nb::arg("spent"), nb::arg("alone"))
      .def("__call__", &Over::call);
}

}  // namespace oarlock::python
