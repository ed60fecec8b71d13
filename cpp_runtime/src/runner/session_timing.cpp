#include "runner/session_timing.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <exception>
#include <map>
#include <thread>

#include "runner/npz.h"
#include "runner/process_memory.h"

namespace oarlock::runner {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

Model open_model_and_set_ms_since_start(const std::vector<std::string>& paths,
                                        Clock::time_point start, double& milliseconds) {
  Model model = open_model(paths);
  milliseconds = ms_since(start);
  return model;
}

double run_and_return_ms(const Session& session, const std::vector<Tensor>& inputs) {
  std::vector<TensorView> views(inputs.begin(), inputs.end());
  auto start = Clock::now();
  session.run(views);
  return ms_since(start);
}

// The work of one client thread: runs the session and stores the times of its runs, or the
// exception that ended them.
struct ClientThreadRuns {
  std::vector<double> run_ms;
  std::exception_ptr failure;

  void run(const TimedSession& subject, int count) {
    try {
      for (int i = 0; i < count; ++i) run_ms.push_back(subject.run_once_and_return_ms());
    } catch (...) {
      failure = std::current_exception();
    }
  }
};

void run_concurrently(TimedSession& subject, int clients, int count) {
  std::vector<ClientThreadRuns> all(static_cast<std::size_t>(clients));
  std::vector<std::thread> threads;
  std::barrier gate(clients + 1);
  for (ClientThreadRuns& client : all)
    threads.emplace_back([&] {
      gate.arrive_and_wait();
      client.run(subject, count);
    });
  gate.arrive_and_wait();
  auto start = Clock::now();
  for (std::thread& thread : threads) thread.join();
  subject.total_ms += ms_since(start);
  for (ClientThreadRuns& client : all) {
    if (client.failure) std::rethrow_exception(client.failure);
    subject.run_ms.insert(subject.run_ms.end(), client.run_ms.begin(), client.run_ms.end());
  }
}

void run_sequentially(TimedSession& subject, int count) {
  for (int i = 0; i < count; ++i) {
    subject.run_ms.push_back(subject.run_once_and_return_ms());
    subject.total_ms += subject.run_ms.back();
  }
}

}  // namespace

TimedSession::TimedSession(const Command& command, const std::vector<std::string>& paths,
                           const Options& options)
    : engine_preload(start_engine_preload(options)),
      model(open_model_and_set_ms_since_start(paths, start_time, read_ms)),
      session(model, options) {
  load_ms = ms_since(start_time);
  load_rss_mb = proc_status_megabytes("VmRSS:");
  inputs = load_or_synthesize_inputs_and_time_first_run(command, model, session, first_run_ms);
}

double TimedSession::run_once_and_return_ms() const { return run_and_return_ms(session, inputs); }

void run_interleaved(TimedSessions& subjects, int clients, int warmup, int repeat,
                     int runs_per_turn) {
  for (TimedSession& subject : subjects)
    for (int i = 1; i < warmup; ++i) subject.run_once_and_return_ms();
  for (int done = 0; done < repeat; done += runs_per_turn) {
    int count = std::min(runs_per_turn, repeat - done);
    for (TimedSession& subject : subjects) {
      if (subjects.size() > 1)
        subject.run_once_and_return_ms();  // warm-up: threads of the other session may still spin,
                                           // and caches are cold
      clients > 1 ? run_concurrently(subject, clients, count) : run_sequentially(subject, count);
    }
  }
}

double quantile(std::vector<double> times, double q) {
  std::sort(times.begin(), times.end());
  return times[std::min(times.size() - 1,
                        static_cast<std::size_t>(q * static_cast<double>(times.size())))];
}

std::vector<Tensor> load_or_synthesize_inputs(const Command& command, const Model& model,
                                              const Session& session,
                                              const SyntheticInputOptions& synthetic) {
  const std::vector<TensorSpec>& specs = session.inputs();
  NamedTensors arrays = command.input.empty() ? NamedTensors{} : read_npz(command.input);
  Shapes shapes = command.shapes;
  std::map<std::size_t, Tensor> given;
  for (auto& [name, array] : arrays) {
    std::size_t at = 0;
    while (at < specs.size() && name != specs[at].name && name != "in" + std::to_string(at)) ++at;
    if (at == specs.size())
      throw Error(ErrorCode::input, command.input + ": the model has no input '" + name + "'");
    shapes[specs[at].name] = array.shape();
    given[at] = array;
  }
  std::vector<Tensor> inputs = synthetic_inputs(specs, model.guards(), shapes, synthetic);
  for (auto& [at, array] : given) inputs[at] = array;
  return inputs;
}

std::vector<Tensor> load_or_synthesize_inputs_and_time_first_run(const Command& command,
                                                                 const Model& model,
                                                                 const Session& session,
                                                                 double& milliseconds) {
  std::string why;
  require_known_input_names(session.inputs(), command.shapes);
  for (const SyntheticInputOptions& synthetic : synthetic_input_options_to_try()) {
    try {
      std::vector<Tensor> inputs = load_or_synthesize_inputs(command, model, session, synthetic);
      milliseconds = run_and_return_ms(session, inputs);
      return inputs;
    } catch (const Error& error) {
      if (!command.input.empty() || error.code() == ErrorCode::file) throw;
      if (why.empty()) why = error.what();
    }
  }
  throw Error(
      ErrorCode::input,
      "generated inputs do not fit this model; give real ones by --input, or sizes by --shape (" +
          why.substr(0, why.find('\n')) + ")");
}

}  // namespace oarlock::runner
