// Serves one model over HTTP, with a bounded queue, a deadline per request, and a shutdown that finishes accepted
// requests.
//
//     http_service MODEL [PORT = 8080, 0: a free one] [WORKERS = 0: one per CPU core]
//
//     curl -d '{"inputs": {"x": {"shape": [1, 4], "data": [1, 2, 3, 4]}}}' http://127.0.0.1:8080/run
//     curl http://127.0.0.1:8080/health
//
// SIGTERM and Ctrl-C stop accepting connections; requests that were accepted are answered, unless a client takes longer
// than kMaxShutdownSeconds. Inputs and outputs are float32 or int64.
#include <httplib.h>
#include <oarlock/oarlock.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

using nlohmann::json;

constexpr auto kDeadline = std::chrono::seconds(5);
// A parsed body takes up to 30 times its size, and the HTTP library reads several at once.
constexpr std::size_t kMaxBodyBytes = std::size_t{16} << 20;
constexpr int kMaxJsonDepth = 8;
constexpr unsigned kMaxShutdownSeconds = 30;

// A request that does not describe inputs of the model.
struct BadRequest : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class T>
void copy_numbers(const json& data, oarlock::Tensor& tensor) {
  auto* values = static_cast<T*>(tensor.data());
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    bool fits = std::is_floating_point_v<T> ? data[i].is_number() : data[i].is_number_integer();
    if (!std::is_floating_point_v<T> && data[i].is_number_unsigned())
      fits = data[i].get<std::uint64_t>() <= std::uint64_t{std::numeric_limits<std::int64_t>::max()};
    if (!fits) throw BadRequest("data[" + std::to_string(i) + "] is not a number of the input's type");
    values[i] = data[i].get<T>();
  }
}

oarlock::Tensor read_tensor(const oarlock::TensorSpec& spec, const json& value) {
  auto shape = value.at("shape").get<std::vector<std::int64_t>>();
  const json& data = value.at("data");
  std::size_t count = 1;
  for (std::int64_t size : shape)
    if (size < 0 || __builtin_mul_overflow(count, static_cast<std::size_t>(size), &count))
      throw BadRequest(spec.name + ": invalid shape");
  if (!data.is_array() || data.size() != count)
    throw BadRequest(spec.name + ": data must have " + std::to_string(count) + " numbers");
  oarlock::Tensor tensor(spec.dtype, shape);
  if (spec.dtype == oarlock::DType::float32)
    copy_numbers<float>(data, tensor);
  else
    copy_numbers<std::int64_t>(data, tensor);
  return tensor;
}

std::vector<oarlock::Tensor> read_inputs(const oarlock::Session& session, const std::string& body) {
  const json inputs = json::parse(body, [](int depth, json::parse_event_t, const json&) {
                        if (depth > kMaxJsonDepth) throw BadRequest("the JSON is nested too deeply");
                        return true;
                      }).at("inputs");
  std::vector<oarlock::Tensor> tensors;
  for (const auto& spec : session.inputs()) tensors.push_back(read_tensor(spec, inputs.at(spec.name)));
  return tensors;
}

json to_json(const oarlock::Tensor& tensor) {
  json data;
  if (tensor.dtype() == oarlock::DType::float32)
    data = std::vector<float>(tensor.values<float>().begin(), tensor.values<float>().end());
  else
    data = std::vector<std::int64_t>(tensor.values<std::int64_t>().begin(), tensor.values<std::int64_t>().end());
  return {{"dtype", oarlock::name_of(tensor.dtype())}, {"shape", tensor.shape()}, {"data", data}};
}

void require_float32_or_int64(const std::vector<oarlock::TensorSpec>& specs) {
  for (const auto& spec : specs)
    if (spec.dtype != oarlock::DType::float32 && spec.dtype != oarlock::DType::int64)
      throw std::runtime_error(spec.name + " is " + std::string(oarlock::name_of(spec.dtype)) +
                               ", but this service handles float32 and int64 only");
}

int http_status(oarlock::ErrorCode code) {
  switch (code) {
    case oarlock::ErrorCode::input:
    case oarlock::ErrorCode::guard:
      return 400;
    case oarlock::ErrorCode::busy:
      return 503;
    case oarlock::ErrorCode::canceled:
      return 504;
    default:
      return 500;
  }
}

void answer_error(httplib::Response& response, int status, const std::string& message) {
  response.status = status;
  response.set_content(json{{"error", message}}.dump(-1, ' ', false, json::error_handler_t::replace),
                       "application/json");
}

// Reads a body of at most kMaxBodyBytes; the library's own limit does not hold for bodies that are sent in chunks.
std::string read_body(const httplib::ContentReader& read) {
  std::string body;
  bool too_large = false;
  bool complete = read([&](const char* data, std::size_t size) {
    too_large |= size > kMaxBodyBytes - body.size();
    if (!too_large) body.append(data, size);
    return true;  // the rest is skipped; it is not the next request
  });
  if (too_large || !complete)
    throw BadRequest("the body is incomplete, or larger than " + std::to_string(kMaxBodyBytes) + " bytes");
  return body;
}

void run_model(oarlock::SessionPool& pool, const httplib::ContentReader& read, httplib::Response& response) try {
  oarlock::RunRequest run{read_inputs(pool.session(), read_body(read))};
  run.deadline = std::chrono::steady_clock::now() + kDeadline;
  std::vector<oarlock::Tensor> results = pool.submit(std::move(run)).get();
  json outputs;
  for (std::size_t i = 0; i < results.size(); ++i) outputs[pool.session().outputs()[i].name] = to_json(results[i]);
  response.set_content(json{{"outputs", outputs}}.dump(), "application/json");
} catch (const oarlock::Error& error) {
  answer_error(response, http_status(error.code()), error.what());
} catch (const std::exception& error) {  // BadRequest, or an error of the JSON library
  answer_error(response, 400, error.what());
}

// Waits for a signal and stops the server. The signals are blocked in all threads, so that only
// sigwait receives them.
void stop_on_signal(httplib::Server& server, sigset_t signals, const std::atomic<bool>& has_ended) {
  int received = 0;
  sigwait(&signals, &received);
  alarm(kMaxShutdownSeconds);  // ends the process, if clients send or read too slowly
  while (!server.is_running() && !has_ended) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  server.stop();  // has no effect before the server is running
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2 || argc > 4) return std::fprintf(stderr, "usage: http_service MODEL [PORT] [WORKERS]\n"), 2;
  const int port = argc > 2 ? std::atoi(argv[2]) : 8080, workers = argc > 3 ? std::atoi(argv[3]) : 0;

  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // inherited by all threads

  oarlock::Options options;
  options.threads = 1;          // threads of one op; requests run concurrently
  options.memory = "changing";  // clients choose the sizes of inputs
  auto session = std::make_shared<const oarlock::Session>(oarlock::Model::open(argv[1]), options);
  require_float32_or_int64(session->inputs());
  require_float32_or_int64(session->outputs());
  oarlock::SessionPool pool(session, {.workers = workers, .queue_size = 64});

  httplib::Server server;
  server.set_payload_max_length(kMaxBodyBytes);
  server.Post("/run", [&](const httplib::Request&, httplib::Response& response, const httplib::ContentReader& read) {
    run_model(pool, read, response);
  });
  server.Get("/health", [&](const httplib::Request&, httplib::Response& response) {
    response.set_content(json{{"waiting", pool.num_waiting()}}.dump(), "application/json");
  });
  const int bound = port ? (server.bind_to_port("127.0.0.1", port) ? port : -1) : server.bind_to_any_port("127.0.0.1");
  if (bound < 0) return std::fprintf(stderr, "port %d cannot be used\n", port), 1;
  std::printf("http://127.0.0.1:%d\n", bound);
  std::fflush(stdout);
  std::atomic<bool> has_ended = false;
  std::thread stopper([&] { stop_on_signal(server, signals, has_ended); });
  server.listen_after_bind();  // returns when all accepted requests are answered
  has_ended = true;
  pthread_kill(stopper.native_handle(), SIGTERM);  // if it returned without a signal
  stopper.join();
  pool.close();
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
