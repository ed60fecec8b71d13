#include "autograd/numpy_c_api.h"

#include <sys/mman.h>

#include <memory>

#include "autograd/objects.h"

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL oarlock_tape_numpy_api
#include <numpy/arrayobject.h>

namespace oarlock::autograd {
namespace {

PyArrayObject* reinterpret_as_array(PyObject* o) { return reinterpret_cast<PyArrayObject*>(o); }

bool is_inexact_type_number(int number) {
  return PyTypeNum_ISFLOAT(number) || PyTypeNum_ISCOMPLEX(number);
}

// From this size on, two system calls take less time than setting memory to zero.
constexpr std::size_t kMinMappedZeroBytes = std::size_t{1} << 18;

// New pages of zeros, which take memory only when they are written.
class ZeroPages {
 public:
  explicit ZeroPages(std::size_t num_bytes)
      : data_(
            ::mmap(nullptr, num_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
        num_bytes_(num_bytes) {}
  ZeroPages(const ZeroPages&) = delete;
  ZeroPages& operator=(const ZeroPages&) = delete;
  ~ZeroPages() {
    if (is_valid()) ::munmap(data_, num_bytes_);
  }
  [[nodiscard]] bool is_valid() const { return data_ != MAP_FAILED; }
  [[nodiscard]] void* data() const { return data_; }

  static ZeroPages* of_capsule(PyObject* capsule) {
    return static_cast<ZeroPages*>(PyCapsule_GetPointer(capsule, nullptr));
  }

 private:
  void* data_;
  std::size_t num_bytes_;
};

// A capsule that owns ZeroPages; null, without an error set, if there is no memory.
PyObject* make_zero_pages_capsule_or_null(std::size_t num_bytes) {
  auto pages = std::make_unique<ZeroPages>(num_bytes);
  if (!pages->is_valid()) return nullptr;
  PyObject* capsule = PyCapsule_New(pages.get(), nullptr,
                                    [](PyObject* self) { delete ZeroPages::of_capsule(self); });
  capsule ? (void)pages.release() : PyErr_Clear();
  return capsule;
}

}  // namespace

bool import_numpy() { return _import_array() >= 0; }

bool is_array(PyObject* a) { return PyArray_Check(a) != 0; }

bool is_non_complex_array(PyObject* a) {
  return PyArray_Check(a) != 0 && !PyTypeNum_ISCOMPLEX(PyArray_TYPE(reinterpret_as_array(a)));
}

bool are_arrays_or_scalars_of_same_accepted_type(PyObject* a, PyObject* b, bool allow_integers) {
  if (PyArray_CheckExact(a) && PyArray_CheckExact(b)) {
    if (PyArray_DESCR(reinterpret_as_array(a)) != PyArray_DESCR(reinterpret_as_array(b)))
      return false;
    int number = PyArray_TYPE(reinterpret_as_array(a));
    return is_inexact_type_number(number) ||
           (allow_integers && (PyTypeNum_ISINTEGER(number) || PyTypeNum_ISBOOL(number)));
  }
  if (Py_TYPE(a) != Py_TYPE(b)) return false;
  return PyArray_IsScalar(a, Inexact) || (allow_integers && PyArray_IsScalar(a, Integer));
}

PyObject* try_make_0d_array_from_number(PyObject* array, PyObject* number, bool allow_integers) {
  if (!PyArray_CheckExact(array)) return nullptr;
  int type = PyArray_TYPE(reinterpret_as_array(array));
  bool plain = type == NPY_FLOAT || type == NPY_DOUBLE;
  if (!plain && !(allow_integers && PyTypeNum_ISSIGNED(type) && PyLong_CheckExact(number)))
    return nullptr;
  PyObject* result = PyArray_SimpleNew(0, nullptr, type);
  if (!result) return nullptr;
  if (PyArray_SETITEM(reinterpret_as_array(result),
                      static_cast<char*>(PyArray_DATA(reinterpret_as_array(result))), number) == 0)
    return result;
  PyErr_Clear();  // too large for the dtype: the Python function computes the result
  Py_DECREF(result);
  return nullptr;
}

bool are_arrays_of_same_shape_and_dtype(PyObject* a, PyObject* b) {
  if (!PyArray_Check(a) || !PyArray_Check(b)) return false;
  PyArrayObject *x = reinterpret_as_array(a), *y = reinterpret_as_array(b);
  if (PyArray_DESCR(x) != PyArray_DESCR(y) || PyArray_NDIM(x) != PyArray_NDIM(y)) return false;
  return PyArray_CompareLists(PyArray_DIMS(x), PyArray_DIMS(y), PyArray_NDIM(x)) != 0;
}

PyObject* zeros_like(PyObject* array) {
  PyArrayObject* a = reinterpret_as_array(array);
  PyArray_Descr* dtype = PyArray_DESCR(a);
  auto num_bytes = static_cast<std::size_t>(PyArray_NBYTES(a));
  Ref pages(num_bytes >= kMinMappedZeroBytes ? make_zero_pages_capsule_or_null(num_bytes)
                                             : nullptr);
  Py_INCREF(reinterpret_cast<PyObject*>(dtype));  // the functions below steal the reference
  if (!pages) return PyArray_Zeros(PyArray_NDIM(a), PyArray_DIMS(a), dtype, 0);
  Ref zeros(PyArray_NewFromDescr(&PyArray_Type, dtype, PyArray_NDIM(a), PyArray_DIMS(a), nullptr,
                                 ZeroPages::of_capsule(pages.get())->data(), NPY_ARRAY_CARRAY,
                                 nullptr));
  if (!zeros || PyArray_SetBaseObject(reinterpret_as_array(zeros.get()), pages.release()) < 0)
    return nullptr;
  return zeros.release();
}

bool are_arrays_of_different_dtypes(PyObject* a, PyObject* b) {
  if (!PyArray_Check(a) || !PyArray_Check(b)) return false;
  PyArray_Descr *x = PyArray_DESCR(reinterpret_as_array(a)),
                *y = PyArray_DESCR(reinterpret_as_array(b));
  return x != y && x->type_num != y->type_num;
}

bool is_integer_or_bool_array(PyObject* a) {
  return PyArray_Check(a) && (PyTypeNum_ISINTEGER(PyArray_TYPE(reinterpret_as_array(a))) ||
                              PyArray_TYPE(reinterpret_as_array(a)) == NPY_BOOL);
}

int has_inexact_dtype(PyObject* array) {
  if (PyArray_Check(array)) {
    int number = PyArray_TYPE(reinterpret_as_array(array));
    if (number < NPY_USERDEF) return is_inexact_type_number(number);
  } else if (PyArray_IsScalar(array, Inexact)) {
    return 1;
  } else if (PyArray_IsScalar(array, Number) || PyArray_IsScalar(array, Bool)) {
    return 0;
  }
  Ref dtype(PyObject_GetAttrString(array, "dtype"));
  if (!dtype) return -1;
  Ref result(PyObject_CallFunctionObjArgs(shared.is_float, dtype.get(), nullptr));
  return result ? PyObject_IsTrue(result.get()) : -1;
}

}  // namespace oarlock::autograd
