// Handling of Ctrl-C during runs and conversion.
#pragma once
#include "base/poll_callback.h"
#include "oarlock/session.h"

namespace oarlock::python {

/// Installs a SIGINT handler that also cancels the run of the active `CancelOnSigintScope`. In
/// other threads than the process's main thread, the function does nothing.
void install_chained_sigint_handler();

/// During its lifetime, in the process's main thread, Ctrl-C cancels the runs of `token` before the
/// previous handler is called.
class CancelOnSigintScope {
 public:
  explicit CancelOnSigintScope(CancellationToken& token);
  ~CancelOnSigintScope();
  CancelOnSigintScope(const CancelOnSigintScope&) = delete;
  CancelOnSigintScope& operator=(const CancelOnSigintScope&) = delete;
};

/// During its lifetime, a signal interrupts reading and conversion of a program in this thread with
/// KeyboardInterrupt, or with the exception of the Python signal handler. The scope may be created
/// without holding the GIL.
class SigintPollScope {
 public:
  SigintPollScope();

 private:
  PollCallbackScope scope_;
};

}  // namespace oarlock::python
