// Threads that share the work of a kernel.   They sleep when there is none, survive a fork, and end
// with the process.
#pragma once
#include <cstddef>

namespace oarlock::kernels {

using Size = std::ptrdiff_t;
using Task = void (*)(const void* context, Size index);

/// Call `task` for every index below `count`, on all threads; in what order is not said.   A call
/// from inside a task, or while another thread's kernel runs, does all the work itself.  If a task
/// throws, later tasks are skipped and the exception is rethrown here once all threads are done.
void run_tasks(Size count, Task task, const void* context);

/// During its lifetime, kernels in this thread call `poll` between tasks and inside long tasks, at
/// most every 50 ms. An exception of `poll` ends the kernel like an exception of a task.
class PollScope {
 public:
  explicit PollScope(void (*poll)());
  ~PollScope();
  PollScope(const PollScope&) = delete;
  PollScope& operator=(const PollScope&) = delete;

 private:
  void (*outer_)();
};

/// Called inside long tasks: calls `poll` if 50 ms have passed, and throws to end this task if
/// another task has failed.
void poll_in_task();

/// The number of working threads, including this one.  Smaller than requested if the system could
/// not create them all.
int thread_count();
/// Let `count` threads work from now on; at least one.
void set_thread_count(int count);

/// `body(index)` for every index below `count`.
template <class Body>
void parallel(Size count, const Body& body) {
  if (count == 1) return body(0);
  run_tasks(
      count, [](const void* context, Size index) { (*static_cast<const Body*>(context))(index); },
      &body);
}

/// `body(from, to)` over parts of [0, count), each of about `part` elements; cut alike whatever the
/// number of threads.
template <class Body>
void parallel_parts(Size count, Size part, const Body& body) {
  Size parts = (count + part - 1) / part;
  if (parts <= 1) return body(Size(0), count);
  parallel(parts, [&](Size i) { body(i * part, i + 1 == parts ? count : (i + 1) * part); });
}

/// Memory for this thread to work in, aligned to 64 bytes, valid until the next call with the same
/// `slot` below 6.
void* scratch(int slot, std::size_t bytes);

}  // namespace oarlock::kernels
