// Compares a model's outputs with expected values and finds the first op that differs.
#include <algorithm>
#include <cstdio>

#include "base/decimal.h"
#include "base/json.h"
#include "runner/compare.h"
#include "runner/measure.h"
#include "runner/npz.h"
#include "runtime/model_impl.h"

namespace oarlock::runner {
namespace {

// The files, inputs, and expected outputs and inner variables.
struct VerifyCase {
  const Command& command;
  Model model;
  NamedTensors outputs, inner;
  Tolerance tolerance;

  Options options(int optimize, std::vector<std::string> fetched) const {
    Options made = command.options;
    made.optimize = optimize;
    made.outputs = std::move(fetched);
    made.cache_dir = "none";
    return made;
  }

  /// Runs a new session and returns the model's outputs, then the fetched variables.
  NamedTensors run(const Options& options) const {
    Session session(model, options);
    std::vector<Tensor> inputs = load_inputs(command, model, session);
    std::vector<TensorView> views(inputs.begin(), inputs.end());
    std::vector<Tensor> results = session.run(views);
    NamedTensors named;
    for (std::size_t i = 0; i < results.size(); ++i)
      named.emplace_back(session.outputs()[i].name, results[i]);
    return named;
  }
};

const Tensor* find(const NamedTensors& arrays, const std::string& name) {
  for (auto& [key, tensor] : arrays)
    if (key == name) return &tensor;
  return nullptr;
}

// Splits the expected arrays into outputs, by name or as out0, out1, ..., and inner variables.
void split_expected(VerifyCase& c) {
  std::vector<TensorSpec> specs = c.model.outputs();
  for (auto& [name, tensor] : read_npz(c.command.expect)) {
    std::size_t at = 0;
    while (at < specs.size() && name != specs[at].name && name != "out" + std::to_string(at)) ++at;
    if (at < specs.size())
      c.outputs.emplace_back(specs[at].name, tensor);
    else
      c.inner.emplace_back(name, tensor);
  }
  if (c.outputs.empty() && c.inner.empty())
    throw Error(ErrorCode::input, c.command.expect + ": holds nothing to expect");
}

struct Finding {
  std::string name;
  Comparison comparison;
};

std::vector<Finding> compare_all(const NamedTensors& found, const NamedTensors& wanted,
                                 const Tolerance& tolerance) {
  std::vector<Finding> findings;
  for (auto& [name, tensor] : wanted)
    if (const Tensor* other = find(found, name))
      findings.push_back({name, compare(*other, tensor, tolerance)});
  return findings;
}

bool all_same(const std::vector<Finding>& findings) {
  return std::all_of(findings.begin(), findings.end(), [](auto& f) { return f.comparison.same; });
}

struct OpOutput {
  std::string variable, op, where;
};

/// The outputs of the program's ops in order, without those that conversion has no value for.
std::vector<OpOutput> op_outputs(const Model::Impl& impl) {
  auto can_fetch = [&](const Strings& names) {
    LowerOptions lowering;
    lowering.extra_outputs = names;
    try {
      lower(impl.program, impl.params, lowering);
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

std::string describe_difference(const OpOutput& r, const Comparison& comparison) {
  return "the first op to differ is " + r.op + ", giving '" + r.variable + "'" +
         (r.where.empty() ? "" : ", recorded at " + r.where) + ": " + comparison.details;
}

// Compares the unoptimized graph with the stored inner variables.
std::string first_difference_from_stored(const VerifyCase& c) {
  Strings names;
  for (auto& [name, tensor] : c.inner) names.push_back(name);
  NamedTensors found = c.run(c.options(0, names));
  for (const OpOutput& r : op_outputs(c.model.impl())) {
    const Tensor *wanted = find(c.inner, r.variable), *here = find(found, r.variable);
    if (!wanted || !here) continue;
    Comparison comparison = compare(*here, *wanted, c.tolerance);
    if (!comparison.same) return describe_difference(r, comparison);
  }
  return "all inner variables that were stored are as expected, in the graph that is not optimised";
}

// Fetches one variable at a time, because fetching prevents fusion across it.  Binary search.
std::string first_optimizer_difference(const VerifyCase& c) {
  std::vector<OpOutput> all = op_outputs(c.model.impl());
  auto differs = [&](const OpOutput& r) {
    NamedTensors plain = c.run(c.options(0, {r.variable})),
                 optimised = c.run(c.options(c.command.options.optimize, {r.variable}));
    return compare(*find(optimised, r.variable), *find(plain, r.variable), c.tolerance);
  };
  std::size_t low = 0, high = all.size();
  Comparison last;
  while (low < high) {
    std::size_t middle = (low + high) / 2;
    Comparison found = differs(all[middle]);
    found.same ? void(low = middle + 1) : void((high = middle, last = found));
  }
  return low == all.size() ? "no single variable differs when it is fetched"
                           : describe_difference(all[low], last);
}

std::string explain_difference(const VerifyCase& c) {
  if (!c.inner.empty()) return first_difference_from_stored(c);
  if (!all_same(compare_all(c.run(c.options(0, {})), c.outputs, c.tolerance)))
    return "without the engine's optimisation it differs as well: the file holds another model "
           "than the expected "
           "values "
           "are of, or it is read wrongly; store inner variables in --expect to find the op";
  return "only the engine's optimisation differs; " + first_optimizer_difference(c);
}

std::string format_max_difference(const Comparison& comparison, const char* none) {
  if (!comparison.max_difference) return none;
  return format_double(*comparison.max_difference, 6);
}

std::string format_comparison(const Comparison& comparison) {
  std::string number = format_max_difference(comparison, "");
  return number.empty() ? comparison.details
                        : "largest difference " + number + "  " + comparison.details;
}

void print(const std::vector<Finding>& findings, const std::string& why, bool json) {
  if (json) std::printf("{\"same\": %s, \"outputs\": [", all_same(findings) ? "true" : "false");
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const auto& [name, comparison] = findings[i];
    if (json)
      std::printf("%s{\"name\": %s, \"same\": %s, \"largest_difference\": %s, \"text\": %s}",
                  i ? ", " : "", json_string(name).c_str(), comparison.same ? "true" : "false",
                  format_max_difference(comparison, "null").c_str(),
                  json_string(comparison.details).c_str());
    else
      std::printf("%-24s %s  %s\n", name.c_str(), comparison.same ? "same  " : "DIFFERS",
                  format_comparison(comparison).c_str());
  }
  if (json)
    std::printf("], \"why\": %s}\n", json_string(why).c_str());
  else if (!why.empty())
    std::printf("%s\n", why.c_str());
}

}  // namespace

int verify(const Command& c) {
  if (c.input.empty() || c.expect.empty()) throw UsageError{"verify requires --input and --expect"};
  VerifyCase given{c, open_model(c), {}, {}, {c.rtol, c.atol}};
  split_expected(given);
  Strings inner;
  for (auto& [name, tensor] : given.inner) inner.push_back(name);
  std::vector<Finding> findings =
      compare_all(given.run(given.options(c.options.optimize, {})), given.outputs, given.tolerance);
  if (!inner.empty())
    for (Finding& f : compare_all(given.run(given.options(c.options.optimize, inner)), given.inner,
                                  given.tolerance))
      findings.push_back(std::move(f));
  bool same = all_same(findings);
  print(findings, same ? "" : explain_difference(given), c.json);
  return same ? 0 : 1;
}

}  // namespace oarlock::runner
