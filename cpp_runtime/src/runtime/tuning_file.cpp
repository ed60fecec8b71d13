#include "runtime/tuning_file.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "base/json.h"
#include "base/mapped_file.h"
#include "runtime/machine.h"
#include "runtime/session_settings.h"

namespace oarlock {
namespace {

struct Tuned {
  const char* name;
  int Options::* member;
  int left_open;  // the value that says nothing
};
constexpr Tuned kTuned[] = {
    {"threads", &Options::threads, 0},    {"inter_threads", &Options::inter_threads, 0},
    {"optimize", &Options::optimize, -1}, {"spinning", &Options::spinning, -1},
    {"arena", &Options::arena, -1},       {"mem_pattern", &Options::mem_pattern, -1},
};

constexpr std::size_t kMostBytes = 1 << 16;

// More than tuning tries anywhere; each costs memory.
int most_threads() { return std::max(64, static_cast<int>(std::thread::hardware_concurrency())); }

bool says(const Json& file, const char* name, const std::string& wanted) {
  const Json* found = file.find(name);
  return found && found->text == wanted;
}

// Error(file) or Error(input) for numbers that make no sense.
Options filled(Options options, const Json& file) {
  for (const Tuned& tuned : kTuned) {
    const Json* found = file.find(tuned.name);
    if (!found || options.*tuned.member != tuned.left_open) continue;
    if (found->type != Json::Type::number || !(std::fabs(found->number) < 1e6))
      throw Error(Fault::file, std::string("tuning: ") + tuned.name + " is no small number");
    options.*tuned.member = static_cast<int>(found->number);
    if (options.*tuned.member > most_threads())
      throw Error(Fault::file,
                  std::string("tuning: ") + tuned.name + " is more than it ever writes");
  }
  check_options(options);
  return options;
}

Options tuned_by(const std::string& path, const Options& options, const Library& library) {
  MappedFile mapped(path);
  if (mapped.bytes().size() > kMostBytes)
    throw Error(Fault::file, path + ": is no such small file");
  Json file = parse_json(mapped.bytes(), path);
  bool fits = says(file, "machine", machine_word()) && says(file, "engine", library.info.version) &&
              says(file, "device", options.device);
  return fits ? filled(options, file) : options;
}

}  // namespace

std::string tuning_path(const Model::Impl& model) {
  return model.prefix.empty() ? "" : model.prefix + ".oarlock-tune.json";
}

Options with_tuning(const Options& options, const Model::Impl& model, const Library& library) {
  std::string path = tuning_path(model);
  if (!options.tuned || path.empty() || !is_file(path)) return options;
  try {
    return tuned_by(path, options, library);
  } catch (const Error&) {
    return options;  // a damaged file is no reason not to start
  }
}

std::string tuning_text(const Options& options, const Library& library,
                        const std::string& comment) {
  std::string text =
      "{\"machine\": " + quoted(machine_word()) + ", \"engine\": " + quoted(library.info.version) +
      ", \"device\": " + quoted(options.device) + ", \"measured\": " + quoted(comment);
  for (const Tuned& tuned : kTuned)
    text += std::string(", \"") + tuned.name + "\": " + std::to_string(options.*tuned.member);
  return text + "}\n";
}

}  // namespace oarlock
