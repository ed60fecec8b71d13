#include "oarlock/session_pool.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace oarlock {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMaxWorkers = 4096;

struct Task {
  RunRequest request;
  SessionPool::Callback done;
};

std::exception_ptr make_canceled_error(const char* why) {
  return std::make_exception_ptr(Error(ErrorCode::canceled, std::string("run: ") + why));
}

// An exception of the callback ends the process, whichever thread calls it.
void call_done(Task& task, std::vector<Tensor> outputs, std::exception_ptr error) noexcept {
  task.done(std::move(outputs), std::move(error));
}

}  // namespace

/// Shared by the pool and its threads: a callback may destroy the pool.
struct SessionPool::Impl {
  /// The run of one worker. token: null between runs.
  struct Worker {
    CancellationToken own_token;
    CancellationToken* token = nullptr;
    Clock::time_point deadline = Clock::time_point::max();
    bool has_timed_out = false;
    std::jthread thread{};

    explicit Worker(const Session& session) : own_token(session) {}
  };

  std::shared_ptr<const Session> session;
  std::size_t queue_size;
  std::mutex mutex;  // of everything below
  std::condition_variable queue_changed, run_ended, deadlines_changed;
  std::deque<Task> queue;
  std::vector<std::unique_ptr<Worker>> workers;
  std::size_t num_running = 0;    // workers that have a run, until its callback has returned
  std::size_t num_canceling = 0;  // callbacks of runs that no worker has, which are being called
  Clock::time_point next_deadline = Clock::time_point::max();  // which deadline_thread waits for
  bool is_closed = false, is_finished = false;
  std::jthread deadline_thread;

  Impl(std::shared_ptr<const Session> shared_session, const PoolOptions& options)
      : session(std::move(shared_session)), queue_size(options.queue_size) {
    if (!session) throw Error(ErrorCode::input, "SessionPool: the session is null");
    if (options.workers < 0 || options.workers > kMaxWorkers)
      throw Error(ErrorCode::input, "SessionPool: workers is " + std::to_string(options.workers));
    int count = options.workers
                    ? options.workers
                    : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    for (int i = 0; i < count; ++i) workers.push_back(std::make_unique<Worker>(*session));
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void start_threads(const std::shared_ptr<Impl>& self) try {
    deadline_thread = std::jthread([self] { self->cancel_runs_at_their_deadlines(); });
    for (auto& worker : workers)
      worker->thread =
          std::jthread([self, &worker] { self->run_queued_tasks_until_finished(*worker); });
  } catch (const std::system_error& error) {
    cancel_close_and_join_threads();
    throw Error(ErrorCode::engine, std::string("SessionPool: no thread: ") + error.what());
  }

  void push(Task task) {
    std::lock_guard lock(mutex);
    if (is_closed) throw Error(ErrorCode::canceled, "run: the pool is closed");
    std::size_t num_idle = workers.size() - num_running;  // they start the first runs of the queue
    if (queue.size() >= num_idle && queue.size() - num_idle >= queue_size)
      throw Error(ErrorCode::busy, "run: " + std::to_string(queue.size() - num_idle) +
                                       " runs wait; the queue is full");
    queue.push_back(std::move(task));
    queue_changed.notify_one();
    if (queue.back().request.deadline < next_deadline) deadlines_changed.notify_one();
  }

  void run_queued_tasks_until_finished(Worker& worker) {
    std::unique_lock lock(mutex);
    while (true) {
      queue_changed.wait(lock, [&] { return is_finished || !queue.empty(); });
      if (queue.empty()) return;
      Task task = std::move(queue.front());
      queue.pop_front();
      worker.token =
          task.request.cancellation ? task.request.cancellation.get() : &worker.own_token;
      worker.deadline = task.request.deadline;
      worker.has_timed_out = false;
      ++num_running;
      lock.unlock();
      run(worker, task);
      task = {};  // frees inputs before the next wait
      lock.lock();
      --num_running;
      run_ended.notify_all();
    }
  }

  void run(Worker& worker, Task& task) {
    std::vector<Tensor> outputs;
    std::exception_ptr error;
    if (task.request.deadline <= Clock::now()) {
      error = make_canceled_error("the deadline passed before it started");
    } else if (worker.token->is_stopped()) {
      error = make_canceled_error("stopped");
    } else {
      try {
        std::vector<TensorView> views(task.request.inputs.begin(), task.request.inputs.end());
        outputs = session->run(views, task.request.outputs, worker.token);
      } catch (...) {
        error = std::current_exception();
      }
    }
    {
      std::lock_guard lock(mutex);
      worker.token = nullptr;
      worker.deadline = Clock::time_point::max();
      // If a run ended before ONNX Runtime noticed the deadline, its result is returned instead of
      // an error.
      if (error && worker.has_timed_out) error = make_canceled_error("the deadline has passed");
    }
    worker.own_token.reset();
    call_done(task, std::move(outputs), error);
  }

  void cancel_runs_at_their_deadlines() {
    std::unique_lock lock(mutex);
    while (!is_finished) {
      Clock::time_point now = Clock::now();
      next_deadline = Clock::time_point::max();
      for (auto& worker : workers) {
        if (!worker->token || worker->has_timed_out) continue;
        if (worker->deadline <= now) {
          worker->has_timed_out = true;
          worker->token->stop();
        } else {
          next_deadline = std::min(next_deadline, worker->deadline);
        }
      }
      auto first_late = std::stable_partition(queue.begin(), queue.end(), [&](const Task& task) {
        return task.request.deadline > now;
      });
      std::deque<Task> late(std::make_move_iterator(first_late),
                            std::make_move_iterator(queue.end()));
      queue.erase(first_late, queue.end());
      for (const Task& task : queue) next_deadline = std::min(next_deadline, task.request.deadline);
      if (!late.empty()) {
        cancel(lock, late, "the deadline passed before it started");
      } else if (next_deadline == Clock::time_point::max()) {
        deadlines_changed.wait(lock);
      } else {
        deadlines_changed.wait_until(lock, next_deadline);
      }
    }
  }

  /// Calls the callbacks of runs that were removed from the queue, without the lock.
  void cancel(std::unique_lock<std::mutex>& lock, std::deque<Task>& tasks, const char* why) {
    while (!tasks.empty()) {
      Task task = std::move(tasks.front());
      tasks.pop_front();
      ++num_canceling;
      lock.unlock();
      call_done(task, {}, make_canceled_error(why));
      task = {};
      lock.lock();
      --num_canceling;
    }
    run_ended.notify_all();
  }

  bool is_current_thread_of_pool() const {
    auto id = std::this_thread::get_id();
    return deadline_thread.get_id() == id || std::ranges::any_of(workers, [&](auto& worker) {
             return worker->thread.get_id() == id;
           });
  }

  void require_other_thread() const {
    if (is_current_thread_of_pool())
      throw Error(ErrorCode::input,
                  "SessionPool: a callback cannot close the pool: that waits "
                  "for the callback");
  }

  void reject_new_runs_and_finish_others(std::unique_lock<std::mutex>& lock) {
    is_closed = true;
    std::size_t own = is_current_thread_of_pool();  // the callback that destroys the pool
    run_ended.wait(lock, [&] { return queue.empty() && num_running + num_canceling == own; });
  }

  void close() {
    require_other_thread();
    std::unique_lock lock(mutex);
    reject_new_runs_and_finish_others(lock);
  }

  void cancel_and_close() {
    require_other_thread();
    std::unique_lock lock(mutex);
    cancel_all_and_wait(lock);
  }

  void cancel_all_and_wait(std::unique_lock<std::mutex>& lock) {
    is_closed = true;
    std::deque<Task> waiting;
    waiting.swap(queue);
    for (auto& worker : workers)
      if (worker->token) worker->token->stop();
    cancel(lock, waiting, "the pool is closed");
    reject_new_runs_and_finish_others(lock);
  }

  void cancel_close_and_join_threads() {
    {
      std::unique_lock lock(mutex);
      cancel_all_and_wait(lock);
      is_finished = true;
    }
    queue_changed.notify_all();
    deadlines_changed.notify_all();
    for (auto& worker : workers) join_or_detach_if_current_thread(worker->thread);
    join_or_detach_if_current_thread(deadline_thread);
  }

  static void join_or_detach_if_current_thread(std::jthread& thread) {
    if (thread.get_id() == std::this_thread::get_id())
      thread.detach();
    else if (thread.joinable())
      thread.join();
  }
};

SessionPool::SessionPool(std::shared_ptr<const Session> session, const PoolOptions& options)
    : impl_(std::make_shared<Impl>(std::move(session), options)) {
  impl_->start_threads(impl_);
}
SessionPool::~SessionPool() { impl_->cancel_close_and_join_threads(); }

const Session& SessionPool::session() const { return *impl_->session; }
int SessionPool::num_workers() const { return static_cast<int>(impl_->workers.size()); }
std::size_t SessionPool::num_waiting() const {
  std::lock_guard lock(impl_->mutex);
  return impl_->queue.size();
}

std::future<std::vector<Tensor>> SessionPool::submit(RunRequest request) {
  auto promise = std::make_shared<std::promise<std::vector<Tensor>>>();
  std::future<std::vector<Tensor>> future = promise->get_future();
  submit(std::move(request), [promise](std::vector<Tensor> outputs, std::exception_ptr error) {
    if (error)
      promise->set_exception(std::move(error));
    else
      promise->set_value(std::move(outputs));
  });
  return future;
}

void SessionPool::submit(RunRequest request, Callback done) {
  if (!done) throw Error(ErrorCode::input, "SessionPool: the callback is empty");
  impl_->push({std::move(request), std::move(done)});
}

void SessionPool::close() { impl_->close(); }
void SessionPool::cancel_and_close() { impl_->cancel_and_close(); }

}  // namespace oarlock
