// Ways through sequences and trees: the best one, the sum over all, the one to a label.
#include <cmath>

#include "convert/lod_sequences.h"
#include "convert/operands.h"
#include "convert/registry.h"
#include "convert/scan_builder.h"

namespace oarlock {
namespace {

Expr best_of(const Expr& x, std::int64_t axis) {
  return {x.node(), x.node().emit("ArgMax", {x}, {{"axis", axis}, {"keepdims", std::int64_t{0}}})};
}

// Elements [B,1] of rows, one per row.
Expr entry(const Expr& rows, const Expr& at) {
  return {rows.node(), rows.node().emit("GatherElements", {rows, at}, {{"axis", std::int64_t{1}}})};
}

// ---- the best tags of a chain ----

// What each tag is worth as the first and as the last one [N], and after each other [N,N].
struct Chain {
  Expr first, last, transition;
};

struct Forward {
  Expr ended, came;  // scores where each sequence ends [B,N]; the best tag before each [B,T,N]
};

// x: [B,T,N]
Forward best_scores(const Chain& chain, const Expr& x, const Expr& lengths) {
  Node& n = x.node();
  auto step = [&](const Exprs& before, const Exprs& now) -> Step {
    const Expr& t = before[2];
    auto each = as_column(before[0]) + chain.transition;
    auto score = where(t == 0, chain.first, reduce("ReduceMax", each, {1})) + now[0];
    auto so_far = where(
        t == 0, score, before[1]);  // a sequence of nothing is begun, and never ended: as in Paddle
    auto ended = where(as_column(lengths) > t, score + chain.last, so_far);
    return {{score, ended, t + 1}, {best_of(each, 1)}};
  };
  auto nothing = filled_like(x, 0, shape_without(n, x, 1));
  auto done = walk(n, {1}, {nothing, nothing, {n, n.int_scalar(0)}}, {x}, step);
  return {done.states[1], done.kept[0]};
}

// [B,T], 0 behind the end.   longest: T as int64[]
Expr best_tags(const Forward& found, const Expr& lengths, const Expr& longest) {
  Node& n = lengths.node();
  auto back = [&](const Exprs& last, const Exprs& from) -> Step {
    const Expr &tag = last[0], &t = last[1];
    auto inside = lengths > t;
    Expr before(n, n.squeeze(entry(from[0], as_column(tag)), {1}));
    return {{where(inside, before, tag), t - 1}, {where(inside, tag, 0)}};
  };
  return walk(n, {1, true}, {best_of(found.ended, 1), longest - 1}, {found.came}, back).kept[0];
}

Expr row_of(const Expr& table, std::int64_t at) {
  return rows_at(table, table.node().int_scalar(at));
}

// The last tag starts every sequence and the last but one ends it, where they do.
void viterbi_decode(Node& n) {
  auto x = in(n, "Input"), transition = in(n, "Transition");
  n.require(n.need_rank(x) == 3, "needs Input [batch, time, tags]");
  Expr lengths(n, as_vector(n, n.in("Length"))), longest = reduce("ReduceMax", lengths);
  bool tags = n.attr("include_bos_eos_tag", true);
  auto first = tags ? row_of(transition, -1) : row_of(transition, -1).number(0);
  auto last = tags ? row_of(transition, -2) : first;
  auto steps = x.emit("Slice", {n.ints({0}), n.reshape(longest, {1}), n.ints({1})});
  auto found = best_scores({first, last, transition}, steps, lengths);
  n.out("Scores", reduce("ReduceMax", found.ended, {1}));
  n.out("Path", best_tags(found, lengths, longest));
}

// The first row of Transition is what a tag is worth at the start, the second at the end.
Expr crf_tags(const Expr& x, const Expr& lengths) {
  Node& n = x.node();
  auto weights = in(n, "Transition");
  n.require(n.need_rank(x) == 3, "needs Emission of one row of tags for each word");
  Expr transition(n, n.slice(weights, {2}, {INT64_MAX}, {0})), longest(n, length_along(n, x, 1));
  return best_tags(best_scores({row_of(weights, 0), row_of(weights, 1), transition}, x, lengths),
                   lengths, longest);
}

// With labels: whether each is the one.
void crf_decoding(Node& n) {
  auto x = in(n, "Emission");
  auto judged = [&](const Expr& tags) {
    if (!n.has("Label")) return tags;
    return (tags == Expr(n, reshape_like(n, n.in("Label"), tags)).to(DType::int64))
        .to(DType::int64);
  };
  if (n.has("Length")) {
    Expr lengths(n, as_vector(n, n.in("Length"))), steps = counted(n, length_along(n, x, 1));
    return n.out("ViterbiPath", where(steps < as_column(lengths), judged(crf_tags(x, lengths)), 0));
  }
  auto sequences = sequences_of(n, "Emission");
  auto at = places(sequences);
  n.out("ViterbiPath",
        judged(as_column(packed(crf_tags(padded(x, at), sequences.lengths()), at.inside))));
}

// ---- warpctc: the forward half of A. Graves et al., "Connectionist Temporal Classification" ----

// A label as a path: a blank, a class, a blank, ..., a blank.   [B,2S+1]
Expr path_of(Node& n, const Expr& lengths) {
  auto labels = in(n, "Label").to(DType::int64);
  auto blank = static_cast<double>(n.attr("blank", 0));
  auto places = counted(n, length_along(n, labels, 1));
  auto classes = where(places < as_column(lengths), labels, blank);
  auto blanks = filled_like(labels, blank, n.shape_of(labels));
  auto pairs = n.concat({as_column(blanks), as_column(classes)}, 2);
  auto last = n.emit("Expand", {n.int_scalar(n.attr("blank", 0)),
                                n.concat({size_along(n, labels, 0), n.ints({1})}, 0)});
  return {n, n.concat({n.reshape(pairs, {0, -1}), last}, 1)};
}

// Every state's value, `by` states later.
Expr moved(const Expr& alpha, std::int64_t by) {
  Node& n = alpha.node();
  auto longer = alpha.emit("Pad", {n.ints({0, by, 0, 0}), alpha.number(-INFINITY)});
  return {n, n.slice(longer, {0}, {-by}, {1})};
}

// Where a state may follow the last but one: at a class that is another than the one before.
Expr skips_of(const Expr& classes, std::int64_t blank) {
  Node& n = classes.node();
  auto shifted = classes.emit("Pad", {n.ints({0, 2, 0, 0}), n.int_scalar(blank)});
  Expr before(n, n.slice(shifted, {0}, {-2}, {1}));
  return !(classes == static_cast<double>(blank)) && !(classes == before);
}

// ln of the probability of all paths to each state where its sequence ends.   logs: of the states'
// classes [T,B,P]
Expr path_sums(const Expr& logs, const Expr& skips, const Expr& times) {
  Node& n = logs.node();
  auto places = counted(n, length_along(n, logs, 2));
  auto start = where(places == 0, 0, filled_like(logs, -INFINITY, shape_without(n, logs, 0)));
  auto step = [&](const Exprs& last, const Exprs& now) -> Step {
    auto jumped = where(skips, moved(last[0], 2), -INFINITY);
    auto alpha = log_add_exp(log_add_exp(last[0], moved(last[0], 1)), jumped) + now[0],
         t = last[2] + 1;
    return {{alpha, where(as_column(times) == t, alpha, last[1]), t}, {}};
  };
  return walk(n, {0}, {start, start, {n, n.int_scalar(0)}}, {logs}, step).states[1];
}

void warpctc(Node& n) {
  n.require(n.has("LogitsLength") && n.has("LabelLength"), "sequences of levels have no lowering");
  auto x = in(n, "Logits");
  n.require(n.need_rank(x) == 3, "needs Logits [time, batch, classes]");
  Expr times(n, as_vector(n, n.in("LogitsLength"))), lengths(n, as_vector(n, n.in("LabelLength")));
  auto classes = path_of(n, lengths);
  Expr every(n, n.emit("LogSoftmax", {x}, {{"axis", std::int64_t{2}}}));
  auto shape = n.concat({size_along(n, x, 0), n.shape_of(classes)}, 0);
  auto spread = n.emit("Expand", {classes, shape});
  Expr logs(n, n.emit("GatherElements", {every, spread}, {{"axis", std::int64_t{2}}}));
  auto ended = path_sums(logs, skips_of(classes, n.attr("blank", 0)), times);
  auto end = as_column(lengths * 2);
  auto in_class = where(end > 0, entry(ended, max(end - 1, 0)), -INFINITY);
  n.out("Loss", -log_add_exp(entry(ended, end), in_class));
}

// ---- hierarchical_sigmoid: F. Morin and Y. Bengio, "Hierarchical Probabilistic Neural Network
// Language Model" ----

// The way from the root to each label, [N,L] each: rows of the weight, 0 or 1, and whether it goes
// that far.
struct Way {
  Expr nodes, turns, valid;
};

Way given_way(Node& n) {
  auto table = in(n, "PathTable").to(DType::int64), code = in(n, "PathCode").to(DType::int64);
  auto ends = (table < 0).to(DType::int64).emit("CumSum", {n.int_scalar(1)});
  auto valid = ends == 0;
  return {where(valid, table, 0), where(valid, code, 0), valid};
}

// In the complete tree the leaf of class c has the number c + num_classes, and the root is 1.
Way way_in_tree(Node& n) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  auto classes = n.attr("num_classes", 2);
  n.require(classes >= 2 && classes <= most,
            "attribute 'num_classes' is " + std::to_string(classes));
  Ints halves;
  for (std::int64_t size = 1; size < classes; size *= 2) halves.push_back(size);
  Expr leaf = as_column({n, as_vector(n, n.in("Label"))}) + static_cast<double>(classes);
  auto here = leaf / Expr(n, n.ints(halves)), above = here / 2;
  auto valid = above > 0;
  return {where(valid, above - 1, 0), where(valid, here - above * 2, 0), valid};
}

void hierarchical_sigmoid(Node& n) {
  auto x = in(n, "X"), w = in(n, "W");
  auto dtype = n.need_dtype(x);
  auto [nodes, turns, valid] = n.has("PathTable") ? given_way(n) : way_in_tree(n);
  auto rows = [&](const Value& of) { return rows_at({n, of}, nodes); };
  Expr scores(n, n.squeeze(rows(w).emit("MatMul", {as_column(x)}), {-1}));
  if (n.has("Bias")) scores = scores + rows(n.reshape(n.in("Bias"), {-1}));
  scores = min(max(scores, -40), 40) * valid.to(dtype);
  auto soft = log(exp(scores) + 1);
  n.out("Out", sum(soft - turns.to(dtype) * scores, {1}, true));
  n.out("PreOut", soft);
  n.out("W_Out", w);
}

}  // namespace

std::span<const Rule> decode_rules() {
  static const Rule rules[] = {
      {"viterbi_decode", 13, viterbi_decode},
      {"crf_decoding", 13, crf_decoding, {.careless = true}},
      {"warpctc", 13, warpctc},
      {"hierarchical_sigmoid", 13, hierarchical_sigmoid},
  };
  return rules;
}

}  // namespace oarlock
