// Bindings of gathering, scattering and non-maximum suppression.
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "kernels/indexing.h"
#include "python/kernel_arrays.h"

namespace oarlock::python {
namespace {

using kernels::IndexedShape;

/// The shape of indexing an array x along an axis with `index`: a vector, or, if `is_elementwise`,
/// an array that has the rank of x and its sizes on the other axes.  fits: whether `index` is such
/// an array.
struct IndexedAxis {
  IndexedShape shape{};
  MiddleAxis data;
  bool fits = false;

  IndexedAxis(const KernelOperand& x, const KernelOperand& index, int axis, bool is_elementwise)
      : data(x, axis) {
    if (!data.fits || !index.is_int64() || x.size() == 0) return;
    if (is_elementwise ? index.rank() != x.rank() : index.rank() != 1) return;
    for (int i = 0; is_elementwise && i < x.rank(); ++i)
      if (i != data.axis && index.dim(i) != x.dim(i)) return;
    Size count = index.dim(is_elementwise ? data.axis : 0);
    shape = {data.outer, data.size, count, data.inner, is_elementwise};
    fits = true;
  }
};

/// Gathers elements.  NotImplemented if an index is out of range: the NumPy kernel raises the
/// error.
nb::object take(nb::handle x, nb::handle index, int axis, bool is_elementwise) {
  KernelOperand a(x), at(index);
  if (!a.is_array() || !a.has_plain_items() || !at.is_array() || a.rank() > NPY_MAXDIMS)
    return not_implemented();
  IndexedAxis m(a, at, axis, is_elementwise);
  if (!m.fits) return not_implemented();
  npy_intp shape[NPY_MAXDIMS];
  std::copy_n(a.shape(), a.rank(), shape);
  shape[m.data.axis] = m.shape.count;
  const auto* indices_data = at.data<std::int64_t>();
  const auto* from = a.data<char>();
  KernelOperand y = a.empty_of_same_type(a.rank(), shape);
  {
    ScopedGilReleaseForWork free(y.size());
    if (!kernels::are_indices_in_range(at.size(), indices_data, m.data.size))
      return not_implemented();
    kernels::take_along_middle_axis(m.shape, a.item_size(), from, indices_data, y.address<char>());
  }
  return to_object(std::move(y));
}

/// Whether `values` has the shape of the elements that `index` selects.
bool has_indexed_shape(const KernelOperand& x, const IndexedAxis& m, const KernelOperand& values) {
  if (values.rank() != x.rank()) return false;
  for (int i = 0; i < x.rank(); ++i)
    if (values.dim(i) != (i == m.data.axis ? m.shape.count : x.dim(i))) return false;
  return true;
}

/// Scatters values into x in place and returns x; changes nothing and returns NotImplemented if an
/// operand is not supported or an index is out of range.
nb::object put(nb::handle x, nb::handle index, nb::handle values, int axis, bool is_elementwise,
               bool accumulate) {
  KernelOperand a(x), at(index), b(values);
  if (!a.is_array() || !a.has_plain_items() || !a.is_contiguous_and_writable() || !at.is_array() ||
      !b.is_array() || !b.has_plain_items() || !a.same_type(b) || (accumulate && !a.is_number()))
    return not_implemented();
  IndexedAxis m(a, at, axis, is_elementwise);
  if (!m.fits || !has_indexed_shape(a, m, b)) return not_implemented();
  const auto* indices_data = at.data<std::int64_t>();
  const auto* from = b.data<char>();
  {
    ScopedGilReleaseForWork free(b.size());
    if (!kernels::are_indices_in_range(at.size(), indices_data, m.data.size))
      return not_implemented();
    if (!accumulate)
      kernels::assign_along_middle_axis(m.shape, a.item_size(), a.address<char>(), indices_data,
                                        from);
  }
  if (accumulate)
    dispatch_number_type(a, [&]<class T>(T) {
      ScopedGilReleaseForWork free(b.size());
      kernels::add_along_middle_axis(m.shape, a.address<T>(), indices_data,
                                     reinterpret_cast<const T*>(from));
    });
  return nb::borrow(x);
}

nb::object zero_where_false(nb::handle x, nb::handle mask) {
  KernelOperand a(x), m(mask);
  if (!a.has_plain_items() || !m.is_array() || m.type() != NPY_BOOL || !a.same_shape(m))
    return not_implemented();
  KernelOperand y = a.empty_of_same_type(a.rank(), a.shape());
  const auto* from = a.data<char>();
  const auto* flags = m.data<unsigned char>();
  ScopedGilReleaseForWork free(a.size());
  kernels::zero_where_false(a.size(), a.item_size(), from, flags, y.address<char>());
  return to_object(std::move(y));
}

nb::object last_write_mask(const std::vector<Size>& shape, nb::handle index, int axis) {
  KernelOperand at(index);
  if (!at.is_int64() || at.rank() != static_cast<int>(shape.size())) return not_implemented();
  MiddleAxis m(at, axis);
  if (!m.fits) return not_implemented();
  for (int i = 0; i < at.rank(); ++i)
    if (i != m.axis && shape[static_cast<std::size_t>(i)] != at.dim(i)) return not_implemented();
  KernelOperand mask = empty(at.rank(), at.shape(), NPY_BOOL);
  const auto* indices_data = at.data<std::int64_t>();
  Size size = shape[static_cast<std::size_t>(m.axis)];
  ScopedGilReleaseForWork free(at.size());
  if (!kernels::are_indices_in_range(at.size(), indices_data, size)) return not_implemented();
  kernels::last_write_mask_along_middle_axis({m.outer, size, m.size, m.inner, true}, indices_data,
                                             mask.address<bool>());
  return to_object(std::move(mask));
}

nb::object count_in_bins(nb::handle x, nb::handle edges) {
  KernelOperand a(x), b(edges);
  if (!are_nonempty_real_of_same_dtype({&a, &b}) || b.rank() != 1 || b.size() < 2)
    return not_implemented();
  KernelOperand counts = empty({b.size() - 1}, NPY_INT64);
  dispatch_real_type(a.type(), [&]<class T>(T) {
    const T *from = a.data<T>(), *ends = b.data<T>();
    ScopedGilReleaseForWork free(a.size());
    kernels::count_in_bins(a.size(), from, b.size() - 1, ends, counts.address<std::int64_t>());
  });
  return to_object(std::move(counts));
}

nb::object scatter_to_images(const std::vector<Size>& shape, nb::handle index, nb::handle values) {
  KernelOperand at(index), b(values);
  if (!b.is_real() || !at.is_int32() || !at.same_shape(b) || shape.size() < 2 ||
      shape.size() > NPY_MAXDIMS || b.rank() != static_cast<int>(shape.size()) ||
      b.dim(0) != shape[0] || b.dim(1) != shape[1])
    return not_implemented();
  KernelOperand images = empty(b.rank(), shape.data(), b.type());
  Size planes = shape[0] * shape[1];
  bool is_inside = true;
  dispatch_real_type(b.type(), [&]<class T>(T) {
    const auto* indices_data = at.data<std::int32_t>();
    const T* from = b.data<T>();
    ScopedGilReleaseForWork free(images.size());
    is_inside = kernels::scatter_to_images(planes, images.size() / planes, b.size() / planes,
                                           indices_data, from, images.address<T>());
  });
  return is_inside ? to_object(std::move(images)) : not_implemented();
}

nb::object linearize_indices(const std::vector<nb::object>& indices, const std::vector<Size>& sizes,
                             bool allows_negative) {
  std::vector<kernels::IndexVector> vectors;
  std::vector<KernelOperand> operands(indices.begin(), indices.end());
  if (operands.empty() || sizes.size() < operands.size()) return not_implemented();
  for (std::size_t i = 0; i < operands.size(); ++i) {
    KernelOperand& a = operands[i];
    if (!a.is_int64() || a.rank() != 1 || a.dim(0) != operands[0].dim(0)) return not_implemented();
    vectors.push_back({a.address<std::int64_t>(), a.stride(0), sizes[i]});
  }
  KernelOperand linear = empty({operands[0].size()}, NPY_INT64);
  {
    ScopedGilReleaseForWork free(linear.size());
    if (!kernels::linearize_indices(linear.size(), static_cast<Size>(vectors.size()),
                                    vectors.data(), allows_negative,
                                    linear.address<std::int64_t>()))
      return not_implemented();
  }
  return to_object(std::move(linear));
}

nb::object search_cumulative_sums(nb::handle sums, nb::handle values) {
  KernelOperand a(sums), b(values);
  if (!are_nonempty_real_of_same_dtype({&a, &b}) || a.type() != NPY_DOUBLE || a.rank() != 2 ||
      b.rank() != 2 || a.dim(0) != b.dim(0))
    return not_implemented();
  KernelOperand positions = empty(2, b.shape(), NPY_INT64);
  const auto *from = a.data<double>(), *searched = b.data<double>();
  ScopedGilReleaseForWork free(b.size());
  kernels::search_cumulative_sums(a.dim(0), a.dim(1), b.dim(1), from, searched,
                                  positions.address<std::int64_t>());
  return to_object(std::move(positions));
}

nb::object select_boxes(nb::handle boxes, double threshold, double side_offset) {
  KernelOperand a(boxes);
  if (!a.is_real() || a.rank() != 2 || a.dim(1) != 4) return not_implemented();
  std::vector<std::int64_t> selected(static_cast<std::size_t>(a.dim(0)));
  Size count = 0;
  KernelPollScope poll;
  dispatch_real_type(a.type(), [&]<class T>(T) {
    const T* from = a.data<T>();
    ScopedGilReleaseForWork free(a.dim(0) * a.dim(0));
    count = kernels::kernel_table<T>().select_boxes(a.dim(0), from, static_cast<T>(threshold),
                                                    static_cast<T>(side_offset), selected.data());
  });
  KernelOperand y = empty({count}, NPY_INT64);
  std::copy_n(selected.data(), count, y.address<std::int64_t>());
  return to_object(std::move(y));
}

}  // namespace

void bind_indexing(nb::module_& m) {
  m.def("take", &take, nb::arg("x"), nb::arg("index"), nb::arg("axis"), nb::arg("is_elementwise"),
        "Gather along the axis: index int64 [M], or with the rank of x if `is_elementwise`.");
  m.def("put", &put, nb::arg("x"), nb::arg("index"), nb::arg("values"), nb::arg("axis"),
        nb::arg("is_elementwise"), nb::arg("accumulate"),
        "Assign or add values along the axis in place, in the order of the index, and return x.");
  m.def(
      "linearize_indices", &linearize_indices, nb::arg("indices"), nb::arg("sizes"),
      nb::arg("allows_negative"),
      "The row-major positions of index tuples, given as vectors int64 [M], in an array of sizes.");
  m.def("search_cumulative_sums", &search_cumulative_sums, nb::arg("sums"), nb::arg("values"),
        "For each line, the first position where sums [L,N] exceed values [L,M] times the total.");
  m.def(
      "scatter_to_images", &scatter_to_images, nb::arg("shape"), nb::arg("index"),
      nb::arg("values"),
      "Images [N,C,*] of zeros with values [N,C,*] added at int32 indices of the flattened image; "
      "negative indices are skipped.");
  m.def("last_write_mask", &last_write_mask, nb::arg("shape"), nb::arg("index"), nb::arg("axis"),
        "For each index int64 along an axis of an array of the shape: whether no later index is "
        "equal.");
  m.def(
      "count_in_bins", &count_in_bins, nb::arg("x"), nb::arg("edges"),
      "The number of elements of x between adjacent edges [N + 1] at equal distances -> int64 [N]");
  m.def("zero_where_false", &zero_where_false, nb::arg("x"), nb::arg("mask"),
        "x where the mask is true, else 0");
  m.def("select_boxes", &select_boxes, nb::arg("boxes"), nb::arg("threshold"),
        nb::arg("side_offset"),
        "Non-maximum suppression of boxes [N,4] sorted by score -> int64 [K]");
}

}  // namespace oarlock::python
