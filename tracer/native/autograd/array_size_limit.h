// The limit on the size of arrays that kernels allocate, set by OARLOCK_MAX_RESULT_BYTES.
#pragma once

#include <Python.h>

namespace oarlock::autograd {

/// While an instance exists, NumPy raises MemoryError in this thread for any array larger than
/// OARLOCK_MAX_RESULT_BYTES. All kernels allocate through NumPy, including compiled ones.  So the
/// limit also applies to results whose size does not follow from attributes: broadcasts, matrix
/// products, shapes given as tensors.
class ArraySizeLimitScope {
 public:
  ArraySizeLimitScope() noexcept;
  ~ArraySizeLimitScope();
  ArraySizeLimitScope(const ArraySizeLimitScope&) = delete;
  ArraySizeLimitScope& operator=(const ArraySizeLimitScope&) = delete;
};

/// Python: limited(function, *args, **kwargs) calls `function` under the limit and returns its
/// result.
PyObject* call_with_array_size_limit(PyObject* module, PyObject* const* args, Py_ssize_t count,
                                     PyObject* names);
/// Python: returns the size in bytes of the last array that the limit rejected in this thread, and
/// resets it to 0.
PyObject* take_rejected_size(PyObject* module, PyObject* unused);

}  // namespace oarlock::autograd
