#include "runner/command_line.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>

#include "base/number_text_conversion.h"
#include "runner/similar_word.h"
#include "runtime/model_impl.h"
#include "runtime/named_dimensions.h"
#include "runtime/session_options_by_name.h"

namespace oarlock::runner {
namespace {

std::vector<std::string> split_text(const std::string& text, char by) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < text.size();) {
    auto end = std::min(text.find(by, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::string join_text(const std::vector<std::string>& parts, const std::string& by) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : by) + part;
  return text;
}

int parse_nonnegative_int(const std::string& option, const std::string& text) {
  auto value = try_parse_int(text);
  if (!value || *value < 0)
    throw UsageError{option + " requires an integer of 0 or more, not '" + text + "'"};
  return *value;
}

double parse_nonnegative_number(const std::string& option, const std::string& text) {
  auto value = try_parse_double(text);
  if (!value || !(*value >= 0))
    throw UsageError{option + " requires a number of 0 or more, not '" + text + "'"};
  return *value;
}

Shapes parse_shapes_flag(const std::string& option, const std::string& text) {
  try {
    return parse_shapes(text);
  } catch (const Error&) {
    throw UsageError{option + " requires NAME=1,3,224,224, not '" + text + "'"};
  }
}

struct Flag {
  std::string name;
  std::string short_name;  // "" if there is none
  std::string value_name;  // "" for switches
  std::string commands;    // names of the commands that use it, separated by spaces
  std::string help;
  std::function<void(Command&, const std::string&)> set;
};

// Commands that create a session.
constexpr const char* kSessionCommands = "run bench tune verify pipeline";

std::string session_option_help(const OptionInfo& option) {
  if (option.default_value.empty()) return option.description;
  return option.description + " (default: " + option.default_value + ")";
}

// A command-line flag that sets a session option; a flag without a value sets the option to 1.
Flag session_option_flag(const std::string& name, const std::string& value,
                         const std::string& option) {
  auto info = std::find_if(option_infos().begin(), option_infos().end(),
                           [&](const OptionInfo& o) { return o.name == option; });
  if (info == option_infos().end()) throw std::logic_error("no session option " + option);
  bool is_number = info->type == "int";
  std::vector<std::string> choices;
  if (!is_number && value.find('|') != std::string::npos) choices = split_text(value, '|');
  auto set = [=](Command& c, const std::string& text) {
    UsageError error{name + " requires " + value + ", not '" + text + "'"};
    if (is_number && text.rfind('-', 0) == 0 && text != info->default_value) throw error;
    if (!choices.empty() && std::find(choices.begin(), choices.end(), text) == choices.end())
      throw error;
    try {
      set_option(c.options, option, value.empty() ? "1" : text);
    } catch (const Error&) {
      throw error;
    }
  };
  return {name, "", value, kSessionCommands, session_option_help(*info), set};
}

const std::vector<Flag>& flag_table() {
  static const std::vector<Flag> all = {
      {"--input", "-i", "IN.npz", kSessionCommands,
       "arrays by input name, or in0, in1, ... by position", [](auto& c, auto& v) { c.input = v; }},
      {"--output", "-o", "OUT", "run export", ".npz file of the results, or ONNX file to write",
       [](auto& c, auto& v) { c.output = v; }},
      session_option_flag("--device", "cpu|cuda|tensorrt", "device"),
      session_option_flag("--device-id", "N", "device_id"),
      session_option_flag("--threads", "N", "threads"),
      session_option_flag("--memory", "steady|changing|smallest", "memory"),
      session_option_flag("--optimize", "-1|0|1|2|99", "optimize"),
      session_option_flag("--ort-library", "PATH", "ort_library"),
      session_option_flag("--copy-weights", "", "copy_weights"),
      {"--no-tf32", "", "", kSessionCommands, "cuda: compute matrix products in full float32",
       [](auto& c, auto&) { c.options.tf32 = false; }},
      session_option_flag("--fp16", "", "fp16"),
      session_option_flag("--cache-dir", "DIR", "cache_dir"),
      {"--option", "", "NAME=VALUE", kSessionCommands, "set any session option, see below",
       [](auto& c, auto& v) { set_options(c.options, {v}); }},
      session_option_flag("--fetch", "NAME", "outputs"),
      session_option_flag("--profile", "PREFIX", "profile"),
      session_option_flag("--warmup-shape", "NAME=1,3,224,224", "warmup"),
      {"--shape", "", "NAME=1,3,224,224", "bench tune",
       "the shape of an input; dynamic dimensions are 1, or larger where 1 is not valid",
       [](auto& c, auto& v) {
         for (auto& [name, sizes] : parse_shapes_flag("--shape", v)) c.shapes[name] = sizes;
       }},
      {"--warmup", "", "N", "bench tune",
       "calls before the measurement, including the first run (default: 3)",
       [](auto& c, auto& v) { c.warmup = parse_nonnegative_int("--warmup", v); }},
      {"--repeat", "", "N", "bench", "measured calls of each client (default: 50)",
       [](auto& c, auto& v) { c.repeat = parse_nonnegative_int("--repeat", v); }},
      {"--clients", "", "N", "bench", "threads that call the session at once (default: 1)",
       [](auto& c, auto& v) { c.clients = parse_nonnegative_int("--clients", v); }},
      {"--against", "", "MODEL", "bench", "another model, measured alternately with the first",
       [](auto& c, auto& v) { c.compare_model = {v}; }},
      {"--against-options", "", "NAME=VALUE,...", "bench",
       "the first model with other session options, measured alternately with the first; values "
       "cannot contain commas",
       [](auto& c, auto& v) { c.compare_options = split_text(v, ','); }},
      {"--profile-ops", "", "", "bench", "time per op type and the slowest nodes",
       [](auto& c, auto&) { c.run_and_print_op_profile = true; }},
      {"--expect", "", "OUT.npz", "verify",
       "expected outputs, and optionally expected values of intermediate variables, by name",
       [](auto& c, auto& v) { c.expected_file = v; }},
      {"--rtol", "", "X", "verify tune", "tolerance relative to the largest value (default: 1e-4)",
       [](auto& c, auto& v) { c.rtol = parse_nonnegative_number("--rtol", v); }},
      {"--atol", "", "X", "verify tune", "absolute tolerance (default: 1e-5)",
       [](auto& c, auto& v) { c.atol = parse_nonnegative_number("--atol", v); }},
      {"--json", "", "", "bench tune verify inspect", "print one JSON object",
       [](auto& c, auto&) { c.json = true; }},
      {"--quiet", "-q", "", "tune", "show no progress", [](auto& c, auto&) { c.quiet = true; }},
      {"--opset", "", "N", "export", "ONNX opset (default: 17)",
       [](auto& c, auto& v) { c.opset = parse_nonnegative_int("--opset", v); }},
      {"--inline", "", "", "export", "store the weights in the ONNX file",
       [](auto& c, auto&) { c.inline_weights = true; }},
  };
  return all;
}

const std::vector<CommandInfo>& command_table() {
  static const std::vector<CommandInfo> all = {
      {"run", "MODEL [PARAMS] --input IN.npz --output OUT.npz",
       "Run a model on the arrays of an .npz file.",
       "oarlock-runner run net --input in.npz --output out.npz", run},
      {"bench", "MODEL [PARAMS] [--input IN.npz | --shape x=1,3,8,8]",
       "Time a model: load, first run, and percentiles of further runs.",
       "oarlock-runner bench net --shape x=64,4 --threads 1", bench},
      {"tune", "MODEL [PARAMS] [--input IN.npz | --shape x=1,3,8,8]",
       "Measure session options, and write the fastest to MODEL.oarlock.tune.json, which later "
       "sessions use.",
       "oarlock-runner tune net --shape x=64,4", tune},
      {"verify", "MODEL [PARAMS] --input IN.npz --expect OUT.npz",
       "Compare the outputs with expected ones. The exit code is 1 if they differ.",
       "oarlock-runner verify net --input in.npz --expect out.npz", verify},
      {"inspect", "MODEL [PARAMS]", "Print inputs, outputs, parameters, ops and guards of a model.",
       "oarlock-runner inspect net --json", inspect},
      {"export", "MODEL [PARAMS] [--output OUT.onnx]",
       "Export a model to ONNX, or print its ONNX graph as text.",
       "oarlock-runner export net --output net.onnx", export_onnx},
      {"pipeline", "DIR [REC_DIR] --input IMAGES.npz",
       "Run a model directory on images, and print one line of JSON per image. DIR has "
       "inference.yml.config.json or infer_cfg.yml.config.json, which oarlock pipeline-config DIR "
       "writes; REC_DIR is the directory of a text recognition model, which reads the text that "
       "DIR detects. IMAGES.npz has arrays uint8[height, width, 3] in RGB order.",
       "oarlock-runner pipeline PP-OCRv5_mobile_det_infer --input images.npz", pipeline},
  };
  return all;
}

template <class Item>
std::vector<std::string> names_of(const std::vector<Item>& items) {
  std::vector<std::string> names;
  for (const Item& item : items) names.push_back(item.name);
  return names;
}

constexpr std::size_t kHelpColumn = 32, kHelpWidth = 100;

// Text, wrapped at kHelpWidth columns.
std::string wrap_text(const std::string& words) {
  std::string text, line;
  for (const std::string& word : split_text(words, ' ')) {
    if (!line.empty() && line.size() + 1 + word.size() > kHelpWidth) {
      text += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return text + line + "\n";
}

// The help text of a term: the term and its description, wrapped at kHelpWidth columns.
std::string format_help_line(const std::string& term, const std::string& description) {
  std::string text, line = "  " + term;
  line.resize(std::max(line.size() + 1, kHelpColumn - 1), ' ');
  for (const std::string& word : split_text(description, ' ')) {
    if (line.size() + 1 + word.size() > kHelpWidth) {
      text += line + "\n";
      line = std::string(kHelpColumn - 1, ' ');
    }
    line += " " + word;
  }
  return text + line + "\n";
}

}  // namespace

const CommandInfo* find_command(const std::string& name) {
  for (const CommandInfo& info : command_table())
    if (info.name == name) return &info;
  return nullptr;
}

std::string usage(const CommandInfo* command) {
  std::string text;
  if (command) {
    text = "usage: oarlock-runner " + command->name + " " + command->arguments + "\n" +
           wrap_text(command->description) + "Example: " + command->example + "\n";
  } else {
    text = "usage: oarlock-runner COMMAND MODEL [OPTIONS]\nCommands:\n";
    for (const CommandInfo& info : command_table())
      text += format_help_line(info.name, info.description);
    text += "The help of a command: oarlock-runner COMMAND --help\n";
  }
  if (!command || command->name != "pipeline")
    text += wrap_text(
        "MODEL is a prefix (m for m.pdmodel or m.json, and m.pdiparams), a file, a directory with "
        "inference.json, inference.pdmodel, model.json or model.pdmodel, or a folder of Paddle "
        "1.x.");
  text += "Options:\n";
  for (const Flag& f : flag_table()) {
    std::vector<std::string> users = split_text(f.commands, ' ');
    bool is_used = command && std::find(users.begin(), users.end(), command->name) != users.end();
    if (command && !is_used) continue;
    std::string term = (f.short_name.empty() ? "" : f.short_name + ", ") + f.name;
    std::string scope =
        command || f.commands == kSessionCommands ? "" : join_text(users, ", ") + ": ";
    text += format_help_line(term + " " + f.value_name, scope + f.help);
  }
  text += format_help_line("-h, --help", "print this help");
  if (!command) text += format_help_line("--version", "print the version");
  std::vector<std::string> users = split_text(kSessionCommands, ' ');
  if (!command || std::find(users.begin(), users.end(), command->name) != users.end()) {
    text += "Session options, for --option and --against-options:\n";
    for (const OptionInfo& o : option_infos())
      text += format_help_line(o.name, session_option_help(o));
  }
  return text + wrap_text(
                    "Exit codes: 0 success; 1 an error, or a check failed; 2 invalid command "
                    "line; 130 interrupted; 143 terminated. OARLOCK_LOG=info or "
                    "OARLOCK_LOG=info,json shows log messages.");
}

Command parse_command_line(int argc, char** argv) {
  Command command;
  std::vector<std::string> words(argv + 1, argv + argc);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].size() < 2 || words[i][0] != '-') {
      command.paths.push_back(words[i]);
      continue;
    }
    auto flag = std::find_if(flag_table().begin(), flag_table().end(), [&](const Flag& f) {
      return f.name == words[i] || (!f.short_name.empty() && f.short_name == words[i]);
    });
    if (flag == flag_table().end()) {
      std::vector<std::string> known = names_of(flag_table());
      known.insert(known.end(), {"--help", "--version"});
      throw UsageError{"no option " + words[i] + did_you_mean(words[i], known)};
    }
    bool is_switch = flag->value_name.empty();
    if (!is_switch && i + 1 == words.size())
      throw UsageError{words[i] + " requires " + flag->value_name};
    flag->set(command, is_switch ? "" : words[++i]);
  }
  if (command.paths.empty()) throw UsageError{"missing command"};
  const CommandInfo* info = find_command(command.paths[0]);
  if (!info)
    throw UsageError{"no command " + command.paths[0] +
                     did_you_mean(command.paths[0], names_of(command_table()))};
  command.name = info->name;
  command.paths.erase(command.paths.begin());
  if (command.paths.empty()) throw UsageError{"missing argument 'MODEL'"};
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

void reject_output_overwriting_input(const Command& c, const Model& model) {
  std::vector<std::string> read{c.input,
                                c.expected_file,
                                c.paths[0],
                                c.paths[0] + "/__model__",
                                model.impl().prefix + ".pdmodel",
                                model.impl().prefix + ".json",
                                model.impl().weights.path()};
  std::error_code error;
  for (const std::string& path : read)
    if (!path.empty() && std::filesystem::equivalent(path, c.output, error) && !error)
      throw Error(ErrorCode::input,
                  c.name + ": --output " + c.output + " would be written over " + path);
}

namespace {

// Throws Error(file) with a suggestion if there is no model at a path.
void require_model_exists(const std::string& path) {
  std::string prefix = path;
  for (std::string_view suffix : {".pdmodel", ".json"})
    if (prefix.ends_with(suffix)) prefix.resize(prefix.size() - suffix.size());
  std::error_code error;
  for (const std::string& file : {path, prefix + ".pdmodel", prefix + ".json"})
    if (std::filesystem::exists(file, error)) return;
  throw Error(ErrorCode::file, std::filesystem::path(prefix).filename().string() +
                                   ": there is neither " + prefix + ".pdmodel nor " + prefix +
                                   ".json nor a folder of that name" + did_you_mean_model(prefix));
}

}  // namespace

Model open_model(const Command& c) { return open_model(c.paths); }

Model open_model(const std::vector<std::string>& paths) {
  if (paths.size() == 1) require_model_exists(paths[0]);
  return Model::open(paths[0], paths.size() > 1 ? paths[1] : "");
}

std::future<void> start_engine_preload(const Options& options) {
  return std::async(std::launch::async, [path = options.ort_library] {
    try {
      ort_library_info(path);
    } catch (const Error&) {
      return;
    }
  });
}

std::string format_tensor_type(const TensorSpec& spec) {
  std::string text = std::string(name_of(spec.dtype)) + "[";
  for (std::size_t i = 0; i < spec.shape.size(); ++i)
    text += (i ? "," : "") + (spec.shape[i] >= 0      ? std::to_string(spec.shape[i])
                              : has_dim_name(spec, i) ? spec.symbols[i]
                                                      : std::string("?"));
  return text + "]";
}

}  // namespace oarlock::runner
