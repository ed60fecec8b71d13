#include "runtime/tuning_file.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "base/json.h"
#include "base/log.h"
#include "base/mapped_file.h"
#include "runtime/machine.h"
#include "runtime/ort_session_options.h"

namespace oarlock {
namespace {

constexpr std::size_t kMaxTuningFileBytes = 1 << 16;

// The largest value of an option, such as a number of threads, that is accepted from a tuning file.
// Tuning tries no larger values, and each thread costs memory.
int max_accepted_tuned_value() {
  return std::max(64, static_cast<int>(std::thread::hardware_concurrency()));
}

bool field_equals(Json file, const char* name, const std::string& expected) {
  return file.find(name).string_or_empty() == expected;
}

// Returns `options` with the values of the tuning file for those that have their defaults; throws
// Error(file) or Error(input) for invalid values.
Options apply_tuning(Options options, Json file, const Library& library) {
  for (const TunableOption& tuned : tunable_options()) {
    Json field = file.find(tuned.name);
    if (!field || !tuned.is_default(options)) continue;
    if (!field.is_number() || !(std::fabs(field.number_or_zero()) < 1e6))
      throw Error(ErrorCode::file, std::string("tuning: ") + tuned.name + " is not a small number");
    options.*tuned.member = static_cast<int>(field.number_or_zero());
    if (options.*tuned.member > max_accepted_tuned_value())
      throw Error(ErrorCode::file,
                  std::string("tuning: ") + tuned.name + " is larger than any tuned value");
  }
  // The file stores only the name of the provider, so that a file cannot set options of it, which
  // may contain paths.
  if (Json provider = file.find("execution_provider")) {
    if (provider.string_or_empty() != kTunableProvider)
      throw Error(ErrorCode::file,
                  std::string("tuning: execution_provider is not ") + kTunableProvider);
    if (can_use_tunable_provider(options, library)) options = with_tunable_provider(options);
  }
  check_options(options);
  return options;
}

Options read_and_apply_matching_tuning(const std::string& path, const Options& options,
                                       const Library& library) {
  MappedFile mapped(path);
  if (mapped.bytes().size() > kMaxTuningFileBytes)
    throw Error(ErrorCode::file, path + ": is too large for a tuning file");
  JsonDocument document(mapped.bytes(), path);
  Json file = document.root();
  bool fits = field_equals(file, "machine", processor_model_and_count_id()) &&
              field_equals(file, "engine", library.info.version) &&
              field_equals(file, "device", options.device);
  return fits ? apply_tuning(options, file, library) : options;
}

}  // namespace

const std::vector<TunableOption>& tunable_options() {
  static const std::vector<TunableOption> all = {
      {"threads", &Options::threads},         {"spinning", &Options::spinning},
      {"optimize", &Options::optimize},       {"arena", &Options::arena},
      {"mem_pattern", &Options::mem_pattern}, {"inter_threads", &Options::inter_threads},
  };
  return all;
}

bool can_use_tunable_provider(const Options& options, const Library& library) {
  return options.device == "cpu" && options.execution_provider.empty() &&
         options.provider.empty() && !options.deterministic &&
         library.has_provider(std::string(kTunableProvider) + "ExecutionProvider");
}

Options with_tunable_provider(Options options) {
  options.execution_provider = kTunableProvider;
  // By default, OpenVINO computes in bfloat16 on processors that have instructions for it.
  options.provider = {{"device_type", "CPU"}, {"precision", "FP32"}};
  if (options.threads > 0) options.provider["num_of_threads"] = std::to_string(options.threads);
  return options;
}

std::string tuning_path(const Model::Impl& model) {
  // The name of the tuning file has several parts before .json, because Paddle 3 opens files
  // NAME.METHOD.json beside NAME.json as programs.
  return model.prefix.empty() ? "" : model.prefix + ".oarlock.tune.json";
}

Options options_with_tuning(const Options& options, const Model::Impl& model,
                            const Library& library) {
  std::string path = tuning_path(model);
  if (!options.tuned || !options.execution_provider.empty() || path.empty() || !is_file(path))
    return options;
  try {
    return read_and_apply_matching_tuning(path, options, library);
  } catch (const Error& error) {  // a damaged file must not prevent the start
    log_message(LogLevel::warning, "oarlock",
                std::string("the tuning file is ignored: ") + error.what());
    return options;
  }
}

std::string format_tuning(const Options& options, const Library& library,
                          const std::string& comment) {
  std::string text = "{\"machine\": " + quote_json(processor_model_and_count_id()) +
                     ", \"engine\": " + quote_json(library.info.version) +
                     ", \"device\": " + quote_json(options.device) +
                     ", \"measured\": " + quote_json(comment);
  for (const TunableOption& tuned : tunable_options())
    text += std::string(", \"") + tuned.name + "\": " + std::to_string(options.*tuned.member);
  if (options.execution_provider == kTunableProvider)
    text += ", \"execution_provider\": " + quote_json(kTunableProvider);
  return text + "}\n";
}

}  // namespace oarlock
