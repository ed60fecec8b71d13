// Bindings of sorting and selection along the last axis.
#include <algorithm>

#include "kernels/sorting.h"
#include "python/kernel_arrays.h"

namespace oarlock::python {
namespace {

/// The shape of an array with its last axis resized; removed for -1.
struct ResizedShape {
  npy_intp shape[NPY_MAXDIMS];
  int rank;

  ResizedShape(const KernelOperand& x, Size last) : rank(last < 0 ? x.rank() - 1 : x.rank()) {
    std::copy_n(x.shape(), x.rank(), shape);
    if (last >= 0) shape[rank - 1] = last;
  }
};

nb::object sort_indices(nb::handle x, Size first, bool descending) {
  KernelOperand a(x);
  if (!a.is_number() || a.rank() < 1) return not_implemented();
  Size count = a.dim(a.rank() - 1);
  if (first < 1 || first > count) return not_implemented();
  ResizedShape s(a, first);
  KernelOperand y = empty(s.rank, s.shape, NPY_INT64);
  KernelPollScope poll;
  dispatch_number_type(a, [&]<class T>(T) {
    const T* from = a.data<T>();
    ScopedGilReleaseForWork free(a.size());
    kernels::sort_indices(a.size() / count, count, first, descending, from,
                          y.address<std::int64_t>());
  });
  return to_object(std::move(y));
}

nb::object select_index(nb::handle x, Size position) {
  KernelOperand a(x);
  if (!a.is_number() || a.rank() < 1) return not_implemented();
  Size count = a.dim(a.rank() - 1);
  if (position < 0 || position >= count) return not_implemented();
  ResizedShape s(a, -1);
  KernelOperand y = empty(s.rank, s.shape, NPY_INT64);
  KernelPollScope poll;
  dispatch_number_type(a, [&]<class T>(T) {
    const T* from = a.data<T>();
    ScopedGilReleaseForWork free(a.size());
    kernels::select_index(a.size() / count, count, position, from, y.address<std::int64_t>());
  });
  return to_object(std::move(y));
}

nb::object mode_index(nb::handle x) {
  KernelOperand a(x);
  if (!a.is_number() || a.rank() < 1) return not_implemented();
  Size count = a.dim(a.rank() - 1);
  ResizedShape s(a, -1);
  KernelOperand y = empty(s.rank, s.shape, NPY_INT64);
  KernelPollScope poll;
  dispatch_number_type(a, [&]<class T>(T) {
    const T* from = a.data<T>();
    ScopedGilReleaseForWork free(a.size());
    kernels::mode_index(a.size() / count, count, from, y.address<std::int64_t>());
  });
  return to_object(std::move(y));
}

}  // namespace

void bind_sorting(nb::module_& m) {
  m.def("sort_indices", &sort_indices, nb::arg("x"), nb::arg("first"), nb::arg("descending"),
        "The first indices of a stable sort along the last axis; NaN is the largest.");
  m.def("select_index", &select_index, nb::arg("x"), nb::arg("position"),
        "The index of the element at a position of the sorted last axis.");
  m.def("mode_index", &mode_index, nb::arg("x"),
        "The last index of the most frequent value along the last axis.");
}

}  // namespace oarlock::python
