// Branches, loops and tensor arrays: blocks of the program become subgraphs.
#include <algorithm>
#include <set>

#include "convert/expression.h"
#include "convert/if_else_pairs.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

using Subgraph = std::shared_ptr<onnx::Graph>;

bool contains(const Strings& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const std::string& require_single_name(const NodeContext& n, const Slots& slots,
                                       std::string_view slot) {
  auto it = slots.find(slot);
  n.require(it != slots.end() && it->second.size() == 1,
            "needs exactly one '" + std::string(slot) + "'");
  return it->second[0];
}

// ---- branches ----

// A subgraph that runs a block, and its outputs.
struct Branch {
  Subgraph graph;
  Values results;
};

Values build_if(NodeContext& n, Value condition, const Branch& yes, const Branch& no) {
  auto results = n.emit_multi_output(yes.results.size(), "If", {as_scalar(n, condition)},
                                     {{"then_branch", yes.graph}, {"else_branch", no.graph}});
  for (std::size_t i = 0; i < results.size(); ++i) {
    n.require(n.dtype(yes.results[i]) == n.dtype(no.results[i]),
              "the branches return different dtypes");
    n.declare_merged_type(results[i], yes.results[i], no.results[i]);
  }
  return results;
}

Value read_branch_condition(NodeContext& n, const OpDesc& op) {
  return n.cast(n.require_value_or_add_weight(require_single_name(n, op.inputs, "Cond")),
                DType::boolean);
}

Branch build_block_branch(NodeContext& n, const std::string& name, const OpDesc& op,
                          const Strings& outputs) {
  Branch branch;
  branch.graph = n.build_subgraph(name, [&](NodeContext& b) {
    b.lower_block_into_current_graph(int_attr(op, "sub_block", 0));
    for (const std::string& result : outputs)
      branch.results.push_back(b.require_value_or_add_weight(result));
    for (Value v : branch.results) b.add_subgraph_output(v);
  });
  return branch;
}

Branch build_branch_returning_values(NodeContext& n, const std::string& name,
                                     const Values& values) {
  Branch branch{nullptr, values};
  branch.graph = n.build_subgraph(name, [&](NodeContext& b) {
    for (Value v : values) b.add_subgraph_output(v);
  });
  return branch;
}

// The value of variable `name` if the block that writes it does not run: the previous value, or a
// placeholder of its type that is never read.
Value previous_value_or_placeholder(NodeContext& n, const std::string& name, Value like) {
  if (n.has_variable_value(name)) return n.require_value_or_add_weight(name);
  if (n.is_sequence(like)) return n.empty_sequence(n.require_known_dtype(like));
  auto dtype = n.require_known_dtype(like);
  Ints ones(static_cast<std::size_t>(std::max(n.rank(like), 0)), 1);
  return n.tensor({dtype, ones, std::string(size_of(dtype), '\0')});
}

// Emits an If for a conditional_block without an else branch, and binds its outputs: the results of
// `yes` if the condition is true, else the previous values of the variables.
void emit_single_branch_if_and_bind(NodeContext& n, const OpDesc& op, const Strings& names,
                                    const Branch& yes) {
  Values previous;
  for (std::size_t i = 0; i < names.size(); ++i)
    previous.push_back(previous_value_or_placeholder(n, names[i], yes.results[i]));
  auto results = build_if(n, read_branch_condition(n, op), yes,
                          build_branch_returning_values(n, "else", previous));
  for (std::size_t i = 0; i < names.size(); ++i)
    n.bind_variable_and_clear_row_splits(names[i], results[i]);
}

void emit_single_branch_if_and_bind(NodeContext& n, const OpDesc& op) {
  Strings names = variable_names_in_slot(op.outputs, "Out");
  std::erase_if(names, [&](const std::string& name) { return name.empty(); });
  if (!names.empty())
    emit_single_branch_if_and_bind(n, op, names, build_block_branch(n, "then", op, names));
}

bool have_same_dtypes(const NodeContext& n, const Branch& a, const Branch& b) {
  return std::equal(a.results.begin(), a.results.end(), b.results.begin(),
                    [&](Value x, Value y) { return n.dtype(x) == n.dtype(y); });
}

// Each block is converted once; otherwise the time would be exponential in the nesting depth of
// branches.
void conditional_block(NodeContext& n) {
  n.require(n.attr("is_scalar_condition", false), "a condition per row has no lowering");
  const IfElsePair* pair = n.find_if_else_pair_of_op();
  if (!pair) return emit_single_branch_if_and_bind(n, n.op());
  if (&n.op() == std::min(pair->then_op, pair->else_op)) return;  // the later branch converts both
  auto then_branch = build_block_branch(n, "then", *pair->then_op, pair->then_outputs),
       else_branch = build_block_branch(n, "else", *pair->else_op, pair->else_outputs);
  if (!have_same_dtypes(n, then_branch, else_branch)) {
    emit_single_branch_if_and_bind(n, *pair->then_op, pair->then_outputs, then_branch);
    emit_single_branch_if_and_bind(n, *pair->else_op, pair->else_outputs, else_branch);
    return;
  }
  auto results = build_if(n, read_branch_condition(n, *pair->then_op), then_branch, else_branch);
  for (std::size_t i = 0; i < results.size(); ++i)
    n.bind_variable_and_clear_row_splits(pair->then_outputs[i], results[i]),
        n.bind_variable_and_clear_row_splits(pair->else_outputs[i], results[i]);
}

// Casts the results of both branches to one dtype.  If a branch leaves a variable undefined, Paddle
// stores a float placeholder that is never read, so the dtype of the other branch is used. If one
// result is bool and the other is float, the bool is cast to the float dtype.
Values cast_to_common_dtype(NodeContext& n, const Values& both) {
  auto a = n.require_known_dtype(both[0]), b = n.require_known_dtype(both[1]);
  if (a == b || n.is_sequence(both[0])) return both;
  if (n.find_constant(both[0])) return {n.cast(both[0], b), both[1]};
  if (n.find_constant(both[1])) return {both[0], n.cast(both[1], a)};
  n.require((a == DType::boolean && is_floating(b)) || (b == DType::boolean && is_floating(a)),
            "the branches return different dtypes");
  auto common = a == DType::boolean ? b : a;
  return {n.cast(both[0], common), n.cast(both[1], common)};
}

// Selects by Mask between two values. The two inputs are the same value if one If already merged
// the branches that compute them.
void select_input(NodeContext& n) {
  auto from = n.inputs("X");
  n.require(from.size() == 2,
            "selects from " + std::to_string(from.size()) + " values where 2 belong");
  if (from[0] == from[1]) return n.set_output("Out", from[0]);
  auto mask = n.cast(n.input("Mask"), DType::boolean);
  from = cast_to_common_dtype(n, from);
  n.set_output("Out", build_if(n, mask, build_branch_returning_values(n, "then", {from[1]}),
                               build_branch_returning_values(n, "else", {from[0]}))[0]);
}

// ---- loops ----

// Casts the initial value of a loop variable to its declared type.  If the body writes the variable
// before it reads it, the initial value may have another type.
Value cast_and_reshape_loop_initial_value(NodeContext& n, const std::string& name, Value v) {
  const VarDesc* var = n.find_var(name);
  if (!var || n.is_sequence(v) || !find_dtype_row(var->dtype)) return v;
  v = n.cast(v, var->dtype);
  auto dims = n.shape(v);
  bool one = dims && std::all_of(dims->begin(), dims->end(), [](std::int64_t d) { return d == 1; });
  return one && dims->size() != var->shape.size() ? n.reshape(v, Ints(var->shape.size(), 1)) : v;
}

struct LoopCarriedVariables {
  Strings names;
  Values initial_values;
};

LoopCarriedVariables read_loop_carried_variables(NodeContext& n, const std::string& condition) {
  LoopCarriedVariables all;
  std::set<std::string_view> seen{"", condition};
  for (const std::string& name : n.output_names("Out")) {
    if (!seen.insert(name).second) continue;
    const VarDesc* var = n.find_var(name);
    if (n.has_variable_value(name)) {
      all.initial_values.push_back(
          cast_and_reshape_loop_initial_value(n, name, n.require_value_or_add_weight(name)));
    } else if (var && var->kind == VarKind::array) {
      all.initial_values.push_back(n.empty_sequence(var->dtype));
    } else {
      continue;  // local to the loop
    }
    all.names.push_back(name);
  }
  return all;
}

Value cast_tensor_to_dtype_of(NodeContext& n, Value v, Value like) {
  return n.is_sequence(v) ? v : n.cast(v, n.require_known_dtype(like));
}

void while_loop(NodeContext& n) {
  const std::string condition = require_single_name(n, n.op().inputs, "Condition");
  LoopCarriedVariables carried = read_loop_carried_variables(n, condition);
  Values last;
  auto body = n.build_subgraph("body", [&](NodeContext& b) {
    b.add_subgraph_input("iteration", DType::int64, Ints{});
    b.bind_variable_and_clear_row_splits(condition,
                                         b.add_subgraph_input(condition, DType::boolean, Ints{}));
    for (std::size_t i = 0; i < carried.names.size(); ++i)
      b.bind_variable_and_clear_row_splits(
          carried.names[i],
          b.add_subgraph_input_of_same_rank(carried.names[i], carried.initial_values[i]));
    b.lower_block_into_current_graph(b.attr("sub_block", 0));
    b.add_subgraph_output(
        as_scalar(b, b.cast(b.require_value_or_add_weight(condition), DType::boolean)));
    for (std::size_t i = 0; i < carried.names.size(); ++i)
      last.push_back(cast_tensor_to_dtype_of(b, b.require_value_or_add_weight(carried.names[i]),
                                             carried.initial_values[i]));
    for (Value v : last) b.add_subgraph_output(v);
  });
  Values in{{}, as_scalar(n, n.require_value_or_add_weight(condition))};
  in.insert(in.end(), carried.initial_values.begin(), carried.initial_values.end());
  auto results = n.emit_multi_output(carried.names.size(), "Loop", in, {{"body", body}});
  for (std::size_t i = 0; i < results.size(); ++i) {
    n.declare_merged_type(results[i], carried.initial_values[i], last[i]);
    n.bind_variable_and_clear_row_splits(carried.names[i], results[i]);
  }
  n.bind_variable_and_clear_row_splits(
      condition, n.scalar(0, DType::boolean));  // otherwise the loop would run
}

// ---- tensor arrays ----

Value read_array_index(NodeContext& n) { return as_scalar(n, n.cast(n.input("I"), DType::int64)); }

// Whether a write appends to the array `list`: its index is the length of the array, computed after
// the last write to the array.
bool is_write_at_array_end(const NodeContext& n, const std::string& list) {
  const OpDesc* length = n.find_latest_earlier_writer_in_block(n.input_names("I").at(0));
  const OpDesc* write = n.find_latest_earlier_writer_in_block(list);
  return length && length->type == "lod_array_length" &&
         contains(variable_names_in_slot(length->inputs, "X"), list) && (!write || write < length);
}

// Writes `x` to index `at` of an array: replaces the element, or appends one if `at` is not inside
// the array.
Value write_or_append_element(NodeContext& n, Value list, Value x, Value at) {
  auto inside = n.emit("Less", {at, n.emit("SequenceLength", {list})});
  Branch yes, no;
  yes.graph = n.build_subgraph("then", [&](NodeContext& b) {
    yes.results = {b.emit("SequenceInsert", {b.emit("SequenceErase", {list, at}), x, at})};
    b.add_subgraph_output(yes.results[0]);
  });
  no.graph = n.build_subgraph("else", [&](NodeContext& b) {
    no.results = {b.emit("SequenceInsert", {list, x, at})};
    b.add_subgraph_output(no.results[0]);
  });
  return build_if(n, inside, yes, no)[0];
}

void write_to_array(NodeContext& n) {
  auto x = n.input("X"), at = read_array_index(n);
  const std::string& name = require_single_name(n, n.op().outputs, "Out");
  bool is_new = !n.has_variable_value(name);
  auto list =
      is_new ? n.empty_sequence(n.require_known_dtype(x)) : n.require_value_or_add_weight(name);
  if (is_write_at_array_end(n, name))
    return n.set_output("Out", n.emit("SequenceInsert", {list, x}));
  n.set_output("Out", is_new ? n.emit("SequenceInsert", {list, x, at})
                             : write_or_append_element(n, list, x, at));
}

void read_from_array(NodeContext& n) {
  n.set_output("Out", n.emit("SequenceAt", {n.input("X"), read_array_index(n)}));
}

void array_length(NodeContext& n) {
  set_scalar_output_as_declared(
      n, "Out", n.emit("SequenceLength", {n.sequence_input_or_empty_if_unwritten("X")}));
}

// The array without its first (`at_front`) or last `count` elements.
Value drop_front_or_back_elements(NodeContext& n, Value list, Value count, bool at_front) {
  auto body = n.build_subgraph("body", [&](NodeContext& b) {
    b.add_subgraph_input("iteration", DType::int64, Ints{});
    auto condition = b.add_subgraph_input("condition", DType::boolean, Ints{});
    auto elements = b.add_subgraph_input_of_same_rank("list", list);
    b.add_subgraph_output(b.emit("Identity", {condition}));
    b.add_subgraph_output(at_front ? b.emit("SequenceErase", {elements, b.scalar(0, DType::int64)})
                                   : b.emit("SequenceErase", {elements}));
  });
  auto result = n.emit("Loop", {count, {}, list}, {{"body", body}});
  n.declare_merged_type(result, list, list);
  return result;
}

void lower_tensor_array_to_tensor_op(NodeContext& n) {
  std::int64_t stacked = n.attr("use_stack", false);
  n.set_output("Out", n.emit("ConcatFromSequence", {n.input("X")},
                             {{"axis", n.attr("axis", 0)}, {"new_axis", stacked}}));
}

}  // namespace

void set_output_to_tensor_array_slice(NodeContext& n, Value list, Value start, Value end) {
  if (!n.attr("decrease_axis", Ints{}).empty())
    return n.set_output("Out", n.emit("SequenceAt", {list, as_scalar(n, start)}));
  auto length = n.emit("SequenceLength", {list});
  Expr size(n, length), first(n, as_scalar(n, start)), last(n, as_scalar(n, end));
  Expr none(n, n.scalar(0, DType::int64));
  auto from_front = [&](const Expr& at) { return where(at < 0, at + size, at); };
  auto stop = from_front(Expr(n, n.cast(last, DType::int64)));
  auto begin = from_front(Expr(n, n.cast(first, DType::int64)));
  auto shorter = drop_front_or_back_elements(n, list, where(stop < size, size - stop, none), false);
  n.set_output("Out", drop_front_or_back_elements(n, shorter, where(begin > 0, begin, none), true));
}

std::span<const Rule> control_flow_rules() {
  static const Rule rules[] = {
      {"conditional_block", 11, conditional_block, {.lod = OutputTraits::none}},
      {"select_input", 11, select_input, {.lod = OutputTraits::none}},
      {"while", 13, while_loop, {.lod = OutputTraits::none}},
      {"write_to_array", 13, write_to_array},
      {"read_from_array", 11, read_from_array},
      {"lod_array_length", 11, array_length},
      {"tensor_array_to_tensor", 11, lower_tensor_array_to_tensor_op},
  };
  return rules;
}

}  // namespace oarlock
