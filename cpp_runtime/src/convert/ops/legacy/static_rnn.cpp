// A step that runs for each element of sequences along their first axis.   In its block a step has
// the name of the whole.
#include <algorithm>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"
#include "convert/runtime_assert.h"

namespace oarlock {
namespace {

// first: memories before the first step; held, after: their variables in the block, and those of
// the next ones.
struct Steps {
  Strings sequences, outs, held, after;
  Values given, first;
  bool reverse = false;
};

Steps steps_of(const Node& n) {
  Steps s{n.names("inputs"),           n.out_names("outputs"), n.attr("ex_states", Strings{}),
          n.attr("states", Strings{}), n.ins("inputs"),        n.ins("initial_states"),
          n.attr("reverse", false)};
  n.require(!s.given.empty(), "has no inputs");
  n.require(s.held.size() == s.first.size() && s.after.size() == s.first.size(),
            "has " + std::to_string(s.first.size()) + " initial_states for " +
                std::to_string(s.held.size()) + " ex_states and " + std::to_string(s.after.size()) +
                " states");
  for (const Value& v : s.given) n.require(n.need_rank(v) > 0, "has an input without an axis");
  return s;
}

// What the block writes is its own: nobody outside would see another step's.
void refuse_outside_writes(const Node& n, const Block& block) {
  for (const OpDesc& op : block.ops)
    for (auto& [slot, names] : op.outputs)
      for (const std::string& name : names) {
        const VarDesc* var = block.index.count(name) ? nullptr : n.var(name);
        n.require(!var || var->persistable,
                  "its block writes '" + name + "', which is not its own");
      }
}

// int64[]: how many steps there are, of which there has to be one, and as many in all inputs.
Value count_of(Node& n, const Values& given) {
  Values wrong;
  Expr count(n, size_along(n, given[0], 0));
  std::int64_t known = n.dim(given[0], 0);
  if (known < 0) wrong.push_back(count < 1);
  n.require(known != 0, "its inputs have no steps");
  for (std::size_t i = 1; i < given.size(); ++i) {
    std::int64_t other = n.dim(given[i], 0);
    n.require(
        known < 0 || other < 0 || known == other,
        "its inputs have " + std::to_string(known) + " and " + std::to_string(other) + " steps");
    if (known < 0 || other < 0) wrong.push_back(!(count == Expr(n, size_along(n, given[i], 0))));
  }
  if (wrong.empty()) return as_scalar(n, count);
  return as_scalar(n, only_where_none(n, count, n.concat(wrong, 0),
                                      "the inputs need one step, and the same number of them"));
}

// One step of each output behind the memories for the next step, as the engine wants it.
Values step(Node& b, const Steps& s, const Value& count) {
  auto at = b.formal("iteration", DType::int64, Ints{});
  auto condition = b.formal("condition", DType::boolean, Ints{});
  for (std::size_t i = 0; i < s.held.size(); ++i)
    b.bind(s.held[i], b.formal_like(s.held[i], s.first[i]));
  if (s.reverse) at = Expr(b, count) - 1 - Expr(b, at);
  for (std::size_t i = 0; i < s.given.size(); ++i)
    b.bind(s.sequences[i], b.emit("Gather", {s.given[i], at}, {{"axis", std::int64_t{0}}}));
  b.run_block(b.attr("sub_block", 0));
  b.result(b.emit("Identity", {condition}));
  Values made;
  for (std::size_t i = 0; i < s.after.size(); ++i)
    made.push_back(b.cast(b.lookup(s.after[i]), b.need_dtype(s.first[i])));
  for (const std::string& name : s.outs) made.push_back(b.lookup(name));
  for (const Value& v : made) b.result(v);
  return made;
}

void declare_stacked(Node& n, const Value& v, std::int64_t count, const Value& one) {
  auto shape = n.shape(one);
  if (shape) shape->insert(shape->begin(), count);
  n.declare(v, n.need_dtype(one), shape);
}

void recurrent(Node& n) {
  Steps s = steps_of(n);
  n.require(n.attr("sub_block", 0) > 0, "names no sub-block");
  refuse_outside_writes(n, n.block(n.attr("sub_block", 0)));
  Value count = count_of(n, s.given);
  Values last;
  auto body = n.subgraph("step", [&](Node& b) { last = step(b, s, count); });
  Values in{count, ""};
  in.insert(in.end(), s.first.begin(), s.first.end());
  auto made = n.emit_n(last.size(), "Loop", in, {{"body", body}});
  for (std::size_t i = 0; i < s.first.size(); ++i) n.declare_either(made[i], s.first[i], last[i]);
  Values outs;
  for (std::size_t i = s.first.size(); i < made.size(); ++i) {
    declare_stacked(n, made[i], n.dim(s.given[0], 0), last[i]);
    outs.push_back(s.reverse ? n.slice(made[i], {-1}, {INT64_MIN}, {0}, {-1}) : made[i]);
  }
  n.outs("outputs", outs);
}

}  // namespace

std::span<const Rule> recurrent_rules() {
  static const Rule rules[] = {{"recurrent", 13, recurrent, {.offsets = Facts::none}}};
  return rules;
}

}  // namespace oarlock
