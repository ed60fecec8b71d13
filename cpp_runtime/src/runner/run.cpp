// The command `run`.
#include "runner/command_line.h"
#include "runner/npz.h"

namespace oarlock::runner {
namespace {

// If the arrays are named in0, in1, ..., the input names that they stand for; empty if the arrays
// have the names of inputs.
std::vector<std::string> input_names_of_positional_arrays(const NamedTensors& arrays,
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
  if (c.input.empty() || c.output.empty()) throw UsageError{"requires --input and --output"};
  auto engine = start_engine_preload(c.options);
  Model model = open_model(c);
  reject_output_overwriting_input(c, model);
  NamedTensors arrays = read_npz(c.input);
  engine.wait();
  Session session(model, c.options);
  auto renamed = input_names_of_positional_arrays(arrays, session.inputs());
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

}  // namespace oarlock::runner
