#include "convert/scan_builder.h"

#include <algorithm>

#include "convert/operands.h"

namespace oarlock {
namespace {

Exprs add_state_inputs_to_body(NodeContext& b, const Exprs& values) {
  Exprs inputs;
  for (const Expr& v : values)
    inputs.emplace_back(b, b.add_subgraph_input_of_same_rank("state", v));
  return inputs;
}

// Adds an input to the body for each sequence: the slice of the current iteration, which lacks the
// scanned axis.
Exprs add_slice_inputs_to_body(NodeContext& b, const Exprs& sequences) {
  Exprs inputs;
  for (const Expr& v : sequences)
    inputs.emplace_back(
        b, b.add_subgraph_input("slice", b.require_known_dtype(v),
                                Ints(static_cast<std::size_t>(b.require_known_rank(v) - 1), -1)));
  return inputs;
}

void add_body_outputs(NodeContext& b, const IterationResult& step) {
  for (const Expr& v : step.states) b.add_subgraph_output(v);
  for (const Expr& v : step.outputs) b.add_subgraph_output(v);
}

// Declares the types of a loop's results and splits them into final states and outputs; outputs
// have an additional first axis, the iterations.
LoopResult declare_and_split_loop_outputs(NodeContext& n, const Values& values,
                                          const IterationResult& last) {
  LoopResult result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    bool is_output = i >= last.states.size();
    const Expr& like = is_output ? last.outputs[i - last.states.size()] : last.states[i];
    auto dims = n.shape(like);
    if (dims) dims->assign(dims->size(), -1);
    if (dims && is_output) dims->insert(dims->begin(), -1);
    n.declare_type(values[i], n.require_known_dtype(like), dims);
    (is_output ? result.outputs : result.states).emplace_back(n, values[i]);
  }
  return result;
}

Values join_operand_lists(const Exprs& a, const Exprs& b) {
  Values all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

// Transposes the sequences so that `axis` is their first axis. Scan supports other axes, but ONNX
// Runtime crashes for these if a sequence is empty.
Exprs move_axis_of_each_to_front(NodeContext& n, const Exprs& sequences, std::int64_t axis) {
  Exprs moved;
  for (const Expr& v : sequences) {
    Ints perm = all_axes(n.require_known_rank(v));
    std::rotate(perm.begin(), perm.begin() + axis, perm.begin() + axis + 1);
    moved.emplace_back(n, n.transpose(v, perm));
  }
  return moved;
}

Exprs move_front_axis_of_each_to(NodeContext& n, const Exprs& outputs, std::int64_t axis) {
  Exprs moved;
  for (const Expr& v : outputs) {
    Ints perm = all_axes(n.require_known_rank(v));
    std::rotate(perm.begin(), perm.begin() + 1, perm.begin() + axis + 1);
    moved.emplace_back(n, n.transpose(v, perm));
  }
  return moved;
}

}  // namespace

LoopResult build_scan(NodeContext& n, const ScanAxisAndDirection& along, const Exprs& states,
                      const Exprs& sequences, const ScanBody& body) {
  IterationResult step;
  for (const Expr& v : sequences)
    n.require(n.require_known_rank(v) > along.axis, "has no such axis to walk along");
  auto graph = n.build_subgraph("step", [&](NodeContext& b) {
    auto before = add_state_inputs_to_body(b, states);
    step = body(before, add_slice_inputs_to_body(b, sequences));
    add_body_outputs(b, step);
  });
  Ints input_directions(sequences.size(), along.reverse),
      output_directions(step.outputs.size(), along.reverse);
  auto results = n.emit_multi_output(
      step.states.size() + step.outputs.size(), "Scan",
      join_operand_lists(states, move_axis_of_each_to_front(n, sequences, along.axis)),
      {{"body", graph},
       {"num_scan_inputs", static_cast<std::int64_t>(sequences.size())},
       {"scan_input_directions", input_directions},
       {"scan_output_directions", output_directions}});
  LoopResult result = declare_and_split_loop_outputs(n, results, step);
  result.outputs = move_front_axis_of_each_to(n, result.outputs, along.axis);
  return result;
}

LoopResult build_loop(NodeContext& n, Value count, const Exprs& states, const LoopBody& body) {
  IterationResult step;
  auto graph = n.build_subgraph("step", [&](NodeContext& b) {
    Expr number(b, b.add_subgraph_input("number", DType::int64, Ints{}));
    b.add_subgraph_input("going", DType::boolean, Ints{});
    step = body(number, add_state_inputs_to_body(b, states));
    b.add_subgraph_output(b.scalar(1, DType::boolean));
    add_body_outputs(b, step);
  });
  auto results =
      n.emit_multi_output(step.states.size() + step.outputs.size(), "Loop",
                          join_operand_lists({{n, count}, {n, {}}}, states), {{"body", graph}});
  return declare_and_split_loop_outputs(n, results, step);
}

}  // namespace oarlock
