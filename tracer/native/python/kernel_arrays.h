// Access to NumPy arrays through NumPy's C API, because one access then takes less than a
// microsecond.
#pragma once
#include <nanobind/nanobind.h>

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL oarlock_numpy_api
#ifndef OARLOCK_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#include <initializer_list>
#include <optional>
#include <vector>

#include "base/poll_callback.h"
#include "base/scoped_gil.h"
#include "kernels/kernels.h"
#include "kernels/thread_pool.h"

namespace oarlock::python {

namespace nb = nanobind;
using kernels::Size;

/// The result of a kernel that does not support its operands.  The caller then calls the NumPy
/// kernel.
inline nb::object not_implemented() { return nb::borrow(Py_NotImplemented); }

/// An operand, if it is an array; made contiguous when data() is called.
class KernelOperand {
 public:
  explicit KernelOperand(nb::handle object) : array_(nb::borrow(object)) {}

  bool is_array() const { return PyArray_Check(array_.ptr()); }
  int type() const { return PyArray_TYPE(numpy_array()); }
  /// Whether the operand is an array of float32 or float64, in native byte order, with at least one
  /// element.
  bool is_real() const {
    return is_array() && (type() == NPY_FLOAT || type() == NPY_DOUBLE) &&
           PyArray_ISBEHAVED_RO(numpy_array()) && size() > 0;
  }
  /// Whether the operand is an array of float32, float64, int32 or int64, in native byte order,
  /// with at least one element.
  bool is_number() const { return is_real() || is_int32() || is_int64(); }
  bool is_int32() const { return is_nonempty_integer(sizeof(std::int32_t)); }
  bool is_int64() const { return is_nonempty_integer(sizeof(std::int64_t)); }
  Size item_size() const { return PyArray_ITEMSIZE(numpy_array()); }
  int rank() const { return PyArray_NDIM(numpy_array()); }
  Size dim(int axis) const { return PyArray_DIM(numpy_array(), axis); }
  Size size() const { return PyArray_SIZE(numpy_array()); }
  Size stride(int axis) const {
    return PyArray_STRIDE(numpy_array(), axis) / PyArray_ITEMSIZE(numpy_array());
  }
  bool is_contiguous() const { return PyArray_IS_C_CONTIGUOUS(numpy_array()); }
  bool is_contiguous_and_writable() const {
    return PyArray_ISWRITEABLE(numpy_array()) && is_contiguous();
  }
  const npy_intp* shape() const { return PyArray_DIMS(numpy_array()); }
  bool same_shape(const KernelOperand& other) const {
    return PyArray_SAMESHAPE(numpy_array(), other.numpy_array());
  }

  /// Whether the elements are numbers or bool, in native byte order, of a size that kernels copy.
  bool has_plain_items() const {
    if (!is_array()) return false;
    Size bytes = item_size();
    return PyArray_ISBEHAVED_RO(numpy_array()) &&
           !PyDataType_REFCHK(PyArray_DESCR(numpy_array())) &&
           (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16);
  }
  /// Whether another operand has the same dtype.
  bool same_type(const KernelOperand& other) const {
    return PyArray_EquivTypes(PyArray_DESCR(numpy_array()), PyArray_DESCR(other.numpy_array()));
  }
  /// A new array of the same dtype.
  KernelOperand empty_of_same_type(int rank, const npy_intp* shape) const {
    PyArray_Descr* type = PyArray_DESCR(numpy_array());
    Py_INCREF(reinterpret_cast<PyObject*>(type));
    nb::object result = nb::steal(PyArray_NewFromDescr(
        &PyArray_Type, type, rank, const_cast<npy_intp*>(shape), nullptr, nullptr, 0, nullptr));
    if (!result.is_valid()) throw nb::python_error();
    return KernelOperand(result);
  }

  /// The elements in C order; copied if the array is not contiguous.
  template <class T>
  const T* data() {
    if (!is_contiguous()) {
      array_ = nb::steal(PyArray_NewCopy(numpy_array(), NPY_CORDER));
      if (!array_.is_valid()) throw nb::python_error();
    }
    return static_cast<const T*>(PyArray_DATA(numpy_array()));
  }
  /// The address of the elements, with any strides.
  template <class T>
  T* address() const {
    return static_cast<T*>(PyArray_DATA(numpy_array()));
  }

 private:
  PyArrayObject* numpy_array() const { return reinterpret_cast<PyArrayObject*>(array_.ptr()); }

  bool is_nonempty_integer(std::size_t bytes) const {
    return is_array() && PyTypeNum_ISSIGNED(type()) && PyTypeNum_ISINTEGER(type()) &&
           item_size() == static_cast<Size>(bytes) && PyArray_ISBEHAVED_RO(numpy_array()) &&
           size() > 0;
  }

  nb::object array_;

  friend nb::object to_object(KernelOperand result);
};

/// The Python object of a result.
inline nb::object to_object(KernelOperand result) { return std::move(result.array_); }

/// A new array. type: NPY_FLOAT or another type number.
inline KernelOperand empty(int rank, const npy_intp* shape, int type) {
  nb::object result = nb::steal(PyArray_SimpleNew(rank, const_cast<npy_intp*>(shape), type));
  if (!result.is_valid()) throw nb::python_error();
  return KernelOperand(result);
}
inline KernelOperand empty(std::initializer_list<npy_intp> shape, int type) {
  return empty(static_cast<int>(shape.size()), shape.begin(), type);
}

/// Whether no object but the current call refers to the memory of an array argument, so that it may
/// be overwritten. owned_refcount: the reference count of an argument that a single local variable
/// of the caller holds; 0 if unknown.
inline bool is_unshared(nb::handle object, Py_ssize_t owned_refcount) {
  PyObject* a = object.ptr();
  if (owned_refcount == 0 || Py_REFCNT(a) != owned_refcount || !PyArray_CheckExact(a)) return false;
  auto* array = reinterpret_cast<PyArrayObject*>(a);
  bool own = PyArray_CHKFLAGS(array, NPY_ARRAY_OWNDATA) && PyArray_BASE(array) == nullptr;
  return own && PyArray_ISCARRAY(array);
}

/// Whether all arrays are float32, or all float64, and not empty.
inline bool are_nonempty_real_of_same_dtype(std::initializer_list<const KernelOperand*> arrays) {
  for (const KernelOperand* a : arrays)
    if (!a->is_real() || a->type() != (*arrays.begin())->type()) return false;
  return true;
}

/// Calls `body(T{})`, where T is the element type.
template <class Body>
void dispatch_real_type(int type, const Body& body) {
  type == NPY_FLOAT ? body(float{}) : body(double{});
}

/// Calls `body(T{})`, where T is the element type of an operand for which is_number() is true.
template <class Body>
void dispatch_number_type(const KernelOperand& operand, const Body& body) {
  if (operand.is_int32()) return body(std::int32_t{});
  if (operand.is_int64()) return body(std::int64_t{});
  dispatch_real_type(operand.type(), body);
}

/// The axes of an array merged to [outer, size, inner], where `size` is that of one axis.
/// fits: whether the array has this axis; negative axes count from the end.
struct MiddleAxis {
  Size outer = 1, size = 1, inner = 1;
  int axis;
  bool fits;

  MiddleAxis(const KernelOperand& x, int number)
      : axis(number < 0 ? number + x.rank() : number), fits(axis >= 0 && axis < x.rank()) {
    for (int i = 0; fits && i < x.rank(); ++i)
      (i < axis ? outer : i == axis ? size : inner) *= x.dim(i);
  }
};

/// Releases the GIL if the kernel has enough work.
class ScopedGilReleaseForWork {
 public:
  explicit ScopedGilReleaseForWork(Size work) {
    if (work > 16384) released_.emplace();
  }

 private:
  std::optional<GilScopedRelease> released_;
};

/// While an instance exists, Ctrl-C ends kernels with KeyboardInterrupt.  Only for kernels that
/// write new arrays: an in-place kernel would leave a partial result.
class KernelPollScope {
  PollCallbackScope scope_{[] {
    GilScopedAcquire locked;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }};
};

void bind_attention(nb::module_& m);
void bind_conv(nb::module_& m);
void bind_elementwise_and_reductions(nb::module_& m);
void bind_expression(nb::module_& m);
void bind_indexing(nb::module_& m);
void bind_matmul(nb::module_& m);
void bind_norm(nb::module_& m);
void bind_inplace_kernel_class(nb::module_& m);
void bind_pooling(nb::module_& m);
void bind_recurrent(nb::module_& m);
void bind_scan(nb::module_& m);
void bind_sorting(nb::module_& m);
void bind_softmax_cross_entropy(nb::module_& m);
void bind_optimizer_update(nb::module_& m);

}  // namespace oarlock::python
