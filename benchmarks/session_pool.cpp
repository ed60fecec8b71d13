// Throughput and memory of one session that many threads share, of a SessionPool, and of a session
// per thread.
//
//     oarlock-session-pool MODEL [THREADS] [CALLS PER THREAD]
//
// Every thread compares its results bit by bit with those of a single call.
#include <oarlock/oarlock.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace oarlock;
using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Private memory of this process in MB; the mapped file of weights is not part of it.
double private_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "RssAnon:") {
      long kilobytes = 0;
      status >> kilobytes;
      return static_cast<double>(kilobytes) / 1024;
    }
  return 0;
}

Tensor make_input(const TensorSpec& spec) {
  std::vector<std::int64_t> shape = spec.shape;
  for (std::int64_t& dim : shape) dim = std::max<std::int64_t>(dim, 1);
  Tensor tensor(spec.dtype, shape);
  if (spec.dtype == DType::float32)
    for (std::size_t i = 0; i < tensor.size(); ++i)
      static_cast<float*>(tensor.data())[i] = static_cast<float>(i % 17) / 17;
  return tensor;
}

bool have_equal_bytes(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && std::memcmp(a.data(), b.data(), a.byte_size()) == 0;
}

// call: one run, given the index of the thread.
void measure(const char* name, int num_threads, int num_calls,
             const std::function<std::vector<Tensor>(int)>& call, const Tensor& wanted) {
  std::atomic<int> num_different = 0;
  Clock::time_point start = Clock::now();
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < num_threads; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < num_calls; ++i)
          if (!have_equal_bytes(call(t)[0], wanted)) ++num_different;
      });
  }
  double seconds = milliseconds_since(start) / 1000;
  std::printf("%-28s %9.0f calls/s, %d of %d results differ\n", name,
              num_threads * num_calls / seconds, num_different.load(), num_threads * num_calls);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) return std::fprintf(stderr, "usage: %s MODEL [THREADS] [CALLS]\n", argv[0]), 2;
  int num_threads = argc > 2 ? std::atoi(argv[2]) : 16;
  int num_calls = argc > 3 ? std::atoi(argv[3]) : 10'000;
  Options options;
  options.threads = 1;
  Model model = Model::open(argv[1]);
  auto session = std::make_shared<const Session>(model, options);
  std::vector<Tensor> inputs;
  for (const TensorSpec& spec : session->inputs()) inputs.push_back(make_input(spec));
  std::vector<TensorView> views(inputs.begin(), inputs.end());
  Tensor wanted = session->run(views)[0];

  measure(
      "one shared session", num_threads, num_calls, [&](int) { return session->run(views); },
      wanted);
  double before = private_megabytes();
  Clock::time_point start = Clock::now();
  {
    SessionPool pool(session, {.workers = num_threads, .queue_size = 1024});
    std::printf("  %d workers of a pool: %.1f ms and %.2f MB each\n", num_threads,
                milliseconds_since(start) / num_threads,
                (private_megabytes() - before) / num_threads);
    measure(
        "SessionPool", num_threads, num_calls, [&](int) { return pool.submit({inputs}).get(); },
        wanted);
  }
  before = private_megabytes();
  start = Clock::now();
  std::vector<std::unique_ptr<Session>> sessions;
  for (int t = 0; t < num_threads; ++t)
    sessions.push_back(std::make_unique<Session>(model, options));
  std::printf("  %d sessions: %.1f ms and %.2f MB each\n", num_threads,
              milliseconds_since(start) / num_threads,
              (private_megabytes() - before) / num_threads);
  measure(
      "a session per thread", num_threads, num_calls,
      [&](int t) { return sessions[static_cast<std::size_t>(t)]->run(views); }, wanted);
  return 0;
} catch (const oarlock::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
