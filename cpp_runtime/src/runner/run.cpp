#include <filesystem>
#include <fstream>
#include <iostream>

#include "base/atomic_files.h"
#include "runner/command_line.h"
#include "runner/npz.h"
#include "runtime/model_impl.h"

namespace oarlock::runner {
namespace {

// Input names for arrays named in0, in1, ...; empty if arrays are given by name.
std::vector<std::string> input_names_by_position(const NamedTensors& arrays,
                                                 const std::vector<TensorSpec>& inputs) {
  for (const TensorSpec& spec : inputs)
    if (spec.name == "in0") return {};
  std::vector<std::string> names;
  for (auto& [name, tensor] : arrays) {
    std::size_t index = 0;
    while (index < inputs.size() && name != "in" + std::to_string(index)) ++index;
    if (index == inputs.size()) return {};
    names.push_back(inputs[index].name);
  }
  return names;
}

}  // namespace

int run(const Command& c) {
  if (c.input.empty() || c.output.empty()) throw UsageError{"run requires --input and --output"};
  auto engine = preload_engine(c.options);
  Model model = open_model(c);
  reject_output_over_input(c, model);
  NamedTensors arrays = read_npz(c.input);
  engine.wait();
  Session session(model, c.options);
  auto renamed = input_names_by_position(arrays, session.inputs());
  std::vector<NamedView> inputs;
  for (std::size_t i = 0; i < arrays.size(); ++i)
    inputs.emplace_back(renamed.empty() ? arrays[i].first : renamed[i], arrays[i].second);
  std::vector<Tensor> results = session.run(inputs);
  bool named =
      !model.producer().empty() || (!model.outputs().empty() && !model.outputs()[0].path.empty());
  NamedTensors out;
  for (std::size_t i = 0; i < results.size(); ++i) {
    bool extra = i >= model.outputs().size();
    out.emplace_back(named || extra ? session.outputs()[i].name : "out" + std::to_string(i),
                     results[i]);
  }
  write_npz(c.output, out);
  session.end_profile();
  return 0;
}

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

int to_onnx(const Command& c) {
  Model model = open_model(c);
  if (c.output.empty()) {
    std::cout << model.to_text(c.opset);
    return 0;
  }
  reject_output_over_input(c, model);
  OnnxOptions options;
  options.opset = c.opset;
  options.inline_weights = c.inline_weights;
  if (model.impl().combined_params && !c.inline_weights)
    throw Error(ErrorCode::input,
                "to-onnx: " + c.paths[0] +
                    " has a file for each value, which ONNX does not know; use --inline");
  const std::string& weights = model.impl().weights.path();
  if (!weights.empty() && !c.inline_weights && !are_in_same_folder(c.output, weights))
    throw Error(ErrorCode::input,
                "to-onnx: ONNX finds shared weights only beside itself; write into the folder of " +
                    weights + ", or use --inline");
  write_atomically(c.output, model.to_onnx(options));
  return 0;
}

}  // namespace oarlock::runner
