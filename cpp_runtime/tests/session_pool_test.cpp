// Tests of concurrent runs: equal results, the bounded queue, deadlines and cancellation.
#include "oarlock/session_pool.h"

#include <array>
#include <atomic>
#include <latch>
#include <thread>

#include "check.h"
#include "fixtures.h"

using namespace oarlock;
using namespace std::chrono_literals;

namespace {

std::shared_ptr<const Session> open_mlp() {
  Options options;
  options.threads = 1;
  return std::make_shared<const Session>(Model::open(fixture("mlp")), options);
}

Tensor rows(std::int64_t count, int seed) {
  Tensor x(DType::float32, {count, 4});
  auto* values = static_cast<float*>(x.data());
  for (std::int64_t i = 0; i < count * 4; ++i)
    values[i] = static_cast<float>((i * 7 + seed * 13) % 29) / 8 - 1;
  return x;
}

std::string error_of(std::future<std::vector<Tensor>> future) {
  try {
    future.get();
  } catch (const Error& error) {
    return std::string(name_of(error.code())) + ": " + error.what();
  }
  return "";
}

// A pool whose only worker waits until `release` is called.
struct BlockedPool {
  SessionPool pool{open_mlp(), {.workers = 1, .queue_size = 2}};
  std::latch started{1}, released{1};

  BlockedPool() {
    pool.submit({{rows(1, 0)}}, [this](std::vector<Tensor>, std::exception_ptr) {
      started.count_down();
      released.wait();
    });
    started.wait();
  }
  void release() { released.count_down(); }
};

}  // namespace

TEST("pool: results of many threads are bit-identical to those of one") {
  constexpr int num_threads = 16, num_calls = 60, num_inputs = 8;
  auto session = open_mlp();
  std::vector<Tensor> inputs, wanted;
  for (int i = 0; i < num_inputs; ++i) {
    inputs.push_back(rows(1 + i, i));
    wanted.push_back(session->run(std::array<TensorView, 1>{inputs.back()})[0]);
  }
  SessionPool pool(session, {.workers = 4, .queue_size = num_threads * 2});
  std::atomic<int> num_equal = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < num_threads; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < num_calls; ++i) {
          auto at = static_cast<std::size_t>((t + i) % num_inputs);
          num_equal += have_equal_bytes(pool.submit({{inputs[at]}}).get()[0], wanted[at]);
        }
      });
  }
  CHECK_EQ(num_equal.load(), num_threads * num_calls);
  CHECK_EQ(pool.num_workers(), 4);
}

TEST("pool: a full queue rejects runs, and waiting ones are finished by close") {
  BlockedPool blocked;
  auto first = blocked.pool.submit({{rows(2, 1)}}), second = blocked.pool.submit({{rows(2, 1)}});
  CHECK_EQ(blocked.pool.num_waiting(), std::size_t{2});
  CHECK_ERROR("run: 2 runs wait; the queue is full", blocked.pool.submit({{rows(2, 1)}}));
  blocked.release();
  blocked.pool.close();
  CHECK(first.get()[0].shape() == second.get()[0].shape());
  CHECK_ERROR("run: the pool is closed", blocked.pool.submit({{rows(2, 1)}}));
}

TEST("pool: idle workers take runs beside those that may wait") {
  SessionPool pool(open_mlp(), {.workers = 2, .queue_size = 0});
  std::latch both_run{2}, released{1};
  auto block = [&](std::vector<Tensor>, std::exception_ptr) {
    both_run.count_down();
    released.wait();
  };
  pool.submit({{rows(1, 0)}}, block);
  pool.submit({{rows(1, 0)}}, block);
  both_run.wait();
  CHECK_ERROR("run: 0 runs wait; the queue is full", pool.submit({{rows(1, 0)}}));
  released.count_down();
}

TEST("pool: a callback cannot close the pool, which would wait for the callback") {
  SessionPool pool(open_mlp(), {.workers = 1});
  std::promise<std::pair<std::string, std::string>> errors;
  pool.submit({{rows(1, 0)}}, [&](std::vector<Tensor>, std::exception_ptr) {
    errors.set_value({check::error_of([&] { pool.close(); }),
                      check::error_of([&] { pool.cancel_and_close(); })});
  });
  auto [close, cancel] = errors.get_future().get();
  CHECK_HAS(close, "a callback cannot close the pool");
  CHECK_HAS(cancel, "a callback cannot close the pool");
}

TEST("pool: a callback destroys the pool") {
  auto pool = std::make_shared<SessionPool>(open_mlp(), PoolOptions{.workers = 2});
  std::latch is_last_owner{1};
  std::promise<void> destroyed;
  pool->submit({{rows(1, 0)}}, [&, mine = pool](std::vector<Tensor>, std::exception_ptr) mutable {
    is_last_owner.wait();
    mine.reset();
    destroyed.set_value();
  });
  auto other = pool->submit({{rows(2, 1)}});
  CHECK_EQ(other.get().size(), std::size_t{2});
  std::weak_ptr<SessionPool> observer = pool;
  pool.reset();
  is_last_owner.count_down();
  destroyed.get_future().get();
  CHECK(observer.expired());
}

TEST("pool: cancel_and_close ends waiting runs") {
  BlockedPool blocked;
  auto waiting = blocked.pool.submit({{rows(2, 1)}});
  std::jthread closer([&] { blocked.pool.cancel_and_close(); });
  CHECK_EQ(error_of(std::move(waiting)), "canceled: run: the pool is closed");
  blocked.release();
}

TEST("pool: a deadline cancels a waiting and a current run") {
  BlockedPool blocked;
  auto waiting = blocked.pool.submit({{rows(2, 1)}, {}, std::chrono::steady_clock::now() + 1ms});
  auto later = blocked.pool.submit({{rows(2, 1)}, {}, std::chrono::steady_clock::now() + 1h});
  // It is answered, and leaves the queue, while the only worker is still blocked.
  CHECK_EQ(error_of(std::move(waiting)), "canceled: run: the deadline passed before it started");
  CHECK_EQ(blocked.pool.num_waiting(), std::size_t{1});
  blocked.release();
  CHECK_EQ(later.get().size(), std::size_t{2});

  Tensor large = rows(4'000'000, 2);  // some hundred milliseconds
  auto current = blocked.pool.submit({{large}, {}, std::chrono::steady_clock::now() + 10ms});
  // On a slow machine it may pass before the run starts.
  CHECK_HAS(error_of(std::move(current)), "canceled: run: the deadline");
  auto next = blocked.pool.submit({{rows(2, 1)}, {}, std::chrono::steady_clock::now() + 1h});
  CHECK_EQ(next.get().size(), std::size_t{2});
}

TEST("pool: a run is canceled by its token") {
  SessionPool pool(open_mlp(), {.workers = 1});
  auto token = std::make_shared<CancellationToken>(pool.session());
  RunRequest request{{rows(4'000'000, 2)}};
  request.cancellation = token;
  auto future = pool.submit(std::move(request));
  token->stop();
  CHECK_EQ(error_of(std::move(future)), "canceled: run: stopped");
  CHECK_EQ(pool.submit({{rows(1, 1)}, {1}}).get().size(), std::size_t{1});
}

TEST("pool: invalid inputs and arguments are reported") {
  SessionPool pool(open_mlp(), {.workers = 2});
  CHECK_EQ(error_of(pool.submit({})),
           "input: run: 0 inputs given, the model has 1 (x=float32[?,4])");
  CHECK_EQ(error_of(pool.submit({{Tensor(DType::int64, {2, 4})}})),
           "input: run: input 'x' is int64[2,4], the model requires float32[?,4]");
  CHECK_EQ(error_of(pool.submit({{rows(1, 1)}, {9}})), "input: run: no output number 9");
  CHECK_ERROR("the callback is empty", pool.submit({}, SessionPool::Callback{}));
  CHECK_ERROR("SessionPool: workers is -1", SessionPool(open_mlp(), {.workers = -1}));
  CHECK_ERROR("SessionPool: the session is null", SessionPool(nullptr));
}
