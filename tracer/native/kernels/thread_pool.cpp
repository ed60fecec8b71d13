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

#include "base/poll.h"

namespace oarlock::kernels {
namespace {

constexpr auto kSpin =
    std::chrono::microseconds(60);  // longer than the pause between two kernels of a training step

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Thrown to end a task after another task of the job has failed.  Job::work catches it.
struct Abandoned : std::exception {};

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
  void work() noexcept;

  /// Rethrows the exception of a task, once no thread works on the job any more.
  void finish() const {
    if (error) std::rethrow_exception(error);
  }
};

thread_local const Job* job_of_thread = nullptr;

void Job::work() noexcept {
  const Job* outer = std::exchange(job_of_thread, this);
  try {
    for (Size i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      task(context, i);
      poll();
    }
  } catch (...) {
    if (!failed.exchange(true)) error = std::current_exception();
    next = count;
  }
  job_of_thread = outer;
}

class Pool {
 public:
  /// Starts up to `workers` threads, or fewer if the system cannot create more (limits on processes
  /// or memory).
  explicit Pool(int workers) {
    try {
      threads_.reserve(static_cast<std::size_t>(workers));
      for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { live(); });
    } catch (const std::exception&) {
      return;  // the existing threads, possibly only the caller, do the work
    }
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    ending_ = true;
    wake();
    for (std::thread& t : threads_) t.join();
  }

  int workers() const { return static_cast<int>(threads_.size()); }

  void run(Job& job) noexcept {
    job_ = &job;
    wake();
    job.work();
    job_ = nullptr;
    // A worker increments `inside_` before it reads the job.  So either it finds no job, or this
    // loop waits for it.
    for (int turns = 0; inside_ != 0; ++turns) turns < 10000 ? relax() : std::this_thread::yield();
  }

 private:
  void wake() {
    ++generation_;
    generation_.notify_all();
  }

  void live() {
    unsigned seen = 0;
    while (!ending_) {
      seen = generation_;
      ++inside_;
      if (Job* job = job_) job->work();
      --inside_;
      await(seen);
    }
  }

  /// Waits for a new generation: first spins, then sleeps.
  void await(unsigned seen) {
    auto until = std::chrono::steady_clock::now() + kSpin;
    while (generation_ == seen && std::chrono::steady_clock::now() < until)
      for (int i = 0; i < 16 && generation_ == seen; ++i) relax();
    generation_.wait(seen);
  }

  std::vector<std::thread> threads_;
  std::atomic<Job*> job_{nullptr};
  std::atomic<unsigned> generation_{0};
  std::atomic<int> inside_{0};
  std::atomic<bool> ending_{false};
};

int count_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text ? std::atoi(text) : 0;  // of a list such as "4,2", the first number
}

int default_count() {
  for (const char* variable : {"OARLOCK_NUM_THREADS", "OMP_NUM_THREADS"})
    if (int count = count_in(variable); count > 0) return count;
  cpu_set_t usable;
  return sched_getaffinity(0, sizeof usable, &usable) == 0 ? CPU_COUNT(&usable) : 1;
}

/// The pool, created at the first use.  A kernel holds `busy` while it uses the pool.
struct Shared {
  std::mutex busy;
  std::unique_ptr<Pool> pool;
  std::atomic<int> count = default_count();
};

Shared* shared = nullptr;
std::once_flag made;

void make() {
  shared = new Shared;
  std::atexit([] {
    if (shared->busy.try_lock()) shared->pool.reset();
  });
  // After a fork, the child has no worker threads, and the mutex may be locked.  It starts with new
  // state.
  pthread_atfork(nullptr, nullptr, [] {
    const int count = shared->count;
    shared = new Shared;
    shared->count = count;
  });
}

Shared& get() {
  std::call_once(made, make);
  return *shared;
}

thread_local bool working = false;  // inside a task: no nested parallelism

}  // namespace

void run_tasks(Size count, Task task, const void* context) {
  Shared& s = get();
  Job job{task, context, count};
  if (s.count < 2 || count < 2 || working || !s.busy.try_lock()) {
    job.work();
    return job.finish();
  }
  {
    std::lock_guard hold(s.busy, std::adopt_lock);
    if (!s.pool) {
      s.pool = std::make_unique<Pool>(s.count - 1);
      s.count = s.pool->workers() + 1;
    }
    working = true;
    s.pool->run(job);
    working = false;
  }
  job.finish();
}

void poll_in_task() {
  if (job_of_thread && job_of_thread->failed) throw Abandoned();
  poll();
}

int thread_count() { return get().count; }

void set_thread_count(int count) {
  Shared& s = get();
  std::lock_guard hold(s.busy);
  s.pool.reset();
  s.count = count < 1 ? 1 : count;
}

namespace {
struct Buffers {
  static constexpr std::align_val_t kAlign{64};
  void* data[6] = {};
  std::size_t size[6] = {};
  ~Buffers() {
    for (void* p : data) ::operator delete(p, kAlign);
  }
};
thread_local Buffers buffers;
}  // namespace

void* workspace(int slot, std::size_t bytes) {
  Buffers& b = buffers;
  if (b.size[slot] < bytes) {
    ::operator delete(b.data[slot], Buffers::kAlign);
    b.size[slot] = 0;
    b.data[slot] = nullptr;  // remains null if the allocation throws std::bad_alloc
    b.data[slot] = ::operator new(bytes, Buffers::kAlign);
    b.size[slot] = bytes;
  }
  return b.data[slot];
}

}  // namespace oarlock::kernels
