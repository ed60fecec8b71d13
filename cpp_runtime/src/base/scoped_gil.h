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
/// To prevent this, the destructor blocks such a thread until the process has exited.
class GilScopedRelease {
 public:
  GilScopedRelease() : state_(PyEval_SaveThread()) {}
  ~GilScopedRelease() {
    try {
      PyEval_RestoreThread(state_);
    } catch (abi::__forced_unwind&) {
      for (;;) ::pause();
    }
  }
  GilScopedRelease(const GilScopedRelease&) = delete;
  GilScopedRelease& operator=(const GilScopedRelease&) = delete;

 private:
  PyThreadState* state_;
};

/// Holds the GIL for its lifetime, inside the lifetime of a `GilScopedRelease`.
class GilScopedAcquire {
 public:
  GilScopedAcquire() {
    try {
      state_ = PyGILState_Ensure();
    } catch (abi::__forced_unwind&) {
      for (;;) ::pause();
    }
  }
  ~GilScopedAcquire() { PyGILState_Release(state_); }
  GilScopedAcquire(const GilScopedAcquire&) = delete;
  GilScopedAcquire& operator=(const GilScopedAcquire&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace oarlock::python
