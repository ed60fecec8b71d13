#include "convert/scan_builder.h"

#include <algorithm>

#include "convert/operands.h"

namespace oarlock {
namespace {

Exprs formals_like(Node& b, const Exprs& values) {
  Exprs made;
  for (const Expr& v : values) made.emplace_back(b, b.formal_like("state", v));
  return made;
}

// A slice has no such axis.
Exprs slices_of(Node& b, const Exprs& sequences) {
  Exprs made;
  for (const Expr& v : sequences)
    made.emplace_back(b, b.formal("slice", b.need_dtype(v),
                                  Ints(static_cast<std::size_t>(b.need_rank(v) - 1), -1)));
  return made;
}

void results(Node& b, const Step& step) {
  for (const Expr& v : step.states) b.result(v);
  for (const Expr& v : step.kept) b.result(v);
}

// The outputs of a loop: those of its body, with one more first axis for what is kept.
Walked unpacked(Node& n, const Values& made, const Step& last) {
  Walked walked;
  for (std::size_t i = 0; i < made.size(); ++i) {
    bool kept = i >= last.states.size();
    const Expr& like = kept ? last.kept[i - last.states.size()] : last.states[i];
    auto dims = n.shape(like);
    if (dims) dims->assign(dims->size(), -1);
    if (dims && kept) dims->insert(dims->begin(), -1);
    n.declare(made[i], n.need_dtype(like), dims);
    (kept ? walked.kept : walked.states).emplace_back(n, made[i]);
  }
  return walked;
}

Values names(const Exprs& a, const Exprs& b) {
  Values all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

// Scan could take slices along any axis, but ends the process there when a sequence is empty.
Exprs axis_first(Node& n, const Exprs& sequences, std::int64_t axis) {
  Exprs moved;
  for (const Expr& v : sequences) {
    Ints perm = all_axes(n.need_rank(v));
    std::rotate(perm.begin(), perm.begin() + axis, perm.begin() + axis + 1);
    moved.emplace_back(n, n.transpose(v, perm));
  }
  return moved;
}

Exprs axis_back(Node& n, const Exprs& kept, std::int64_t axis) {
  Exprs moved;
  for (const Expr& v : kept) {
    Ints perm = all_axes(n.need_rank(v));
    std::rotate(perm.begin(), perm.begin() + 1, perm.begin() + axis + 1);
    moved.emplace_back(n, n.transpose(v, perm));
  }
  return moved;
}

}  // namespace

Walked walk(Node& n, const Along& along, const Exprs& states, const Exprs& sequences,
            const WalkBody& body) {
  Step step;
  for (const Expr& v : sequences)
    n.require(n.need_rank(v) > along.axis, "has no such axis to walk along");
  auto graph = n.subgraph("step", [&](Node& b) {
    auto before = formals_like(b, states);
    step = body(before, slices_of(b, sequences));
    results(b, step);
  });
  Ints in_ways(sequences.size(), along.reverse), out_ways(step.kept.size(), along.reverse);
  auto made = n.emit_n(step.states.size() + step.kept.size(), "Scan",
                       names(states, axis_first(n, sequences, along.axis)),
                       {{"body", graph},
                        {"num_scan_inputs", static_cast<std::int64_t>(sequences.size())},
                        {"scan_input_directions", in_ways},
                        {"scan_output_directions", out_ways}});
  Walked walked = unpacked(n, made, step);
  walked.kept = axis_back(n, walked.kept, along.axis);
  return walked;
}

Walked repeat(Node& n, const Value& count, const Exprs& states, const RepeatBody& body) {
  Step step;
  auto graph = n.subgraph("step", [&](Node& b) {
    Expr number(b, b.formal("number", DType::int64, Ints{}));
    b.formal("going", DType::boolean, Ints{});
    step = body(number, formals_like(b, states));
    b.result(b.scalar(1, DType::boolean));
    results(b, step);
  });
  auto made = n.emit_n(step.states.size() + step.kept.size(), "Loop",
                       names({{n, count}, {n, ""}}, states), {{"body", graph}});
  return unpacked(n, made, step);
}

}  // namespace oarlock
