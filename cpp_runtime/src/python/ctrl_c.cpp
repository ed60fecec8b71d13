#include "python/ctrl_c.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

namespace oarlock::python {
namespace {

// Signals of the process reach its first thread, where Python handles them too: so there is one run at a time.
std::atomic<Interrupt*> running = nullptr;
struct sigaction before{};

void on_ctrl_c(int signal) {
  if (Interrupt* interrupt = running) interrupt->stop();
  before.sa_handler(signal);
}

bool is_first_thread() { return ::syscall(SYS_gettid) == ::getpid(); }

bool is_function(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

}  // namespace

CtrlC::CtrlC(Interrupt& interrupt) {
  if (!is_first_thread() || running || ::sigaction(SIGINT, nullptr, &before) != 0 || !is_function(before)) return;
  struct sigaction now = before;
  now.sa_handler = on_ctrl_c;
  running = &interrupt;
  active_ = ::sigaction(SIGINT, &now, nullptr) == 0;
}

CtrlC::~CtrlC() {
  if (!active_) return;
  ::sigaction(SIGINT, &before, nullptr);
  running = nullptr;
}

}  // namespace oarlock::python
