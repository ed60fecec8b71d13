// Branches, loops, and lists of tensors: blocks of the program become subgraphs.
#include <algorithm>
#include <set>

#include "convert/branch_pairs.h"
#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

using Subgraph = std::shared_ptr<onnx::Graph>;

bool holds(const Strings& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const std::string& only(const Node& n, const Slots& slots, std::string_view slot) {
  auto found = slots.find(slot);
  n.require(found != slots.end() && found->second.size() == 1,
            "needs exactly one '" + std::string(slot) + "'");
  return found->second[0];
}

const Strings& listed(const Slots& slots, std::string_view slot) {
  static const Strings none;
  auto found = slots.find(slot);
  return found == slots.end() ? none : found->second;
}

// ---- branches ----

// A subgraph that runs a block, and what it gives.
struct Branch {
  Subgraph graph;
  Values results;
};

Values chosen(Node& n, const Value& condition, const Branch& yes, const Branch& no) {
  auto made = n.emit_n(yes.results.size(), "If", {as_scalar(n, condition)},
                       {{"then_branch", yes.graph}, {"else_branch", no.graph}});
  for (std::size_t i = 0; i < made.size(); ++i) {
    n.require(n.dtype(yes.results[i]) == n.dtype(no.results[i]),
              "the branches give different dtypes");
    n.declare_either(made[i], yes.results[i], no.results[i]);
  }
  return made;
}

Value condition_of(Node& n, const OpDesc& op) {
  return n.cast(n.lookup(only(n, op.inputs, "Cond")), DType::boolean);
}

Branch run_branch(Node& n, const std::string& name, const OpDesc& op, const Strings& wanted) {
  Branch branch;
  branch.graph = n.subgraph(name, [&](Node& b) {
    b.run_block(int_attr(op, "sub_block", 0));
    for (const std::string& result : wanted) branch.results.push_back(b.lookup(result));
    for (const Value& v : branch.results) b.result(v);
  });
  return branch;
}

Branch give(Node& n, const std::string& name, const Values& values) {
  Branch branch{nullptr, values};
  branch.graph = n.subgraph(name, [&](Node& b) {
    for (const Value& v : values) b.result(v);
  });
  return branch;
}

// What a variable holds where the block is not run: what it held before, or anything of its type
// that nobody will read.
Value otherwise(Node& n, const std::string& name, const Value& like) {
  if (n.is_bound(name)) return n.lookup(name);
  if (n.is_sequence(like)) return n.empty_sequence(n.need_dtype(like));
  auto dtype = n.need_dtype(like);
  Ints ones(static_cast<std::size_t>(std::max(n.rank(like), 0)), 1);
  return n.tensor({dtype, ones, std::string(size_of(dtype), '\0')});
}

// Binds the outputs of a conditional_block: the results of `yes`, or the previous values of the
// variables.
void run_alone(Node& n, const OpDesc& op, const Strings& names, const Branch& yes) {
  Values left;
  for (std::size_t i = 0; i < names.size(); ++i)
    left.push_back(otherwise(n, names[i], yes.results[i]));
  auto made = chosen(n, condition_of(n, op), yes, give(n, "else", left));
  for (std::size_t i = 0; i < names.size(); ++i) n.bind(names[i], made[i]);
}

void run_alone(Node& n, const OpDesc& op) {
  Strings names = listed(op.outputs, "Out");
  std::erase_if(names, [&](const std::string& name) { return name.empty(); });
  if (!names.empty()) run_alone(n, op, names, run_branch(n, "then", op, names));
}

bool same_dtypes(const Node& n, const Branch& a, const Branch& b) {
  return std::equal(a.results.begin(), a.results.end(), b.results.begin(),
                    [&](const Value& x, const Value& y) { return n.dtype(x) == n.dtype(y); });
}

// Each block is lowered once; otherwise the time would be exponential in the nesting depth of
// branches.
void conditional_block(Node& n) {
  n.require(n.attr("is_scalar_condition", false), "a condition per row has no lowering");
  const Fork* fork = n.fork();
  if (!fork) return run_alone(n, n.op());
  if (&n.op() == std::min(fork->yes, fork->no)) return;  // the later half does both
  auto yes = run_branch(n, "then", *fork->yes, fork->yes_names),
       no = run_branch(n, "else", *fork->no, fork->no_names);
  if (!same_dtypes(n, yes, no)) {
    run_alone(n, *fork->yes, fork->yes_names, yes);
    run_alone(n, *fork->no, fork->no_names, no);
    return;
  }
  auto made = chosen(n, condition_of(n, *fork->yes), yes, no);
  for (std::size_t i = 0; i < made.size(); ++i)
    n.bind(fork->yes_names[i], made[i]), n.bind(fork->no_names[i], made[i]);
}

// Where Python has given a variable nothing, Paddle puts a float constant that nobody reads: the
// other dtype counts. Truth values and floats meet as floats.
Values of_one_dtype(Node& n, const Values& both) {
  auto a = n.need_dtype(both[0]), b = n.need_dtype(both[1]);
  if (a == b || n.is_sequence(both[0])) return both;
  if (n.constant(both[0])) return {n.cast(both[0], b), both[1]};
  if (n.constant(both[1])) return {both[0], n.cast(both[1], a)};
  n.require((a == DType::boolean && is_floating(b)) || (b == DType::boolean && is_floating(a)),
            "the branches give different dtypes");
  auto common = a == DType::boolean ? b : a;
  return {n.cast(both[0], common), n.cast(both[1], common)};
}

// The halves of a fork are one value already.
void select_input(Node& n) {
  auto from = n.ins("X");
  n.require(from.size() == 2,
            "selects from " + std::to_string(from.size()) + " values where 2 belong");
  if (from[0] == from[1]) return n.out("Out", from[0]);
  auto mask = n.cast(n.in("Mask"), DType::boolean);
  from = of_one_dtype(n, from);
  n.out("Out", chosen(n, mask, give(n, "then", {from[1]}), give(n, "else", {from[0]}))[0]);
}

// ---- loops ----

// A variable that is written before it is read in the loop may hold anything of another type
// before.
Value of_declared_type(Node& n, const std::string& name, Value v) {
  const VarDesc* var = n.var(name);
  if (!var || n.is_sequence(v) || !row_of(var->dtype)) return v;
  v = n.cast(v, var->dtype);
  auto dims = n.shape(v);
  bool one = dims && std::all_of(dims->begin(), dims->end(), [](std::int64_t d) { return d == 1; });
  return one && dims->size() != var->shape.size() ? n.reshape(v, Ints(var->shape.size(), 1)) : v;
}

struct Carried {
  Strings names;
  Values initial;
};

Carried carried_by(Node& n, const std::string& condition) {
  Carried all;
  std::set<std::string_view> seen{"", condition};
  for (const std::string& name : n.out_names("Out")) {
    if (!seen.insert(name).second) continue;
    const VarDesc* var = n.var(name);
    if (n.is_bound(name)) {
      all.initial.push_back(of_declared_type(n, name, n.lookup(name)));
    } else if (var && var->kind == Kind::array) {
      all.initial.push_back(n.empty_sequence(var->dtype));
    } else {
      continue;  // lives inside
    }
    all.names.push_back(name);
  }
  return all;
}

Value same_dtype(Node& n, const Value& v, const Value& like) {
  return n.is_sequence(v) ? v : n.cast(v, n.need_dtype(like));
}

void while_loop(Node& n) {
  const std::string condition = only(n, n.op().inputs, "Condition");
  Carried carried = carried_by(n, condition);
  Values last;
  auto body = n.subgraph("body", [&](Node& b) {
    b.formal("iteration", DType::int64, Ints{});
    b.bind(condition, b.formal(condition, DType::boolean, Ints{}));
    for (std::size_t i = 0; i < carried.names.size(); ++i)
      b.bind(carried.names[i], b.formal_like(carried.names[i], carried.initial[i]));
    b.run_block(b.attr("sub_block", 0));
    b.result(as_scalar(b, b.cast(b.lookup(condition), DType::boolean)));
    for (std::size_t i = 0; i < carried.names.size(); ++i)
      last.push_back(same_dtype(b, b.lookup(carried.names[i]), carried.initial[i]));
    for (const Value& v : last) b.result(v);
  });
  Values in{"", as_scalar(n, n.lookup(condition))};
  in.insert(in.end(), carried.initial.begin(), carried.initial.end());
  auto made = n.emit_n(carried.names.size(), "Loop", in, {{"body", body}});
  for (std::size_t i = 0; i < made.size(); ++i) {
    n.declare_either(made[i], carried.initial[i], last[i]);
    n.bind(carried.names[i], made[i]);
  }
  n.bind(condition, n.scalar(0, DType::boolean));  // or it would run on
}

// ---- lists of tensors ----

Value position(Node& n) { return as_scalar(n, n.cast(n.in("I"), DType::int64)); }

// Whether the position is the length of the list: what `append` writes.
bool appends(const Node& n, const std::string& list) {
  const OpDesc* writer = n.writer(n.names("I").at(0));
  return writer && writer->type == "lod_array_length" && holds(listed(writer->inputs, "X"), list);
}

// Replaces an element, or appends one.
Value written(Node& n, const Value& list, const Value& x, const Value& at) {
  auto inside = n.emit("Less", {at, n.emit("SequenceLength", {list})});
  Branch yes, no;
  yes.graph = n.subgraph("then", [&](Node& b) {
    yes.results = {b.emit("SequenceInsert", {b.emit("SequenceErase", {list, at}), x, at})};
    b.result(yes.results[0]);
  });
  no.graph = n.subgraph("else", [&](Node& b) {
    no.results = {b.emit("SequenceInsert", {list, x, at})};
    b.result(no.results[0]);
  });
  return chosen(n, inside, yes, no)[0];
}

void write_to_array(Node& n) {
  auto x = n.in("X"), at = position(n);
  const std::string& name = only(n, n.op().outputs, "Out");
  bool is_new = !n.is_bound(name);
  auto list = is_new ? n.empty_sequence(n.need_dtype(x)) : n.lookup(name);
  if (appends(n, name)) return n.out("Out", n.emit("SequenceInsert", {list, x}));
  n.out("Out", is_new ? n.emit("SequenceInsert", {list, x, at}) : written(n, list, x, at));
}

void read_from_array(Node& n) { n.out("Out", n.emit("SequenceAt", {n.in("X"), position(n)})); }

void array_length(Node& n) { out_scalar(n, "Out", n.emit("SequenceLength", {n.in_or_empty("X")})); }

// The list without `count` elements at its end, or at its front.
Value without(Node& n, const Value& list, const Value& count, bool front) {
  auto body = n.subgraph("body", [&](Node& b) {
    b.formal("iteration", DType::int64, Ints{});
    auto condition = b.formal("condition", DType::boolean, Ints{});
    auto left = b.formal_like("list", list);
    b.result(b.emit("Identity", {condition}));
    b.result(front ? b.emit("SequenceErase", {left, b.scalar(0, DType::int64)})
                   : b.emit("SequenceErase", {left}));
  });
  auto made = n.emit("Loop", {count, "", list}, {{"body", body}});
  n.declare_either(made, list, list);
  return made;
}

void array_to_tensor(Node& n) {
  std::int64_t stacked = n.attr("use_stack", false);
  n.out("Out", n.emit("ConcatFromSequence", {n.in("X")},
                      {{"axis", n.attr("axis", 0)}, {"new_axis", stacked}}));
}

}  // namespace

void slice_of_list(Node& n, const Value& list, const Value& start, const Value& end) {
  if (!n.attr("decrease_axis", Ints{}).empty())
    return n.out("Out", n.emit("SequenceAt", {list, as_scalar(n, start)}));
  auto length = n.emit("SequenceLength", {list});
  Expr size(n, length), first(n, as_scalar(n, start)), last(n, as_scalar(n, end));
  Expr none(n, n.scalar(0, DType::int64));
  auto from_front = [&](const Expr& at) { return where(at < 0, at + size, at); };
  auto stop = from_front(Expr(n, n.cast(last, DType::int64)));
  auto begin = from_front(Expr(n, n.cast(first, DType::int64)));
  auto shorter = without(n, list, where(stop < size, size - stop, none), false);
  n.out("Out", without(n, shorter, where(begin > 0, begin, none), true));
}

std::span<const Rule> control_rules() {
  static const Rule rules[] = {
      {"conditional_block", 11, conditional_block, {.offsets = Facts::none}},
      {"select_input", 11, select_input, {.offsets = Facts::none}},
      {"while", 13, while_loop, {.offsets = Facts::none}},
      {"write_to_array", 13, write_to_array},
      {"read_from_array", 11, read_from_array},
      {"lod_array_length", 11, array_length},
      {"tensor_array_to_tensor", 11, array_to_tensor},
  };
  return rules;
}

}  // namespace oarlock
