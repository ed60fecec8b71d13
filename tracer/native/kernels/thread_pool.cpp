#include "kernels/thread_pool.h"

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/poll_callback.h"

namespace oarlock::kernels {
namespace {

// Longer than most pauses between two kernels of a step; waking a thread takes up to 50 us.
constexpr auto kSpin = std::chrono::microseconds(200);

inline void spin_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Thrown to end a task after another task of the job has failed.  Job::run_remaining_tasks catches
/// it.
struct TaskAbandoned : std::exception {};

struct Job {
  Task task;
  const void* context;
  Size count;
  std::atomic<Size> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr
      error{};  // exception of the first task that threw; written by the thread that set `failed`

  /// Runs tasks until none is left.  An exception ends the job.  It must not propagate from a
  /// worker thread, nor from this function while other threads still use the job.
  void run_remaining_tasks() noexcept;

  /// Rethrows the exception of a task, once no thread works on the job any more.
  void rethrow_error_if_any() const {
    if (error) std::rethrow_exception(error);
  }
};

thread_local const Job* job_of_thread = nullptr;

void Job::run_remaining_tasks() noexcept {
  const Job* outer = std::exchange(job_of_thread, this);
  try {
    for (Size i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      task(context, i);
      call_poll_callback_if_due();
    }
  } catch (...) {
    if (!failed.exchange(true)) error = std::current_exception();
    next = count;
  }
  job_of_thread = outer;
}

class ThreadPool {
 public:
  /// Starts up to `workers` threads, or fewer if the system cannot create more (limits on processes
  /// or memory).
  explicit ThreadPool(int workers) {
    try {
      threads_.reserve(static_cast<std::size_t>(workers));
      for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { worker_loop(); });
    } catch (const std::exception&) {
      return;  // the existing threads, possibly only the caller, do the work
    }
  }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool() {
    is_stopping_ = true;
    wake_workers();
    for (std::thread& t : threads_) t.join();
  }

  int num_workers() const { return static_cast<int>(threads_.size()); }

  void run(Job& job) noexcept {
    job_ = &job;
    wake_workers();
    job.run_remaining_tasks();
    job_ = nullptr;
    // A worker increments `active_workers_` before it reads `job_`.  So either the worker finds no
    // job, or this loop waits for the worker.
    for (int turns = 0; active_workers_ != 0; ++turns)
      turns < 10000 ? spin_pause() : std::this_thread::yield();
  }

 private:
  void wake_workers() {
    ++generation_;
    generation_.notify_all();
  }

  void worker_loop() {
    unsigned seen = 0;
    while (!is_stopping_) {
      seen = generation_;
      ++active_workers_;
      if (Job* job = job_) job->run_remaining_tasks();
      --active_workers_;
      wait_until_workers_woken(seen);
    }
  }

  /// Waits for a new generation: first spins, then sleeps.
  void wait_until_workers_woken(unsigned seen) {
    auto until = std::chrono::steady_clock::now() + kSpin;
    while (generation_ == seen && std::chrono::steady_clock::now() < until)
      for (int i = 0; i < 16 && generation_ == seen; ++i) spin_pause();
    generation_.wait(seen);
  }

  std::vector<std::thread> threads_;
  std::atomic<Job*> job_{nullptr};
  std::atomic<unsigned> generation_{0};
  std::atomic<int> active_workers_{0};
  std::atomic<bool> is_stopping_{false};
};

int read_env_count(const char* variable) {
  const char* text = std::getenv(variable);
  return text ? std::atoi(text) : 0;  // of a list such as "4,2", the first number
}

int default_thread_count() {
  for (const char* variable : {"OARLOCK_NUM_THREADS", "OMP_NUM_THREADS"})
    if (int count = read_env_count(variable); count > 0) return count;
  cpu_set_t usable;
  return sched_getaffinity(0, sizeof usable, &usable) == 0 ? CPU_COUNT(&usable) : 1;
}

/// The pool, created at the first use.  A kernel holds `busy` while it uses the pool.
struct ThreadPoolState {
  std::mutex busy;
  std::unique_ptr<ThreadPool> pool;
  std::atomic<int> count = default_thread_count();
};

ThreadPoolState* thread_pool_state = nullptr;
std::once_flag pool_once;

void init_thread_pool_state() {
  thread_pool_state = new ThreadPoolState;
  std::atexit([] {
    if (thread_pool_state->busy.try_lock()) thread_pool_state->pool.reset();
  });
  // After a fork, the child process has no worker threads, and the mutex may be locked.  The child
  // therefore creates a new pool.
  pthread_atfork(nullptr, nullptr, [] {
    const int count = thread_pool_state->count;
    thread_pool_state = new ThreadPoolState;
    thread_pool_state->count = count;
  });
}

ThreadPoolState& get_thread_pool_state() {
  std::call_once(pool_once, init_thread_pool_state);
  return *thread_pool_state;
}

thread_local bool is_in_task = false;  // inside a task: no nested parallelism

}  // namespace

void run_tasks(Size count, Task task, const void* context) {
  ThreadPoolState& s = get_thread_pool_state();
  Job job{task, context, count};
  if (s.count < 2 || count < 2 || is_in_task || !s.busy.try_lock()) {
    job.run_remaining_tasks();
    return job.rethrow_error_if_any();
  }
  {
    std::lock_guard hold(s.busy, std::adopt_lock);
    if (!s.pool) {
      s.pool = std::make_unique<ThreadPool>(s.count - 1);
      s.count = s.pool->num_workers() + 1;
    }
    is_in_task = true;
    s.pool->run(job);
    is_in_task = false;
  }
  job.rethrow_error_if_any();
}

void throw_if_job_failed_or_interrupted() {
  if (job_of_thread && job_of_thread->failed) throw TaskAbandoned();
  call_poll_callback_if_due();
}

int thread_count() { return get_thread_pool_state().count; }

void set_thread_count(int count) {
  ThreadPoolState& s = get_thread_pool_state();
  std::lock_guard hold(s.busy);
  s.pool.reset();
  s.count = count < 1 ? 1 : count;
}

namespace {
struct WorkspaceBuffers {
  static constexpr std::align_val_t kAlign{64};
  void* data[6] = {};
  std::size_t size[6] = {};
  ~WorkspaceBuffers() {
    for (void* p : data) ::operator delete(p, kAlign);
  }
};
thread_local WorkspaceBuffers buffers;
}  // namespace

void* workspace(int slot, std::size_t bytes) {
  WorkspaceBuffers& b = buffers;
  if (b.size[slot] < bytes) {
    ::operator delete(b.data[slot], WorkspaceBuffers::kAlign);
    b.size[slot] = 0;
    b.data[slot] = nullptr;  // remains null if the allocation throws std::bad_alloc
    b.data[slot] = ::operator new(bytes, WorkspaceBuffers::kAlign);
    b.size[slot] = bytes;
  }
  return b.data[slot];
}

}  // namespace oarlock::kernels
