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

}  // namespace

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
  std::size_t num_running = 0;
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
    try {
      deadline_thread = std::jthread([this] { cancel_runs_at_their_deadlines(); });
      for (auto& worker : workers)
        worker->thread =
            std::jthread([this, &worker] { run_queued_tasks_until_finished(*worker); });
    } catch (const std::system_error& error) {
      cancel_close_and_join_threads();
      throw Error(ErrorCode::engine, std::string("SessionPool: no thread: ") + error.what());
    }
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() { cancel_close_and_join_threads(); }

  void push(Task task) {
    std::lock_guard lock(mutex);
    if (is_closed) throw Error(ErrorCode::canceled, "run: the pool is closed");
    if (queue.size() >= queue_size)
      throw Error(ErrorCode::busy,
                  "run: " + std::to_string(queue.size()) + " runs wait; the queue is full");
    queue.push_back(std::move(task));
    queue_changed.notify_one();
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
      if (worker.deadline != Clock::time_point::max()) deadlines_changed.notify_one();
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
      std::vector<TensorView> views(task.request.inputs.begin(), task.request.inputs.end());
      try {
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
    task.done(std::move(outputs), error);
  }

  void cancel_runs_at_their_deadlines() {
    std::unique_lock lock(mutex);
    while (!is_finished) {
      Clock::time_point next = Clock::time_point::max();
      for (auto& worker : workers) {
        if (!worker->token || worker->has_timed_out) continue;
        if (worker->deadline <= Clock::now()) {
          worker->has_timed_out = true;
          worker->token->stop();
        } else {
          next = std::min(next, worker->deadline);
        }
      }
      if (next == Clock::time_point::max())
        deadlines_changed.wait(lock);
      else
        deadlines_changed.wait_until(lock, next);
    }
  }

  void close() {
    std::unique_lock lock(mutex);
    is_closed = true;
    run_ended.wait(lock, [&] { return queue.empty() && num_running == 0; });
  }

  void cancel_and_close() {
    std::deque<Task> canceled;
    {
      std::lock_guard lock(mutex);
      is_closed = true;
      canceled.swap(queue);
      for (auto& worker : workers)
        if (worker->token) worker->token->stop();
    }
    for (Task& task : canceled) task.done({}, make_canceled_error("the pool is closed"));
    close();
  }

  void cancel_close_and_join_threads() {
    cancel_and_close();
    {
      std::lock_guard lock(mutex);
      is_finished = true;
    }
    queue_changed.notify_all();
    deadlines_changed.notify_all();
    for (auto& worker : workers)
      if (worker->thread.joinable()) worker->thread.join();
    if (deadline_thread.joinable()) deadline_thread.join();
  }
};

SessionPool::SessionPool(std::shared_ptr<const Session> session, const PoolOptions& options)
    : impl_(std::make_unique<Impl>(std::move(session), options)) {}
SessionPool::~SessionPool() = default;

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
