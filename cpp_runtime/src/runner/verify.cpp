// Compares a model's outputs with expected values and finds the first op that differs.
#include <algorithm>
#include <cstdio>

#include "base/json.h"
#include "base/number_text_conversion.h"
#include "runner/compare.h"
#include "runner/npz.h"
#include "runner/session_timing.h"
#include "runtime/model_impl.h"

namespace oarlock::runner {
namespace {

// The data of a verification: the command, the model, and the expected values of outputs and inner
// variables.
struct VerifyCase {
  const Command& command;
  Model model;
  NamedTensors outputs, inner_values;
  Tolerance tolerance;

  Options session_options(int optimize, std::vector<std::string> fetched) const {
    Options options = command.options;
    options.optimize = optimize;
    options.outputs = std::move(fetched);
    options.cache_dir = "none";
    return options;
  }

  /// Runs a new session and returns the model's outputs, then the fetched variables.
  NamedTensors run(const Options& options) const {
    Session session(model, options);
    std::vector<Tensor> inputs = load_or_synthesize_inputs(command, model, session);
    std::vector<TensorView> views(inputs.begin(), inputs.end());
    std::vector<Tensor> results = session.run(views);
    NamedTensors named;
    for (std::size_t i = 0; i < results.size(); ++i)
      named.emplace_back(session.outputs()[i].name, results[i]);
    return named;
  }
};

const Tensor* find_tensor(const NamedTensors& arrays, const std::string& name) {
  for (auto& [key, tensor] : arrays)
    if (key == name) return &tensor;
  return nullptr;
}

// Reads the expected arrays. Arrays named after an output, or out0, out1, ..., are outputs; all
// others are intermediate variables.
void fill_expected_values_from_file(VerifyCase& c) {
  std::vector<TensorSpec> specs = c.model.outputs();
  for (auto& [name, tensor] : read_npz(c.command.expected_file)) {
    std::size_t at = 0;
    while (at < specs.size() && name != specs[at].name && name != "out" + std::to_string(at)) ++at;
    if (at < specs.size())
      c.outputs.emplace_back(specs[at].name, tensor);
    else
      c.inner_values.emplace_back(name, tensor);
  }
  if (c.outputs.empty() && c.inner_values.empty())
    throw Error(ErrorCode::input, c.command.expected_file + ": holds nothing to expect");
}

struct OutputComparison {
  std::string name;
  Comparison comparison;
};

std::vector<OutputComparison> compare_common_tensors(const NamedTensors& actual,
                                                     const NamedTensors& expected,
                                                     const Tolerance& tolerance) {
  std::vector<OutputComparison> findings;
  for (auto& [name, tensor] : expected)
    if (const Tensor* other = find_tensor(actual, name))
      findings.push_back({name, compare_tensors(*other, tensor, tolerance)});
  return findings;
}

bool all_outputs_match(const std::vector<OutputComparison>& findings) {
  return std::all_of(findings.begin(), findings.end(), [](auto& f) { return f.comparison.same; });
}

struct OpOutput {
  std::string variable, op, location;
};

/// The outputs of the program's ops in order, without those that conversion has no value for.
std::vector<OpOutput> fetchable_op_outputs(const Model::Impl& impl) {
  auto can_fetch = [&](const Strings& names) {
    LoweringOptions lowering;
    lowering.extra_outputs = names;
    try {
      lower_program(impl.program, impl.params, lowering);
      return true;
    } catch (const Error&) {
      return false;
    }
  };
  std::vector<OpOutput> all;
  Strings names;
  for (const OpDesc& op : impl.program.blocks[0].ops)
    for (auto& [slot, outputs] : op.outputs)
      for (const std::string& name : outputs)
        if (op.type != "feed" && op.type != "fetch")
          all.push_back({name, op.type, op.location}), names.push_back(name);
  if (!can_fetch(names))
    std::erase_if(all, [&](const OpOutput& r) { return !can_fetch({r.variable}); });
  return all;
}

std::string format_first_differing_op(const OpOutput& r, const Comparison& comparison) {
  return "the first op to differ is " + r.op + ", output '" + r.variable + "'" +
         (r.location.empty() ? "" : ", recorded at " + r.location) + ": " + comparison.details;
}

// Runs the unoptimized graph, and describes the first op whose result differs from the stored value
// of its variable.
std::string describe_first_difference_from_stored(const VerifyCase& c) {
  Strings names;
  for (auto& [name, tensor] : c.inner_values) names.push_back(name);
  NamedTensors actual = c.run(c.session_options(0, names));
  for (const OpOutput& r : fetchable_op_outputs(c.model.impl())) {
    const Tensor *expected = find_tensor(c.inner_values, r.variable),
                 *here = find_tensor(actual, r.variable);
    if (!expected || !here) continue;
    Comparison comparison = compare_tensors(*here, *expected, c.tolerance);
    if (!comparison.same) return format_first_differing_op(r, comparison);
  }
  return "without graph optimization, all stored intermediate variables are as expected";
}

// Finds, by binary search, the first op output that differs between the optimized and the
// unoptimized graph, and describes it. Each run fetches one variable only, because a fetched
// variable cannot be fused away.
std::string describe_first_optimizer_difference(const VerifyCase& c) {
  std::vector<OpOutput> all = fetchable_op_outputs(c.model.impl());
  auto differs = [&](const OpOutput& r) {
    NamedTensors plain = c.run(c.session_options(0, {r.variable})),
                 optimized = c.run(c.session_options(c.command.options.optimize, {r.variable}));
    return compare_tensors(*find_tensor(optimized, r.variable), *find_tensor(plain, r.variable),
                           c.tolerance);
  };
  std::size_t low = 0, high = all.size();
  Comparison last;
  while (low < high) {
    std::size_t middle = (low + high) / 2;
    Comparison actual = differs(all[middle]);
    actual.same ? void(low = middle + 1) : void((high = middle, last = actual));
  }
  return low == all.size() ? "no single variable differs when it is fetched"
                           : format_first_differing_op(all[low], last);
}

std::string explain_difference(const VerifyCase& c) {
  if (!c.inner_values.empty()) return describe_first_difference_from_stored(c);
  if (!all_outputs_match(
          compare_common_tensors(c.run(c.session_options(0, {})), c.outputs, c.tolerance)))
    return "it also differs without graph optimization: the expected values are of another model, "
           "or the file is read wrongly; store intermediate variables in --expect to find the op";
  return "only the optimized graph differs; " + describe_first_optimizer_difference(c);
}

std::string format_max_difference(const Comparison& comparison, const char* none) {
  if (!comparison.max_difference) return none;
  return format_significant_digits(*comparison.max_difference, 6);
}

std::string format_comparison(const Comparison& comparison) {
  std::string number = format_max_difference(comparison, "");
  return number.empty() ? comparison.details
                        : "largest difference " + number + "  " + comparison.details;
}

void print_report(const std::vector<OutputComparison>& findings, const std::string& why,
                  bool json) {
  if (json)
    std::printf("{\"same\": %s, \"outputs\": [", all_outputs_match(findings) ? "true" : "false");
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const auto& [name, comparison] = findings[i];
    if (json)
      std::printf("%s{\"name\": %s, \"same\": %s, \"largest_difference\": %s, \"text\": %s}",
                  i ? ", " : "", quote_json(name).c_str(), comparison.same ? "true" : "false",
                  format_max_difference(comparison, "null").c_str(),
                  quote_json(comparison.details).c_str());
    else
      std::printf("%-24s %s  %s\n", name.c_str(), comparison.same ? "same  " : "DIFFERS",
                  format_comparison(comparison).c_str());
  }
  if (json)
    std::printf("], \"why\": %s}\n", quote_json(why).c_str());
  else if (!why.empty())
    std::printf("%s\n", why.c_str());
}

}  // namespace

int verify(const Command& c) {
  if (c.input.empty() || c.expected_file.empty()) throw UsageError{"requires --input and --expect"};
  VerifyCase verify_case{c, open_model(c), {}, {}, {c.rtol, c.atol}};
  fill_expected_values_from_file(verify_case);
  Strings inner;
  for (auto& [name, tensor] : verify_case.inner_values) inner.push_back(name);
  std::vector<OutputComparison> findings =
      compare_common_tensors(verify_case.run(verify_case.session_options(c.options.optimize, {})),
                             verify_case.outputs, verify_case.tolerance);
  if (!inner.empty())
    for (OutputComparison& f : compare_common_tensors(
             verify_case.run(verify_case.session_options(c.options.optimize, inner)),
             verify_case.inner_values, verify_case.tolerance))
      findings.push_back(std::move(f));
  bool same = all_outputs_match(findings);
  print_report(findings, same ? "" : explain_difference(verify_case), c.json);
  return same ? 0 : 1;
}

}  // namespace oarlock::runner
