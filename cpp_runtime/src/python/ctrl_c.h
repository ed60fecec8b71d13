// Handling of Ctrl-C during runs and conversion.
#pragma once
#include "base/poll.h"
#include "oarlock/session.h"

namespace oarlock::python {

/// Installs a SIGINT handler that also cancels the run of the active `SigintScope`.  Only in the
/// process's main thread.
void install_sigint_handler();

/// During its lifetime, in the process's main thread, Ctrl-C cancels the runs of `token` before the
/// previous handler is called.
class SigintScope {
 public:
  explicit SigintScope(CancellationToken& token);
  ~SigintScope();
  SigintScope(const SigintScope&) = delete;
  SigintScope& operator=(const SigintScope&) = delete;
};

/// During its lifetime, a signal interrupts reading and conversion of a program in this thread with
/// KeyboardInterrupt, or with the exception of the Python signal handler.  May be created without
/// the GIL.
class SigintPollScope {
 public:
  SigintPollScope();

 private:
  PollScope scope_;
};

}  // namespace oarlock::python
