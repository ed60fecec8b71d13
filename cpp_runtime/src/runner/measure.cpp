#include "runner/measure.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <exception>
#include <thread>

#include "runner/npz.h"
#include "runner/process_memory.h"

namespace oarlock::runner {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

Model opened(const std::vector<std::string>& paths, Clock::time_point start, double& took) {
  Model model = Model::open(paths[0], paths.size() > 1 ? paths[1] : "");
  took = ms_since(start);
  return model;
}

double timed_run(const Session& session, const std::vector<Tensor>& inputs) {
  std::vector<TensorView> views(inputs.begin(), inputs.end());
  auto start = Clock::now();
  session.run(views);
  return ms_since(start);
}

// One client: its times, or what went wrong.
struct Client {
  std::vector<double> times;
  std::exception_ptr failure;

  void run(const Subject& subject, int count) {
    try {
      for (int i = 0; i < count; ++i) times.push_back(subject.call());
    } catch (...) {
      failure = std::current_exception();
    }
  }
};

void run_together(Subject& subject, int clients, int count) {
  std::vector<Client> all(static_cast<std::size_t>(clients));
  std::vector<std::thread> threads;
  std::barrier gate(clients + 1);
  for (Client& client : all)
    threads.emplace_back([&] {
      gate.arrive_and_wait();
      client.run(subject, count);
    });
  gate.arrive_and_wait();
  auto start = Clock::now();
  for (std::thread& thread : threads) thread.join();
  subject.wall += ms_since(start);
  for (Client& client : all) {
    if (client.failure) std::rethrow_exception(client.failure);
    subject.times.insert(subject.times.end(), client.times.begin(), client.times.end());
  }
}

void run_alone(Subject& subject, int count) {
  for (int i = 0; i < count; ++i) {
    subject.times.push_back(subject.call());
    subject.wall += subject.times.back();
  }
}

}  // namespace

Subject::Subject(const Command& given, const std::vector<std::string>& paths,
                 const Options& options)
    : engine(engine_ahead(options)), model(opened(paths, start, read)), session(model, options) {
  load = ms_since(start);
  load_rss = status_mb("VmRSS:");
  inputs = fitting_inputs(given, model, session, first);
}

double Subject::call() const { return timed_run(session, inputs); }

void take_turns(Subjects& subjects, int clients, int warmup, int repeat, int block) {
  for (Subject& subject : subjects)
    for (int i = 1; i < warmup; ++i) subject.call();
  for (int done = 0; done < repeat; done += block) {
    int count = std::min(block, repeat - done);
    for (Subject& subject : subjects) {
      if (subjects.size() > 1)
        subject.call();  // threads of the other may still be looking for work, and caches are cold
      clients > 1 ? run_together(subject, clients, count) : run_alone(subject, count);
    }
  }
}

double quantile(std::vector<double> times, double q) {
  std::sort(times.begin(), times.end());
  return times[std::min(times.size() - 1,
                        static_cast<std::size_t>(q * static_cast<double>(times.size())))];
}

std::vector<Tensor> inputs_for(const Command& given, const Model& model, const Session& session,
                               const MadeUp& how) {
  std::vector<Tensor> inputs = made_up_inputs(session.inputs(), model.guards(), given.shapes, how);
  NamedTensors arrays = given.input.empty() ? NamedTensors{} : read_npz(given.input);
  for (auto& [name, array] : arrays) {
    std::size_t at = 0;
    while (at < inputs.size() && name != session.inputs()[at].name &&
           name != "in" + std::to_string(at))
      ++at;
    if (at == inputs.size())
      throw Error(Fault::input, given.input + ": the model has no input '" + name + "'");
    inputs[at] = array;
  }
  return inputs;
}

std::vector<Tensor> fitting_inputs(const Command& given, const Model& model, const Session& session,
                                   double& took) {
  std::string why;
  for (const MadeUp& way : ways_to_make_up()) {
    std::vector<Tensor> inputs = inputs_for(given, model, session, way);
    try {
      took = timed_run(session, inputs);
      return inputs;
    } catch (const Error& error) {
      if (!given.input.empty() || error.fault() == Fault::file) throw;
      if (why.empty()) why = error.what();
    }
  }
  throw Error(
      Fault::input,
      "made-up inputs do not fit this model; give real ones by --input, or sizes by --shape (" +
          why.substr(0, why.find('\n')) + ")");
}

}  // namespace oarlock::runner
