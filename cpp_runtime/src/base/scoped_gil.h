// Scoped release and acquisition of the GIL.
#pragma once
#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

namespace oarlock::python {

/// Releases the GIL for its lifetime.
///
/// If a daemon thread requests the GIL while the process exits, Python unwinds the stack of the
/// thread. The stack has noexcept frames, such as nanobind's, so unwinding would abort the process.
/// The thread blocks until the exit instead.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() {
    try {
      PyEval_RestoreThread(state_);
    } catch (abi::__forced_unwind&) {
      for (;;) ::pause();
    }
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

/// Holds the GIL for its lifetime, inside the lifetime of a `WithoutGil`.
class WithGil {
 public:
  WithGil() {
    try {
      state_ = PyGILState_Ensure();
    } catch (abi::__forced_unwind&) {
      for (;;) ::pause();
    }
  }
  ~WithGil() { PyGILState_Release(state_); }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace oarlock::python
