// How long work on a program is interrupted: reading, validating and lowering call `poll` once per op.
#pragma once

namespace oarlock {

/// Within its lifetime `poll` on this thread calls `callback`, at most every 50 ms.   What that throws ends the work.
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
