// Ctrl-C while the engine runs.
#pragma once
#include "oarlock/session.h"

namespace oarlock::python {

/// For its lifetime, in the process's first thread, Ctrl-C stops the runs of `interrupt` and then does what it did.
class CtrlC {
 public:
  explicit CtrlC(Interrupt& interrupt);
  ~CtrlC();
  CtrlC(const CtrlC&) = delete;
  CtrlC& operator=(const CtrlC&) = delete;

 private:
  bool active_ = false;
};

}  // namespace oarlock::python
