// The thread pool of the kernels.  Threads of the pool sleep when idle.  After a fork, the child
// process creates a new pool.
#pragma once
#include <cstddef>

namespace oarlock::kernels {

using Size = std::ptrdiff_t;
using Task = void (*)(const void* context, Size index);

/// Calls `task` for every index below `count`, on all threads, in unspecified order.  A call from
/// inside of a task, or while another thread's kernel uses the pool, runs all tasks in the calling
/// thread.  If a task throws, later tasks are skipped, and the exception is rethrown here after all
/// threads are done.
void run_tasks(Size count, Task task, const void* context);

/// Called inside of long tasks.  Calls `call_poll_callback_if_due`; throws to end this task if
/// another task of the job has failed.  Between tasks, kernels call `call_poll_callback_if_due`; an
/// exception from its callback ends the kernel like an exception from a task.
void throw_if_job_failed_or_interrupted();

/// The number of threads, including the calling one.  It is smaller than requested if the system
/// could not create all threads.
int thread_count();
/// Sets the number of threads; at least one.
void set_thread_count(int count);

/// Calls `body(index)` for every index below `count`.
template <class Body>
void parallel_for(Size count, const Body& body) {
  if (count == 1) return body(0);
  run_tasks(
      count, [](const void* context, Size index) { (*static_cast<const Body*>(context))(index); },
      &body);
}

/// Calls `body(from, to)` for parts of [0, count) with about `part` elements.  The division does
/// not depend on the number of threads.
template <class Body>
void parallel_ranges(Size count, Size part, const Body& body) {
  Size parts = (count + part - 1) / part;
  if (parts <= 1) return body(Size(0), count);
  parallel_for(parts, [&](Size i) { body(i * part, i + 1 == parts ? count : (i + 1) * part); });
}

/// Workspace memory of this thread, aligned to 64 bytes, valid until the next call with the same
/// `slot` below 6.
void* workspace(int slot, std::size_t bytes);

}  // namespace oarlock::kernels
