// The command line: what was asked for.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "oarlock/session.h"

namespace oarlock::cli {

struct Command {
  std::string name;                // run | bench | inspect | to-onnx
  std::vector<std::string> paths;  // positional
  Options options;
  std::string input, output;
  std::map<std::string, std::vector<std::int64_t>> shapes;
  int warmup = 3, repeat = 50, opset = 17;
  bool json = false, inline_weights = false, profile = false;
};

/// Thrown for a command line that makes no sense: exit code 2.
struct Usage {
  std::string message;
};

Command parse(int argc, char** argv);
std::string usage();

/// `m` or `m.pdmodel`, and the second path if there is one.
Model open_model(const Command& command);

int run(const Command& command);
int bench(const Command& command);
int inspect(const Command& command);
int to_onnx(const Command& command);

/// `float32[?,3]`, symbols shown by name.
std::string shown(const TensorSpec& spec);
/// A JSON string with its quotes.
std::string quoted(const std::string& text);

}  // namespace oarlock::cli
