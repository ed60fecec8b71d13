// The limit on the arrays that kernels allocate: OARLOCK_MAX_RESULT_BYTES.
#pragma once

#include <Python.h>

namespace oarlock::tape {

/// While one exists in a thread, NumPy allocates no array above the limit there: it raises MemoryError.
///
/// Kernels allocate through NumPy, compiled ones too, so this covers every result whose size the op's attributes do
/// not tell: broadcasts, products, shapes given as tensors.
class LimitedAllocations {
 public:
  LimitedAllocations() noexcept;
  ~LimitedAllocations();
  LimitedAllocations(const LimitedAllocations&) = delete;
  LimitedAllocations& operator=(const LimitedAllocations&) = delete;
};

/// Python: limited(function, *args, **kwargs), the result of a call under the limit.
PyObject* limited(PyObject* module, PyObject* const* args, Py_ssize_t count, PyObject* names);
/// Python: the bytes of the last array of this thread that the limit refused, then 0.
PyObject* take_refused(PyObject* module, PyObject* unused);

}  // namespace oarlock::tape
