// Work without the GIL.
#pragma once
#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

namespace oarlock::python {

/// Without the GIL for its lifetime.
///
/// Python ends a daemon thread that asks for the GIL when the process ends, by unwinding its stack. Frames that may not
/// throw are on it, such as nanobind's, and the process would be aborted. Such a thread waits for the end instead.
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

/// Has the GIL again for its lifetime, within that of a `WithoutGil`.
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
