// The command `export`.
#include <filesystem>
#include <iostream>

#include "base/atomic_files.h"
#include "runner/command_line.h"
#include "runtime/model_impl.h"

namespace oarlock::runner {
namespace {

bool are_in_same_folder(const std::string& one, const std::string& other) {
  namespace fs = std::filesystem;
  std::error_code error;
  auto folder = [&](const std::string& path) {
    return fs::weakly_canonical(fs::absolute(path).parent_path(), error);
  };
  return folder(one) == folder(other);
}

}  // namespace

int export_onnx(const Command& c) {
  Model model = open_model(c);
  if (c.output.empty()) {
    std::cout << model.to_text(c.opset);
    return 0;
  }
  reject_output_overwriting_input(c, model);
  OnnxOptions options;
  options.opset = c.opset;
  options.inline_weights = c.inline_weights;
  if (model.impl().combined_params && !c.inline_weights)
    throw Error(
        ErrorCode::input,
        "export: " + c.paths[0] +
            " has one file per parameter, to which an .onnx file cannot refer; use --inline");
  const std::string& weights = model.impl().weights.path();
  if (!weights.empty() && !c.inline_weights && !are_in_same_folder(c.output, weights))
    throw Error(
        ErrorCode::input,
        "export: the .onnx file refers to its weights by file name; write it to the folder of " +
            weights + ", or use --inline");
  write_atomically(c.output, model.to_onnx(options));
  return 0;
}

}  // namespace oarlock::runner
