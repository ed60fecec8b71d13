#include "python/ctrl_c.h"

#include <nanobind/nanobind.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

namespace nb = nanobind;

namespace oarlock::python {
namespace {

// Python handles signals in the process's first thread, and the system brings them there: one run at a time.
std::atomic<Interrupt*> running = nullptr;
std::atomic<void (*)(int)> before = nullptr;

void on_ctrl_c(int signal) {
  if (Interrupt* interrupt = running) interrupt->stop();
  before.load()(signal);
}

// Asked of the system once per thread: a run of a small model takes microseconds.
bool is_first_thread() {
  static thread_local const bool is_first = ::syscall(SYS_gettid) == ::getpid();
  return is_first;
}

}  // namespace

// A handler that is set later, by signal.signal, takes the place of this one: runs then end by themselves, until
// another session is made.
void watch_ctrl_c() {
  struct sigaction now{};
  if (!is_first_thread() || ::sigaction(SIGINT, nullptr, &now) != 0) return;
  bool is_function = (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN;
  if (!is_function || now.sa_handler == on_ctrl_c) return;
  before = now.sa_handler;
  now.sa_handler = on_ctrl_c;
  ::sigaction(SIGINT, &now, nullptr);
}

CtrlC::CtrlC(Interrupt& interrupt) {
  if (is_first_thread()) running = &interrupt;
}

CtrlC::~CtrlC() {
  if (is_first_thread()) running = nullptr;
}

InterruptibleLowering::InterruptibleLowering()
    : callback_([] {
        nb::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
      }) {}

}  // namespace oarlock::python
