// Bindings of sorting and selection along the last axis.
#include <algorithm>

#include "kernels/sorting.h"
#include "python/kernel_arrays.h"

namespace oarlock::python {
namespace {

/// Returns an int64 array of indices with the shape of x, but `last` elements along the last axis,
/// or without that axis if `last` is -1. fill(rows, count, from, to) writes the indices of `rows`
/// rows of `count` elements.
template <class Fill>
nb::object make_indices_of_last_axis(KernelOperand& x, Size last, const Fill& fill) {
  npy_intp shape[NPY_MAXDIMS];
  std::copy_n(x.shape(), x.rank(), shape);
  int rank = last < 0 ? x.rank() - 1 : x.rank();
  if (last >= 0) shape[rank - 1] = last;
  Size count = x.dim(x.rank() - 1);
  KernelOperand y = empty(rank, shape, NPY_INT64);
  KernelPollScope poll;
  dispatch_number_type(x, [&]<class T>(T) {
    const T* from = x.data<T>();
    ScopedGilReleaseForWork free(x.size());
    fill(x.size() / count, count, from, y.address<std::int64_t>());
  });
  return to_object(std::move(y));
}

bool is_number_array_with_axes(const KernelOperand& x) { return x.is_number() && x.rank() >= 1; }

nb::object sort_indices(nb::handle x, Size num_first, bool descending) {
  KernelOperand a(x);
  if (!is_number_array_with_axes(a) || num_first < 1 || num_first > a.dim(a.rank() - 1))
    return not_implemented();
  return make_indices_of_last_axis(a, num_first, [&](Size rows, Size count, auto* from, auto* to) {
    kernels::sort_indices(rows, count, num_first, descending, from, to);
  });
}

nb::object select_index(nb::handle x, Size position) {
  KernelOperand a(x);
  if (!is_number_array_with_axes(a) || position < 0 || position >= a.dim(a.rank() - 1))
    return not_implemented();
  return make_indices_of_last_axis(a, -1, [&](Size rows, Size count, auto* from, auto* to) {
    kernels::select_index(rows, count, position, from, to);
  });
}

nb::object mode_index(nb::handle x) {
  KernelOperand a(x);
  if (!is_number_array_with_axes(a)) return not_implemented();
  return make_indices_of_last_axis(a, -1, [](Size rows, Size count, auto* from, auto* to) {
    kernels::mode_index(rows, count, from, to);
  });
}

}  // namespace

void bind_sorting(nb::module_& m) {
  m.def("sort_indices", &sort_indices, nb::arg("x"), nb::arg("num_first"), nb::arg("descending"),
        "The first `num_first` indices of a stable sort along the last axis; NaN is the largest.");
  m.def("select_index", &select_index, nb::arg("x"), nb::arg("position"),
        "The index of the element at a position of the sorted last axis.");
  m.def("mode_index", &mode_index, nb::arg("x"),
        "The last index of the most frequent value along the last axis.");
}

}  // namespace oarlock::python
