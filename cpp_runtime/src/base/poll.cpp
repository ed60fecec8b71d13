#include "base/poll.h"

#include <chrono>
#include <utility>

namespace oarlock {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kEvery = std::chrono::milliseconds(50);

thread_local void (*callback_of_thread)() = nullptr;
thread_local Clock::rep last_call = 0;  // in ticks since the epoch of the clock

}  // namespace

PollCallback::PollCallback(void (*callback)())
    : outer_(std::exchange(callback_of_thread, callback)) {
  last_call = Clock::now().time_since_epoch().count();
}
PollCallback::~PollCallback() { callback_of_thread = outer_; }

void poll() {
  if (!callback_of_thread) return;
  auto now = Clock::now().time_since_epoch();
  if (now - Clock::duration(last_call) < kEvery) return;
  last_call = now.count();
  callback_of_thread();
}

}  // namespace oarlock
