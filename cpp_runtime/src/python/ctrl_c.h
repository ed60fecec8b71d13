// Ctrl-C while the engine runs.
#pragma once
#include "base/poll.h"
#include "oarlock/session.h"

namespace oarlock::python {

/// From now on Ctrl-C also stops the run of a `CtrlC`.   For the process's first thread: elsewhere
/// it does nothing.
void watch_ctrl_c();

/// For its lifetime, in the process's first thread, Ctrl-C stops the runs of `interrupt` before it
/// does what it did.
class CtrlC {
 public:
  explicit CtrlC(Interrupt& interrupt);
  ~CtrlC();
  CtrlC(const CtrlC&) = delete;
  CtrlC& operator=(const CtrlC&) = delete;
};

/// During its lifetime, a signal interrupts reading and lowering of a program in this thread: they
/// end with KeyboardInterrupt, or with the exception of the Python signal handler.   May be created
/// without the GIL.
class InterruptibleLowering {
 public:
  InterruptibleLowering();

 private:
  PollCallback callback_;
};

}  // namespace oarlock::python
