// The command line of oarlock-runner.
#pragma once
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "oarlock/session.h"

namespace oarlock::runner {

struct Command {
  std::string name;                // of a CommandInfo
  std::vector<std::string> paths;  // positional
  Options options;
  std::string input, output, expected_file;
  Shapes shapes;
  std::vector<std::string> compare_model;  // bench: the model of --against; empty: the same model
  std::optional<std::vector<std::string>>
      compare_options;  // bench: NAME=VALUE, options of the second session
  int warmup = 3, repeat = 50, opset = 17, clients = 1;
  double rtol = 1e-4, atol = 1e-5;
  bool json = false, quiet = false, inline_weights = false, run_and_print_op_profile = false;
};

/// An invalid command line: exit code 2.
struct UsageError {
  std::string message;
};

/// A command of oarlock-runner, with its help.
struct CommandInfo {
  std::string name, arguments, description, example;
  int (*function)(const Command&);
};

/// The command with this name, or nullptr.
const CommandInfo* find_command(const std::string& name);

Command parse_command_line(int argc, char** argv);

/// The help of a command, or of all commands if `command` is nullptr.
std::string usage(const CommandInfo* command);

/// Sets options given as NAME=VALUE, by their C++ names.
void set_options(Options& options, const std::vector<std::string>& settings);

/// Throws Error(input) if --output is one of the input files.
void reject_output_overwriting_input(const Command& command, const Model& model);

/// Opens the model at the first path (any path that Model::open accepts), with the second path as
/// parameter file if given.
Model open_model(const Command& command);
Model open_model(const std::vector<std::string>& paths);

/// Starts to load ONNX Runtime in another thread, so that it is loaded while the model is read.
/// Errors of loading are reported when the session is created.
std::future<void> start_engine_preload(const Options& options);

int run(const Command& command);
int bench(const Command& command);
int inspect(const Command& command);
int tune(const Command& command);
int verify(const Command& command);
int export_onnx(const Command& command);
int pipeline(const Command& command);

/// A tensor type as text, `float32[?,3]`.
std::string format_tensor_type(const TensorSpec& spec);

}  // namespace oarlock::runner
