// StaticRNN: a block that runs for each element of sequences along their first axis. In the block,
// the element of the current step has the variable name of the whole sequence.
#include <algorithm>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"
#include "convert/runtime_assert.h"

namespace oarlock {
namespace {

// The inputs, outputs and memories of a StaticRNN op. initial_states: memories before the first
// step; memories, next_memories: their variables in the block, and those of the next step.
struct StaticRnn {
  Strings sequences, outputs, memories, next_memories;
  Values inputs, initial_states;
  bool reverse = false;
};

StaticRnn read_static_rnn(const NodeContext& n) {
  StaticRnn s{
      n.input_names("inputs"),     n.output_names("outputs"), n.attr("ex_states", Strings{}),
      n.attr("states", Strings{}), n.inputs("inputs"),        n.inputs("initial_states"),
      n.attr("reverse", false)};
  n.require(!s.inputs.empty(), "has no inputs");
  n.require(s.memories.size() == s.initial_states.size() &&
                s.next_memories.size() == s.initial_states.size(),
            "has " + std::to_string(s.initial_states.size()) + " initial_states for " +
                std::to_string(s.memories.size()) + " ex_states and " +
                std::to_string(s.next_memories.size()) + " states");
  for (Value v : s.inputs) n.require(n.require_known_rank(v) > 0, "has an input without an axis");
  return s;
}

// Fails if the block writes a variable of an outer block, because ops outside of the block would
// not read the written value. The block may write persistable variables, such as running
// statistics.
void reject_outer_writes(const NodeContext& n, const Block& block) {
  for (const OpDesc& op : block.ops)
    for (auto& [slot, names] : op.outputs)
      for (const std::string& name : names) {
        const VarDesc* var = block.index.count(name) ? nullptr : n.find_var(name);
        n.require(!var || var->persistable,
                  "its block writes '" + name + "', which is not its own");
      }
}

// The number of steps, int64[]; the run fails if it is 0 or differs between the inputs.
Value emit_checked_num_steps(NodeContext& n, const Values& inputs) {
  Values wrong;
  Expr count(n, dim_as_vector(n, inputs[0], 0));
  std::int64_t known = n.dim(inputs[0], 0);
  if (known < 0) wrong.push_back(count < 1);
  n.require(known != 0, "its inputs have no steps");
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    std::int64_t other = n.dim(inputs[i], 0);
    n.require(
        known < 0 || other < 0 || known == other,
        "its inputs have " + std::to_string(known) + " and " + std::to_string(other) + " steps");
    if (known < 0 || other < 0)
      wrong.push_back(!(count == Expr(n, dim_as_vector(n, inputs[i], 0))));
  }
  if (wrong.empty()) return as_scalar(n, count);
  return as_scalar(
      n, fail_at_run_time_if_any(n, count, n.concat(wrong, 0),
                                 "the inputs need one step, and the same number of them"));
}

// Builds the body of the loop, which outputs the next memories, then the outputs of the step.
Values build_step_body(NodeContext& b, const StaticRnn& s, Value count) {
  auto at = b.add_subgraph_input("iteration", DType::int64, Ints{});
  auto condition = b.add_subgraph_input("condition", DType::boolean, Ints{});
  for (std::size_t i = 0; i < s.memories.size(); ++i)
    b.bind_variable_and_clear_row_splits(
        s.memories[i], b.add_subgraph_input_of_same_rank(s.memories[i], s.initial_states[i]));
  if (s.reverse) at = Expr(b, count) - 1 - Expr(b, at);
  for (std::size_t i = 0; i < s.inputs.size(); ++i)
    b.bind_variable_and_clear_row_splits(
        s.sequences[i], b.emit("Gather", {s.inputs[i], at}, {{"axis", std::int64_t{0}}}));
  b.lower_block_into_current_graph(b.attr("sub_block", 0));
  b.add_subgraph_output(b.emit("Identity", {condition}));
  Values results;
  for (std::size_t i = 0; i < s.next_memories.size(); ++i)
    results.push_back(b.cast(b.require_value_or_add_weight(s.next_memories[i]),
                             b.require_known_dtype(s.initial_states[i])));
  for (const std::string& name : s.outputs) results.push_back(b.require_value_or_add_weight(name));
  for (Value v : results) b.add_subgraph_output(v);
  return results;
}

void declare_stacked_type(NodeContext& n, Value v, std::int64_t count, Value one) {
  auto shape = n.shape(one);
  if (shape) shape->insert(shape->begin(), count);
  n.declare_type(v, n.require_known_dtype(one), shape);
}

void recurrent(NodeContext& n) {
  StaticRnn s = read_static_rnn(n);
  n.require(n.attr("sub_block", 0) > 0, "names no sub-block");
  reject_outer_writes(n, n.block(n.attr("sub_block", 0)));
  Value count = emit_checked_num_steps(n, s.inputs);
  Values last;
  auto body =
      n.build_subgraph("step", [&](NodeContext& b) { last = build_step_body(b, s, count); });
  Values in{count, {}};
  in.insert(in.end(), s.initial_states.begin(), s.initial_states.end());
  auto results = n.emit_multi_output(last.size(), "Loop", in, {{"body", body}});
  for (std::size_t i = 0; i < s.initial_states.size(); ++i)
    n.declare_merged_type(results[i], s.initial_states[i], last[i]);
  Values outs;
  for (std::size_t i = s.initial_states.size(); i < results.size(); ++i) {
    declare_stacked_type(n, results[i], n.dim(s.inputs[0], 0), last[i]);
    outs.push_back(s.reverse ? n.slice(results[i], {-1}, {INT64_MIN}, {0}, {-1}) : results[i]);
  }
  n.set_outputs("outputs", outs);
}

}  // namespace

std::span<const Rule> static_rnn_rules() {
  static const Rule rules[] = {{"recurrent", 13, recurrent, {.lod = OutputTraits::none}}};
  return rules;
}

}  // namespace oarlock
