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

// Only the main thread registers its runs, because Python raises KeyboardInterrupt there: one at a
// time.
std::atomic<CancellationToken*> running_token = nullptr;
// The number of threads between reading `running_token` and finishing its use.  The system usually
// runs the handler in the main thread, but may choose any.
std::atomic<int> active_handlers = 0;

// The replaced handlers, oldest first.  There are several if a library installs a handler that
// calls ours, after which a new session installs ours again: each nested call then passes the
// signal to the previous handler.
constexpr std::size_t kMaxHandlers = 8;
std::array<std::atomic<Handler>, kMaxHandlers> previous_handlers{};
std::atomic<std::size_t> num_previous_handlers = 0;
// The nesting depth of `on_sigint`.  In the static TLS block, because other thread-local variables
// of a loaded library may be allocated on first use, which a signal handler must not do.
[[gnu::tls_model("initial-exec")]] thread_local std::size_t handler_depth = 0;

void on_sigint(int signal) {
  ++active_handlers;
  if (CancellationToken* interrupt = running_token) interrupt->stop();
  --active_handlers;
  const std::size_t level = handler_depth;
  if (level >= num_previous_handlers) return;
  const Handler next = previous_handlers[num_previous_handlers - 1 - level];
  ++handler_depth;
  next(signal);
  --handler_depth;
}

// Adds a handler to `previous_handlers`.  If it is already there, it was restored, so those above
// it are no longer in use.
bool push_or_unwind_to_previous_handler(Handler handler) {
  std::size_t at = 0;
  while (at < num_previous_handlers && previous_handlers[at] != handler) ++at;
  if (at == kMaxHandlers) return false;
  previous_handlers[at] = handler;
  num_previous_handlers = at + 1;
  return true;
}

// Whether this thread is the main thread of the process; cached per thread.
bool is_main_thread() {
  static thread_local const bool is_first = ::syscall(SYS_gettid) == ::getpid();
  return is_first;
}

}  // namespace

// A handler that the user installs later replaces this one: runs then cannot be interrupted until
// another session is created.
void install_chained_sigint_handler() {
  struct sigaction now{};
  if (!is_main_thread() || ::sigaction(SIGINT, nullptr, &now) != 0) return;
  bool is_function =
      (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN;
  if (!is_function || now.sa_handler == on_sigint ||
      !push_or_unwind_to_previous_handler(now.sa_handler))
    return;
  now.sa_handler = on_sigint;
  ::sigaction(SIGINT, &now, nullptr);
}

CancelOnSigintScope::CancelOnSigintScope(CancellationToken& token) {
  if (is_main_thread()) running_token = &token;
}

CancelOnSigintScope::~CancelOnSigintScope() {
  if (!is_main_thread()) return;
  running_token = nullptr;
  while (active_handlers != 0)
    std::this_thread::yield();  // a handler in another thread may still use the token
}

SigintPollScope::SigintPollScope()
    : scope_([] {
        GilScopedAcquire locked;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
      }) {}

}  // namespace oarlock::python
