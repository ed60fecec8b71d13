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

// The token of the run that Ctrl-C cancels; null if there is none. Only the main thread sets
// `running_token`, because Python raises KeyboardInterrupt in the main thread; so there is at most
// one such run.
std::atomic<CancellationToken*> running_token = nullptr;
// The number of threads whose signal handler has read `running_token` and may still use it. The
// system usually runs a signal handler in the main thread, but may choose any thread.
std::atomic<int> active_handlers = 0;

// The signal handlers that on_sigint replaced, oldest first. Several handlers are stored if a
// library installs a handler that calls on_sigint, and a new session then installs on_sigint again.
// Each nested call of on_sigint then passes the signal to the previous handler.
constexpr std::size_t kMaxHandlers = 8;
std::array<std::atomic<Handler>, kMaxHandlers> previous_handlers{};
std::atomic<std::size_t> num_previous_handlers = 0;
// The nesting depth of `on_sigint`. The variable is in the static TLS block: other thread-local
// variables of a loaded library may be allocated on first use, and a signal handler must not
// allocate memory.
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

// Adds `handler` to `previous_handlers`. If `handler` is stored already, a library has restored it,
// and the newer handlers are removed, because they are no longer in use. Returns false if there is
// no space.
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

// Installs on_sigint as the handler of SIGINT. If the user later installs another handler, runs
// cannot be interrupted until another session is created.
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
