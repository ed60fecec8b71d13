// Interruption of long work: reading, validation and conversion of a program, and kernels.
//
// Header-only, so that the kernel library and the runtime library each compile their own copy.
#pragma once
#include <chrono>
#include <utility>

namespace oarlock {

/// The interval between two calls of the callback of a `PollScope`.
inline constexpr auto kPollInterval = std::chrono::milliseconds(50);

/// The callback of the current thread, and when it was last called.
struct PollState {
  void (*callback)() = nullptr;
  bool has_started = false;                      // whether `last_call` belongs to this scope
  std::chrono::steady_clock::rep last_call = 0;  // in ticks since the epoch of the clock
};
inline thread_local PollState poll_state;

/// Calls the callback of the innermost `PollScope` of this thread if the interval has passed.  The
/// first call inside a scope only starts the interval.
inline void poll() {
  PollState& state = poll_state;
  if (!state.callback) return;
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  bool due = state.has_started &&
             now - std::chrono::steady_clock::duration(state.last_call) >= kPollInterval;
  if (due || !state.has_started) state.last_call = now.count();
  state.has_started = true;
  if (due) state.callback();
}

/// During its lifetime, `poll` in this thread calls `callback` at most every 50 ms.  An exception
/// of `callback` ends the work.
class PollScope {
 public:
  explicit PollScope(void (*callback)()) : previous_(std::exchange(poll_state.callback, callback)) {
    poll_state.has_started = false;
  }
  ~PollScope() { poll_state.callback = previous_; }
  PollScope(const PollScope&) = delete;
  PollScope& operator=(const PollScope&) = delete;

 private:
  void (*previous_)();
};

}  // namespace oarlock
