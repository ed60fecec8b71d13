// Interruption of long work on a program: reading, validation and lowering call `poll` once per op.
#pragma once

namespace oarlock {

/// During its lifetime, `poll` in this thread calls `callback` at most every 50 ms.   An exception
/// of `callback` ends the work.
class PollCallback {
 public:
  explicit PollCallback(void (*callback)());
  ~PollCallback();
  PollCallback(const PollCallback&) = delete;
  PollCallback& operator=(const PollCallback&) = delete;

 private:
  void (*outer_)();
};

void poll();

}  // namespace oarlock
