// Interruption of long work: reading, validation and conversion of a program, and kernels.
//
// These functions are defined in the header, so that the kernel library and the runtime library
// each compile their own copy.
#pragma once
#include <chrono>
#include <utility>

namespace oarlock {

/// The interval between two calls of the callback of a `PollCallbackScope`.
inline constexpr auto kPollInterval = std::chrono::milliseconds(50);

/// The callback of the current thread, and when it was last called.
struct PollCallbackState {
  void (*callback)() = nullptr;
  bool has_started = false;                      // whether `last_call` belongs to this scope
  std::chrono::steady_clock::rep last_call = 0;  // in ticks since the epoch of the clock
};
inline thread_local PollCallbackState poll_state;

/// Calls the callback of the innermost `PollCallbackScope` of this thread if the interval has
/// passed. The first call of this function inside a scope only starts the interval.
inline void call_poll_callback_if_due() {
  PollCallbackState& state = poll_state;
  if (!state.callback) return;
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  bool due = state.has_started &&
             now - std::chrono::steady_clock::duration(state.last_call) >= kPollInterval;
  if (due || !state.has_started) state.last_call = now.count();
  state.has_started = true;
  if (due) state.callback();
}

/// During its lifetime, `call_poll_callback_if_due` in this thread calls `callback` at most every
/// 50 ms.  An exception of `callback` ends the work.
class PollCallbackScope {
 public:
  explicit PollCallbackScope(void (*callback)())
      : previous_(std::exchange(poll_state.callback, callback)) {
    poll_state.has_started = false;
  }
  ~PollCallbackScope() { poll_state.callback = previous_; }
  PollCallbackScope(const PollCallbackScope&) = delete;
  PollCallbackScope& operator=(const PollCallbackScope&) = delete;

 private:
  void (*previous_)();
};

}  // namespace oarlock
