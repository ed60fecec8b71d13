// Whether a model gives what it should; and where it does not, which op is the first to differ.
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

// What is known before the search: files, inputs, and what was stored of outputs and of inner
// variables.
struct Case {
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

  /// The model's outputs, then those fetched, of a session made for this.
  NamedTensors run(const Options& options) const {
    Session session(model, options);
    std::vector<Tensor> inputs = inputs_for(command, model, session);
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

// Outputs by name or as out0, out1, ...; everything else is an inner variable.
void sort_expected(Case& c) {
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
    throw Error(Fault::input, c.command.expect + ": holds nothing to expect");
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

struct Result {
  std::string variable, op, where;
};

/// What the ops of the program give, in their order; those that lowering has no value for are left
/// out.
std::vector<Result> results_of(const Model::Impl& impl) {
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
  std::vector<Result> all;
  Strings names;
  for (const OpDesc& op : impl.program.blocks[0].ops)
    for (auto& [slot, outputs] : op.outputs)
      for (const std::string& name : outputs)
        if (op.type != "feed" && op.type != "fetch")
          all.push_back({name, op.type, op.where}), names.push_back(name);
  if (!can_fetch(names))
    std::erase_if(all, [&](const Result& r) { return !can_fetch({r.variable}); });
  return all;
}

std::string said(const Result& r, const Comparison& comparison) {
  return "the first op to differ is " + r.op + ", giving '" + r.variable + "'" +
         (r.where.empty() ? "" : ", recorded at " + r.where) + ": " + comparison.text;
}

// In the graph as the file has it, beside the stored inner values.
std::string first_beside_stored(const Case& c) {
  Strings names;
  for (auto& [name, tensor] : c.inner) names.push_back(name);
  NamedTensors found = c.run(c.options(0, names));
  for (const Result& r : results_of(c.model.impl())) {
    const Tensor *wanted = find(c.inner, r.variable), *here = find(found, r.variable);
    if (!wanted || !here) continue;
    Comparison comparison = compare(*here, *wanted, c.tolerance);
    if (!comparison.same) return said(r, comparison);
  }
  return "all inner variables that were stored are as expected, in the graph that is not optimised";
}

// One variable at a time, as each that is fetched keeps the engine from fusing ops across it.
std::string first_optimised(const Case& c) {
  std::vector<Result> all = results_of(c.model.impl());
  auto differs = [&](const Result& r) {
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
  return low == all.size() ? "no single variable differs when it is fetched" : said(all[low], last);
}

std::string explain(const Case& c) {
  if (!c.inner.empty()) return first_beside_stored(c);
  if (!all_same(compare_all(c.run(c.options(0, {})), c.outputs, c.tolerance)))
    return "without the engine's optimisation it differs as well: the file holds another model "
           "than the expected "
           "values "
           "are of, or it is read wrongly; store inner variables in --expect to find the op";
  return "only the engine's optimisation differs; " + first_optimised(c);
}

std::string largest(const Comparison& comparison, const char* none) {
  if (!comparison.largest) return none;
  return format_double(*comparison.largest, 6);
}

std::string shown(const Comparison& comparison) {
  std::string number = largest(comparison, "");
  return number.empty() ? comparison.text : "largest difference " + number + "  " + comparison.text;
}

void print(const std::vector<Finding>& findings, const std::string& why, bool json) {
  if (json) std::printf("{\"same\": %s, \"outputs\": [", all_same(findings) ? "true" : "false");
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const auto& [name, comparison] = findings[i];
    if (json)
      std::printf("%s{\"name\": %s, \"same\": %s, \"largest_difference\": %s, \"text\": %s}",
                  i ? ", " : "", quoted(name).c_str(), comparison.same ? "true" : "false",
                  largest(comparison, "null").c_str(), quoted(comparison.text).c_str());
    else
      std::printf("%-24s %s  %s\n", name.c_str(), comparison.same ? "same  " : "DIFFERS",
                  shown(comparison).c_str());
  }
  if (json)
    std::printf("], \"why\": %s}\n", quoted(why).c_str());
  else if (!why.empty())
    std::printf("%s\n", why.c_str());
}

}  // namespace

int verify(const Command& c) {
  if (c.input.empty() || c.expect.empty()) throw Usage{"verify wants --input and --expect"};
  Case given{c, open_model(c), {}, {}, {c.rtol, c.atol}};
  sort_expected(given);
  Strings inner;
  for (auto& [name, tensor] : given.inner) inner.push_back(name);
  std::vector<Finding> findings =
      compare_all(given.run(given.options(c.options.optimize, {})), given.outputs, given.tolerance);
  if (!inner.empty())
    for (Finding& f : compare_all(given.run(given.options(c.options.optimize, inner)), given.inner,
                                  given.tolerance))
      findings.push_back(std::move(f));
  bool same = all_same(findings);
  print(findings, same ? "" : explain(given), c.json);
  return same ? 0 : 1;
}

}  // namespace oarlock::runner
