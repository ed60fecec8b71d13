// SessionPool: concurrent runs of one session, with a bounded queue, deadlines and cancellation.
#pragma once
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <vector>

#include "oarlock/session.h"

namespace oarlock {

/// workers: threads that run the session, 0 for one per CPU core; queue_size: runs that may wait
/// while all workers run.
struct PoolOptions {
  int workers = 0;
  std::size_t queue_size = 256;
};

/// The arguments of one run in a pool. outputs: indices of Session::outputs(), all if empty;
/// deadline: when the run is canceled; cancellation: null if the caller does not cancel the run.
/// When the deadline passes, the pool stops the caller's token, so each run needs a token of its
/// own.
struct RunRequest {
  std::vector<Tensor> inputs;
  std::vector<std::size_t> outputs = {};
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::shared_ptr<CancellationToken> cancellation = {};
};

/// A pool of threads that run one session. The session, its weights and its prepared kernels exist
/// once, however many workers there are, because a session may be run by several threads at once.
/// Give the session the option `threads` = 1, so that the workers do not compete for cores.
class OARLOCK_EXPORT SessionPool {
 public:
  /// outputs: empty if `error` is set.
  using Callback = std::function<void(std::vector<Tensor> outputs, std::exception_ptr error)>;

  /// Starts the threads. Throws Error(input) if the session is null or the number of workers is
  /// negative or above 4096.
  explicit SessionPool(std::shared_ptr<const Session> session, const PoolOptions& options = {});
  /// Cancels all runs, and waits for the threads.
  ~SessionPool();
  SessionPool(const SessionPool&) = delete;
  SessionPool& operator=(const SessionPool&) = delete;

  const Session& session() const;
  int num_workers() const;
  /// The number of runs that wait for a worker.
  std::size_t num_waiting() const;

  /// Queues a run. The future throws the errors of Session::run, and Error(canceled) if the run was
  /// canceled or its deadline passed, also while it waited. Throws Error(busy) if the queue is
  /// full, and Error(canceled) after close().
  std::future<std::vector<Tensor>> submit(RunRequest request);
  /// Queues a run like `submit(request)`, but returns no future: a worker calls `done` with the
  /// result. For a run that is canceled or reaches its deadline while it waits, the thread that
  /// cancels or closes the pool, or a thread of the pool, calls `done`. `done` may submit runs and
  /// destroy the pool. An exception of `done` ends the process.
  void submit(RunRequest request, Callback done);

  /// Rejects further runs and waits until the queue is empty and all runs have ended.  Throws
  /// Error(input) in a callback, which it would wait for.
  void close();
  /// Rejects further runs, cancels waiting and current ones, and waits until they have ended.
  /// Throws as close() does.
  void cancel_and_close();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace oarlock
