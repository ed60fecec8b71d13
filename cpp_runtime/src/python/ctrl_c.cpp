#include "python/ctrl_c.h"

#include <nanobind/nanobind.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <thread>

#include "base/scoped_gil.h"

namespace nb = nanobind;

namespace oarlock::python {
namespace {

using Handler = void (*)(int);

// Only the process's first thread registers its runs, because Python raises KeyboardInterrupt
// there: one at a time.
std::atomic<Interrupt*> running = nullptr;
// How many threads are between reading `running` and having used it.  The system usually runs the
// handler in the first thread, but may choose any.
std::atomic<int> users = 0;

// The handlers that ours replaced, oldest first.  Several, because a library may install a handler
// that calls ours, after which a new session installs ours once more: each nested call of ours then
// passes the signal to the one before.
constexpr std::size_t kMaxHandlers = 8;
std::array<std::atomic<Handler>, kMaxHandlers> replaced{};
std::atomic<std::size_t> num_replaced = 0;
// Of nested calls of `on_sigint`.  In the static TLS block, because other thread-local variables of
// a loaded library may be allocated on their first use, which a signal handler must not do.
[[gnu::tls_model("initial-exec")]] thread_local std::size_t depth = 0;

void on_sigint(int signal) {
  ++users;
  if (Interrupt* interrupt = running) interrupt->stop();
  --users;
  const std::size_t level = depth;
  if (level >= num_replaced) return;
  const Handler next = replaced[num_replaced - 1 - level];
  ++depth;
  next(signal);
  --depth;
}

// Add a handler to `replaced`; one that is already there was restored, so those above it are no
// longer in use.
bool push(Handler handler) {
  std::size_t at = 0;
  while (at < num_replaced && replaced[at] != handler) ++at;
  if (at == kMaxHandlers) return false;
  replaced[at] = handler;
  num_replaced = at + 1;
  return true;
}

// Asked of the system once per thread: a run of a small model takes microseconds.
bool is_first_thread() {
  static thread_local const bool is_first = ::syscall(SYS_gettid) == ::getpid();
  return is_first;
}

}  // namespace

// A handler that the user installs later, by signal.signal or sigaction, replaces this one: runs
// then cannot be interrupted until another session is created.
void watch_ctrl_c() {
  struct sigaction now{};
  if (!is_first_thread() || ::sigaction(SIGINT, nullptr, &now) != 0) return;
  bool is_function =
      (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN;
  if (!is_function || now.sa_handler == on_sigint || !push(now.sa_handler)) return;
  now.sa_handler = on_sigint;
  ::sigaction(SIGINT, &now, nullptr);
}

CtrlC::CtrlC(Interrupt& interrupt) {
  if (is_first_thread()) running = &interrupt;
}

CtrlC::~CtrlC() {
  if (!is_first_thread()) return;
  running = nullptr;
  while (users != 0)
    std::this_thread::yield();  // a handler in another thread may still use the interrupt
}

InterruptibleLowering::InterruptibleLowering()
    : callback_([] {
        WithGil locked;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
      }) {}

}  // namespace oarlock::python
