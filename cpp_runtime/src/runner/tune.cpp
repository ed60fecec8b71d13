// Searches the fastest session options for a model on this machine. One option is varied at a time;
// the others keep the best values found so far. Finally, if ONNX Runtime contains the execution
// provider kTunableProvider, its time is compared with that of ONNX Runtime's own kernels.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>
#include <string_view>
#include <thread>

#include "base/atomic_files.h"
#include "base/json.h"
#include "runner/compare.h"
#include "runner/progress_line.h"
#include "runner/session_timing.h"
#include "runtime/model_impl.h"
#include "runtime/ort/ort_library.h"
#include "runtime/tuning_file.h"

namespace oarlock::runner {
namespace {

constexpr double kBudget = 600;  // milliseconds of measurement per value
constexpr int kMinRuns = 5, kMaxRuns = 200, kTuneRunsPerTurn = 5;
constexpr double kMaxTimeRatio = 0.97;  // a value is selected if it is at least 3% faster

struct Trial {
  std::string option;
  std::string value;  // as JSON
  double p50;
  bool selected;
};

constexpr const char* kProviderOption = "execution_provider";

// The values of an option that tuning tries besides the default.
std::vector<int> candidate_values(const TunableOption& option) {
  if (option.member == &Options::threads) {
    int processors = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    std::set<int> threads{1, std::max(1, processors / 2), processors};
    return {threads.begin(), threads.end()};
  }
  if (option.member == &Options::inter_threads || option.member == &Options::optimize) return {2};
  return {0};
}

std::vector<double> measure_medians(const Command& c, const std::vector<Options>& settings) {
  TimedSessions subjects;
  for (const Options& options : settings) subjects.emplace_back(c, c.paths, options);
  int repeat =
      std::clamp(static_cast<int>(kBudget / std::max(subjects[0].run_once_and_return_ms(), 1e-3)),
                 kMinRuns, kMaxRuns);
  run_interleaved(subjects, 1, c.warmup, repeat, kTuneRunsPerTurn);
  std::vector<double> medians;
  for (const TimedSession& subject : subjects) medians.push_back(quantile(subject.run_ms, 0.5));
  return medians;
}

// The index of the smallest time, or 0 if it is not clearly smaller than the first one.
std::size_t index_of_clearly_fastest(const std::vector<double>& times) {
  auto fastest =
      static_cast<std::size_t>(std::min_element(times.begin(), times.end()) - times.begin());
  return times[fastest] > kMaxTimeRatio * times[0] ? 0 : fastest;
}

// Measures the run time for the default of an option and for each candidate value; selects a value
// if it is clearly faster.
void tune_option(const Command& c, const TunableOption& option, Options& best,
                 std::vector<Trial>& trials) {
  std::vector<Options> settings{best};
  for (int value : candidate_values(option))
    settings.push_back(best), settings.back().*option.member = value;
  std::vector<double> times = measure_medians(c, settings);
  std::size_t fastest = index_of_clearly_fastest(times);
  for (std::size_t i = 0; i < times.size(); ++i)
    trials.push_back(
        {option.name, std::to_string(settings[i].*option.member), times[i], i == fastest});
  best = settings[fastest];
}

// The outputs of a run, or none if it fails.
std::optional<std::vector<Tensor>> try_run(const Session& session,
                                           const std::vector<Tensor>& inputs) {
  std::vector<TensorView> views(inputs.begin(), inputs.end());
  try {
    return session.run(views);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Whether a session returns the same outputs as another within the tolerance.
bool outputs_agree(const Command& c, const Session& expected, const Session& actual,
                   const std::vector<Tensor>& inputs) {
  auto wanted = try_run(expected, inputs);
  if (!wanted) return true;  // these inputs are not valid for the model
  auto found = try_run(actual, inputs);
  if (!found || found->size() != wanted->size()) return false;
  for (std::size_t i = 0; i < wanted->size(); ++i)
    if (!compare_tensors((*found)[i], (*wanted)[i], {c.rtol, c.atol}).same) return false;
  return true;
}

// Whether the outputs agree for the inputs of the command and for synthetic inputs with several
// sizes and values: execution providers may return wrong results for some sizes only.
bool outputs_agree_for_all_inputs(const Command& c, const Model& model, const Options& expected,
                                  const Options& actual) {
  Session reference(model, expected), session(model, actual);
  double milliseconds = 0;
  if (!outputs_agree(
          c, reference, session,
          load_or_synthesize_inputs_and_time_first_run(c, model, reference, milliseconds)))
    return false;
  for (const SyntheticInputOptions& synthetic : synthetic_input_options_to_try()) {
    std::vector<Tensor> inputs;
    try {
      inputs = synthetic_inputs(reference.inputs(), model.guards(), {}, synthetic);
    } catch (const Error&) {
      continue;  // too many elements
    }
    if (!outputs_agree(c, reference, session, inputs)) return false;
  }
  return true;
}

// Selects the execution provider if its outputs agree with those of `best` and it is clearly
// faster.
void tune_execution_provider(const Command& c, const Model& model, Options& best,
                             std::vector<Trial>& trials) {
  std::vector<Options> settings{best, with_tunable_provider(best)};
  try {
    if (!outputs_agree_for_all_inputs(c, model, settings[0], settings[1])) {
      std::fprintf(stderr, "%s is not tried: its outputs differ\n", kTunableProvider);
      return;
    }
    std::vector<double> times = measure_medians(c, settings);
    std::size_t fastest = index_of_clearly_fastest(times);
    trials.push_back({kProviderOption, "\"\"", times[0], fastest == 0});
    trials.push_back({kProviderOption, quote_json(kTunableProvider), times[1], fastest == 1});
    best = settings[fastest];
  } catch (const Error& error) {
    std::string_view message = error.what();  // may have many lines
    std::string first_line(message.substr(0, message.find('\n')));
    std::fprintf(stderr, "%s is not tried: %s\n", kTunableProvider, first_line.c_str());
  }
}

void print_json(const std::vector<Trial>& trials, double ratio, const std::string& file) {
  std::printf("{\"trials\": [");
  for (std::size_t i = 0; i < trials.size(); ++i)
    std::printf("%s{\"option\": \"%s\", \"value\": %s, \"p50_ms\": %.6g, \"selected\": %s}",
                i ? ", " : "", trials[i].option.c_str(), trials[i].value.c_str(), trials[i].p50,
                trials[i].selected ? "true" : "false");
  std::printf("], \"ratio\": %.6g, \"file\": %s}\n", ratio, quote_json(file).c_str());
}

void print_table(const std::vector<Trial>& trials, double ratio, const std::string& file) {
  std::printf("%-18s %10s %12s\n", "option", "value", "p50 ms");
  for (const Trial& t : trials) {
    bool is_default = t.value.starts_with('-') || t.value == "\"\"" ||
                      (t.value == "0" && t.option.ends_with("threads"));
    std::string value = is_default ? "default" : t.value;
    std::printf("%-18s %10s %12.4f%s\n", t.option.c_str(), value.c_str(), t.p50,
                t.selected ? "  selected" : "");
  }
  std::printf("%.3f of the time with the default options; written to %s\n", ratio, file.c_str());
}

std::string describe_inputs(const Command& c, const Model& model, const Session& session) {
  std::string text;
  double took = 0;
  std::vector<Tensor> inputs =
      load_or_synthesize_inputs_and_time_first_run(c, model, session, took);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    text += (i ? " " : "") + session.inputs()[i].name + "=" +
            format_type(inputs[i].dtype(), inputs[i].shape());
  return text;
}

}  // namespace

int tune(const Command& c) {
  Model model = open_model(c);
  std::string file = tuning_path(model.impl());
  Options start = c.options;
  start.tuned = false;
  start.cache_dir = "none";
  Options best = start;
  std::vector<Trial> trials;
  const Library& library = load_ort_library_once(start.ort_library);
  {
    ProgressLine progress(c.quiet);
    std::size_t done = 0, total = tunable_options().size() + 1;
    for (const TunableOption& option : tunable_options()) {
      progress.show("tune: measuring " + std::string(option.name), done++, total);
      if (option.is_default(start)) tune_option(c, option, best, trials);
    }
    progress.show("tune: measuring " + std::string(kTunableProvider), done, total);
    if (can_use_tunable_provider(start, library)) tune_execution_provider(c, model, best, trials);
  }
  std::vector<double> start_and_best_times = measure_medians(c, {start, best});
  double ratio = start_and_best_times[1] / start_and_best_times[0];
  if (ratio >= 1) best = start, ratio = 1;  // options that help alone need not help together
  std::string measured = describe_inputs(c, model, Session(model, start));
  write_atomically(file, format_tuning(best, library, measured));
  c.json ? print_json(trials, ratio, file) : print_table(trials, ratio, file);
  return 0;
}

}  // namespace oarlock::runner
