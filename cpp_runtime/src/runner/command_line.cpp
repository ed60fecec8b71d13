#include "runner/command_line.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "base/decimal.h"
#include "capi/options.h"
#include "runtime/model_impl.h"

namespace oarlock::runner {
namespace {

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < text.size();) {
    auto end = std::min(text.find(by, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

int integer(const std::string& option, const std::string& text) {
  std::size_t used = 0;
  int value = 0;
  try {
    value = std::stoi(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || used != text.size() || value < 0)
    throw UsageError{option + " requires a number, not '" + text + "'"};
  return value;
}

double number(const std::string& option, const std::string& text) {
  auto value = parse_double(text);
  if (!value || !(*value >= 0)) throw UsageError{option + " requires a number, not '" + text + "'"};
  return *value;
}

Shapes shapes(const std::string& option, const std::string& text) {
  try {
    return parse_shapes(text);
  } catch (const Error&) {
    throw UsageError{option + " requires NAME=1,3,224,224, not '" + text + "'"};
  }
}

struct Option {
  const char* name;
  const char* value;  // "" for flags
  const char* help;
  std::function<void(Command&, const std::string&)> set;
};

const std::vector<Option>& options() {
  static const std::vector<Option> all = {
      {"--input", "IN.npz", "arrays by input name, or in0, in1, ... by position",
       [](auto& c, auto& v) { c.input = v; }},
      {"--output", "OUT", "results (.npz), or the ONNX file",
       [](auto& c, auto& v) { c.output = v; }},
      {"--device", "cpu|cuda|tensorrt", "where to run; cpu",
       [](auto& c, auto& v) { c.options.device = v; }},
      {"--device-id", "N", "which of the devices; 0",
       [](auto& c, auto& v) { c.options.device_id = integer("--device-id", v); }},
      {"--threads", "N", "threads inside one op; the engine's choice",
       [](auto& c, auto& v) { c.options.threads = integer("--threads", v); }},
      {"--optimize", "0|1|2|99", "how far the engine rewrites the graph; 99",
       [](auto& c, auto& v) { c.options.optimize = integer("--optimize", v); }},
      {"--ort-library", "PATH", "libonnxruntime; else $OARLOCK_ORT_LIBRARY",
       [](auto& c, auto& v) { c.options.ort_library = v; }},
      {"--copy-weights", "", "read the weights instead of mapping them",
       [](auto& c, auto&) { c.options.copy_weights = true; }},
      {"--no-tf32", "", "cuda: products in full float32",
       [](auto& c, auto&) { c.options.tf32 = false; }},
      {"--fp16", "", "tensorrt: allow half precision",
       [](auto& c, auto&) { c.options.fp16 = true; }},
      {"--cache-dir", "DIR", "keep optimised graphs here; else $OARLOCK_CACHE_DIR",
       [](auto& c, auto& v) { c.options.cache_dir = v; }},
      {"--option", "NAME=VALUE", "any option by its name in C++",
       [](auto& c, auto& v) { set_options(c.options, {v}); }},
      {"--fetch", "NAME", "an inner variable to give as well",
       [](auto& c, auto& v) { c.options.outputs.push_back(v); }},
      {"--profile", "PREFIX", "write a Chrome trace of the run",
       [](auto& c, auto& v) { c.options.profile = v; }},
      {"--warmup-shape", "x=1,3,8,8",
       "run once on made-up inputs before the rest; may be given again",
       [](auto& c, auto& v) { c.options.warmup.push_back(shapes("--warmup-shape", v)); }},
      {"--shape", "x=1,3,8,8",
       "bench, tune: the shape of an input; unknown dims are 1, or more where 1 does not fit",
       [](auto& c, auto& v) {
         for (auto& [name, sizes] : shapes("--shape", v)) c.shapes[name] = sizes;
       }},
      {"--warmup", "N", "bench: calls before the clock; 3",
       [](auto& c, auto& v) { c.warmup = integer("--warmup", v); }},
      {"--repeat", "N", "bench: calls on the clock; 50",
       [](auto& c, auto& v) { c.repeat = integer("--repeat", v); }},
      {"--clients", "N", "bench: threads that call the session at once; 1",
       [](auto& c, auto& v) { c.clients = integer("--clients", v); }},
      {"--against", "MODEL", "bench: another model, in turns with the first",
       [](auto& c, auto& v) { c.compare_model = {v}; }},
      {"--against-options", "NAME=VALUE,...", "bench: other options, in turns with the first",
       [](auto& c, auto& v) { c.compare_options = split(v, ','); }},
      {"--profile-ops", "", "bench: time by op and the slowest nodes",
       [](auto& c, auto&) { c.profile_ops = true; }},
      {"--expect", "OUT.npz", "verify: outputs, and inner variables by name",
       [](auto& c, auto& v) { c.expect = v; }},
      {"--rtol", "X", "verify: tolerance relative to the largest value; 1e-4",
       [](auto& c, auto& v) { c.rtol = number("--rtol", v); }},
      {"--atol", "X", "verify: absolute tolerance; 1e-5",
       [](auto& c, auto& v) { c.atol = number("--atol", v); }},
      {"--json", "", "bench, tune, verify, inspect: one JSON object",
       [](auto& c, auto&) { c.json = true; }},
      {"--opset", "N", "to-onnx: the target; 17",
       [](auto& c, auto& v) { c.opset = integer("--opset", v); }},
      {"--inline", "", "to-onnx: weights inside the ONNX file",
       [](auto& c, auto&) { c.inline_weights = true; }},
  };
  return all;
}

}  // namespace

std::string usage() {
  std::string text =
      "usage: oarlock-runner run     MODEL [PARAMS] --input IN.npz --output OUT.npz\n"
      "       oarlock-runner bench   MODEL [PARAMS] [--input IN.npz | --shape x=1,3,8,8]\n"
      "       oarlock-runner tune    MODEL [PARAMS] [--input IN.npz | --shape x=1,3,8,8]\n"
      "       oarlock-runner verify  MODEL [PARAMS] --input IN.npz --expect OUT.npz\n"
      "       oarlock-runner inspect MODEL [PARAMS]\n"
      "       oarlock-runner to-onnx MODEL [PARAMS] [--output OUT.onnx]\n"
      "MODEL is a prefix (m for m.pdmodel and m.pdiparams), a file, or a folder of Paddle 1.x.\n";
  for (const Option& o : options()) {
    std::string left = std::string("  ") + o.name + " " + o.value;
    left.resize(std::max<std::size_t>(left.size() + 1, 30), ' ');
    text += left + o.help + "\n";
  }
  return text;
}

Command parse(int argc, char** argv) {
  Command command;
  std::vector<std::string> words(argv + 1, argv + argc);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].rfind("--", 0) != 0) {
      command.paths.push_back(words[i]);
      continue;
    }
    const Option* found = nullptr;
    for (const Option& o : options())
      if (words[i] == o.name) found = &o;
    if (!found) throw UsageError{"no option " + words[i]};
    bool flag = !*found->value;
    if (!flag && i + 1 == words.size()) throw UsageError{words[i] + " requires " + found->value};
    found->set(command, flag ? "" : words[++i]);
  }
  if (command.paths.empty()) throw UsageError{"nothing to do"};
  command.name = command.paths[0];
  command.paths.erase(command.paths.begin());
  if (command.paths.empty()) throw UsageError{command.name + " requires a model"};
  if (command.paths.size() > 2)
    throw UsageError{command.name + " takes MODEL and PARAMS, and no more: '" + command.paths[2] +
                     "'"};
  return command;
}

void set_options(Options& options, const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) {
    auto equals = setting.find('=');
    if (equals == std::string::npos)
      throw UsageError{"an option requires NAME=VALUE, not '" + setting + "'"};
    set_option(options, setting.substr(0, equals), setting.substr(equals + 1));
  }
}

void check_output(const Command& c, const Model& model) {
  std::vector<std::string> read{c.input, c.expect, c.paths[0], c.paths[0] + ".pdmodel",
                                c.paths[0] + "/__model__"};
  read.push_back(model.impl().weights.path());
  std::error_code error;
  for (const std::string& path : read)
    if (!path.empty() && std::filesystem::equivalent(path, c.output, error) && !error)
      throw Error(ErrorCode::input,
                  c.name + ": --output " + c.output + " would be written over " + path);
}

Model open_model(const Command& c) {
  return Model::open(c.paths[0], c.paths.size() > 1 ? c.paths[1] : "");
}

std::future<void> preload_engine(const Options& options) {
  return std::async(std::launch::async, [path = options.ort_library] {
    try {
      library_info(path);
    } catch (const Error&) {
      return;
    }
  });
}

std::string format_spec(const TensorSpec& spec) {
  std::string text = std::string(name_of(spec.dtype)) + "[";
  for (std::size_t i = 0; i < spec.shape.size(); ++i)
    text +=
        (i ? "," : "") + (spec.shape[i] >= 0 ? std::to_string(spec.shape[i]) : std::string("?"));
  return text + "]";
}

}  // namespace oarlock::runner
