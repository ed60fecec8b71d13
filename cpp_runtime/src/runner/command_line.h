// The command line: what was asked for.
#pragma once
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "oarlock/session.h"

namespace oarlock::runner {

struct Command {
  std::string name;                // run | bench | tune | verify | inspect | to-onnx
  std::vector<std::string> paths;  // positional
  Options options;
  std::string input, output, expect;
  Shapes shapes;
  std::vector<std::string> against;  // bench: another model, and its weights
  std::optional<std::vector<std::string>>
      alternative;  // bench: NAME=VALUE, options of the other side
  int warmup = 3, repeat = 50, opset = 17, clients = 1;
  double rtol = 1e-4, atol = 1e-5;
  bool json = false, inline_weights = false, profile_ops = false;
};

/// Thrown for a command line that makes no sense: exit code 2.
struct Usage {
  std::string message;
};

Command parse(int argc, char** argv);
std::string usage();

/// NAME=VALUE each, by the names they have in C++.
void set_options(Options& options, const std::vector<std::string>& settings);

/// Error(input) where --output is a file that is read.
void check_output(const Command& command, const Model& model);

/// `m` or `m.pdmodel`, and the second path if there is one.
Model open_model(const Command& command);

/// Opens the engine while the model is read.   What is wrong with it, the session says.
std::future<void> engine_ahead(const Options& options);

int run(const Command& command);
int bench(const Command& command);
int inspect(const Command& command);
int tune(const Command& command);
int verify(const Command& command);
int to_onnx(const Command& command);

/// `float32[?,3]`, symbols shown by name.
std::string shown(const TensorSpec& spec);

}  // namespace oarlock::runner
