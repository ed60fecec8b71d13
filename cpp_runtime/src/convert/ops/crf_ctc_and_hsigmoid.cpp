// Path algorithms on sequences and trees: Viterbi decoding, CTC loss, hierarchical sigmoid.
#include <cmath>

#include "convert/lod_sequences.h"
#include "convert/operands.h"
#include "convert/registry.h"
#include "convert/scan_builder.h"

namespace oarlock {
namespace {

Expr argmax(const Expr& x, std::int64_t axis) {
  return {x.context(),
          x.context().emit("ArgMax", {x}, {{"axis", axis}, {"keepdims", std::int64_t{0}}})};
}

// The element of each row of `rows` at the index in `at` [B,1].
Expr gather_one_entry_per_row(const Expr& rows, const Expr& at) {
  return {rows.context(),
          rows.context().emit("GatherElements", {rows, at}, {{"axis", std::int64_t{1}}})};
}

// ---- Viterbi decoding ----

// Scores of a tag at the start and at the end [N], and of transitions [N,N].
struct TransitionScores {
  Expr start, end, transition;
};

struct ViterbiScores {
  Expr final_scores,
      best_previous;  // scores at each sequence's end [B,N]; best previous tag [B,T,N]
};

// x: [B,T,N]
ViterbiScores viterbi_scores(const TransitionScores& chain, const Expr& x, const Expr& lengths) {
  NodeContext& n = x.context();
  auto step = [&](const Exprs& before, const Exprs& now) -> IterationResult {
    const Expr& t = before[2];
    auto each = unsqueeze_last(before[0]) + chain.transition;
    auto score = where(t == 0, chain.start, reduce("ReduceMax", each, {1})) + now[0];
    auto so_far =
        where(t == 0, score, before[1]);  // an empty sequence has a start but no end, as in Paddle
    auto ended = where(unsqueeze_last(lengths) > t, score + chain.end, so_far);
    return {{score, ended, t + 1}, {argmax(each, 1)}};
  };
  auto nothing = full_like(x, 0, shape_except_axis(n, x, 1));
  auto done = build_scan(n, {1}, {nothing, nothing, {n, n.int64_scalar(0)}}, {x}, step);
  return {done.states[1], done.outputs[0]};
}

// The tags of the best path, found from the last step to the first: [B,T], 0 beyond the end of a
// sequence. longest: T as int64[]
Expr backtrack_tags(const ViterbiScores& scores, const Expr& lengths, const Expr& longest) {
  NodeContext& n = lengths.context();
  auto back = [&](const Exprs& last, const Exprs& from) -> IterationResult {
    const Expr &tag = last[0], &t = last[1];
    auto inside = lengths > t;
    Expr before(n, n.squeeze(gather_one_entry_per_row(from[0], unsqueeze_last(tag)), {1}));
    return {{where(inside, before, tag), t - 1}, {where(inside, tag, 0)}};
  };
  return build_scan(n, {1, true}, {argmax(scores.final_scores, 1), longest - 1},
                    {scores.best_previous}, back)
      .outputs[0];
}

Expr gather_row(const Expr& table, std::int64_t at) {
  return gather_rows(table, table.context().int64_scalar(at));
}

// With `include_bos_eos_tag`, the last tag is the start of every sequence and the last but one is
// its end.
void viterbi_decode(NodeContext& n) {
  auto x = input_expr(n, "Input"), transition = input_expr(n, "Transition");
  n.require(n.require_known_rank(x) == 3, "needs Input [batch, time, tags]");
  Expr lengths(n, as_int64_vector(n, n.input("Length"))), longest = reduce("ReduceMax", lengths);
  bool tags = n.attr("include_bos_eos_tag", true);
  auto first = tags ? gather_row(transition, -1) : gather_row(transition, -1).scalar_like(0);
  auto last = tags ? gather_row(transition, -2) : first;
  auto steps = x.emit("Slice", {n.int64_vector({0}), n.reshape(longest, {1}), n.int64_vector({1})});
  auto scores = viterbi_scores({first, last, transition}, steps, lengths);
  n.set_output("Scores", reduce("ReduceMax", scores.final_scores, {1}));
  n.set_output("Path", backtrack_tags(scores, lengths, longest));
}

// Returns the tags with the best score for each sequence (Viterbi). The first row of the input
// Transition contains the start scores of the tags, the second row their end scores.
Expr decode_crf_tags(const Expr& x, const Expr& lengths) {
  NodeContext& n = x.context();
  auto weights = input_expr(n, "Transition");
  n.require(n.require_known_rank(x) == 3, "needs Emission of one row of tags for each word");
  Expr transition(n, n.slice(weights, {2}, {INT64_MAX}, {0})), longest(n, dim_as_scalar(n, x, 1));
  return backtrack_tags(
      viterbi_scores({gather_row(weights, 0), gather_row(weights, 1), transition}, x, lengths),
      lengths, longest);
}

// Outputs the best tags; if there is an input Label, 1 for each tag that equals its label, else 0.
void crf_decoding(NodeContext& n) {
  auto x = input_expr(n, "Emission");
  auto compare_with_label = [&](const Expr& tags) {
    if (!n.has_input("Label")) return tags;
    return (tags == Expr(n, reshape_like(n, n.input("Label"), tags)).to(DType::int64))
        .to(DType::int64);
  };
  if (n.has_input("Length")) {
    Expr lengths(n, as_int64_vector(n, n.input("Length"))),
        steps = arange(n, dim_as_scalar(n, x, 1));
    return n.set_output("ViterbiPath", where(steps < unsqueeze_last(lengths),
                                             compare_with_label(decode_crf_tags(x, lengths)), 0));
  }
  auto sequences = require_input_row_partition(n, "Emission");
  auto at = emit_padded_row_indices_and_mask(sequences);
  n.set_output("ViterbiPath",
               compare_with_label(unsqueeze_last(pack_sequences(
                   decode_crf_tags(pad_sequences(x, at), sequences.lengths()), at.mask))));
}

// ---- warpctc: forward algorithm of A.  Graves et al., "Connectionist Temporal Classification"
// ----

// The state sequence of a label: blank, class, blank, ..., blank. [B,2S+1]
Expr ctc_state_classes(NodeContext& n, const Expr& lengths) {
  auto labels = input_expr(n, "Label").to(DType::int64);
  auto blank = static_cast<double>(n.attr("blank", 0));
  auto positions = arange(n, dim_as_scalar(n, labels, 1));
  auto classes = where(positions < unsqueeze_last(lengths), labels, blank);
  auto blanks = full_like(labels, blank, n.emit_shape(labels));
  auto pairs = n.concat({unsqueeze_last(blanks), unsqueeze_last(classes)}, 2);
  auto last = n.emit("Expand", {n.int64_scalar(n.attr("blank", 0)),
                                n.concat({dim_as_vector(n, labels, 0), n.int64_vector({1})}, 0)});
  return {n, n.concat({n.reshape(pairs, {0, -1}), last}, 1)};
}

// Shifts log probabilities to the state that is `by` states later; the first `by` states get
// -infinity.
Expr shift_states(const Expr& alpha, std::int64_t by) {
  NodeContext& n = alpha.context();
  auto longer = alpha.emit("Pad", {n.int64_vector({0, by, 0, 0}), alpha.scalar_like(-INFINITY)});
  return {n, n.slice(longer, {0}, {-by}, {1})};
}

// Whether a CTC path may enter a state without passing the blank before it: only if the state is a
// class that differs from the class before that blank.
Expr mask_of_states_entered_past_blank(const Expr& classes, std::int64_t blank) {
  NodeContext& n = classes.context();
  auto shifted = classes.emit("Pad", {n.int64_vector({0, 2, 0, 0}), n.int64_scalar(blank)});
  Expr before(n, n.slice(shifted, {0}, {-2}, {1}));
  return !(classes == static_cast<double>(blank)) && !(classes == before);
}

// The log of the total probability of all paths that end in each state at the end of the sequence.
// logs: of the states' classes [T,B,P]
Expr ctc_log_probabilities_at_end(const Expr& logs, const Expr& skips, const Expr& times) {
  NodeContext& n = logs.context();
  auto positions = arange(n, dim_as_scalar(n, logs, 2));
  auto start = where(positions == 0, 0, full_like(logs, -INFINITY, shape_except_axis(n, logs, 0)));
  auto step = [&](const Exprs& last, const Exprs& now) -> IterationResult {
    auto jumped = where(skips, shift_states(last[0], 2), -INFINITY);
    auto alpha = log_add_exp(log_add_exp(last[0], shift_states(last[0], 1)), jumped) + now[0],
         t = last[2] + 1;
    return {{alpha, where(unsqueeze_last(times) == t, alpha, last[1]), t}, {}};
  };
  return build_scan(n, {0}, {start, start, {n, n.int64_scalar(0)}}, {logs}, step).states[1];
}

void warpctc(NodeContext& n) {
  n.require(n.has_input("LogitsLength") && n.has_input("LabelLength"),
            "sequences of levels have no lowering");
  auto x = input_expr(n, "Logits");
  n.require(n.require_known_rank(x) == 3, "needs Logits [time, batch, classes]");
  Expr times(n, as_int64_vector(n, n.input("LogitsLength"))),
      lengths(n, as_int64_vector(n, n.input("LabelLength")));
  auto classes = ctc_state_classes(n, lengths);
  Expr log_probabilities(n, n.emit("LogSoftmax", {x}, {{"axis", std::int64_t{2}}}));
  auto shape = n.concat({dim_as_vector(n, x, 0), n.emit_shape(classes)}, 0);
  auto spread = n.emit("Expand", {classes, shape});
  Expr logs(n, n.emit("GatherElements", {log_probabilities, spread}, {{"axis", std::int64_t{2}}}));
  auto ended = ctc_log_probabilities_at_end(
      logs, mask_of_states_entered_past_blank(classes, n.attr("blank", 0)), times);
  auto end = unsqueeze_last(lengths * 2);
  auto in_class = where(end > 0, gather_one_entry_per_row(ended, max(end - 1, 0)), -INFINITY);
  n.set_output("Loss", -log_add_exp(gather_one_entry_per_row(ended, end), in_class));
}

// ---- hierarchical_sigmoid: F. Morin and Y. Bengio, "Hierarchical Probabilistic Neural Network
// Language Model" ----

// The paths from the root to the leaf of each label, of at most L nodes; [N,L] each: the weight row
// of a node, its code (0 or 1), and whether the path has this node.
struct TreePath {
  Expr nodes, codes, valid;
};

TreePath read_custom_tree_path(NodeContext& n) {
  auto table = input_expr(n, "PathTable").to(DType::int64),
       code = input_expr(n, "PathCode").to(DType::int64);
  auto ends = (table < 0).to(DType::int64).emit("CumSum", {n.int64_scalar(1)});
  auto valid = ends == 0;
  return {where(valid, table, 0), where(valid, code, 0), valid};
}

// The paths in the complete binary tree, in which the root has the number 1 and the leaf of class c
// the number c + num_classes.
TreePath path_in_complete_binary_tree(NodeContext& n) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  auto classes = n.attr("num_classes", 2);
  n.require(classes >= 2 && classes <= most,
            "attribute 'num_classes' is " + std::to_string(classes));
  Ints halves;
  for (std::int64_t size = 1; size < classes; size *= 2) halves.push_back(size);
  Expr leaf =
      unsqueeze_last({n, as_int64_vector(n, n.input("Label"))}) + static_cast<double>(classes);
  auto here = leaf / Expr(n, n.int64_vector(halves)), above = here / 2;
  auto valid = above > 0;
  return {where(valid, above - 1, 0), where(valid, here - above * 2, 0), valid};
}

void hierarchical_sigmoid(NodeContext& n) {
  auto x = input_expr(n, "X"), w = input_expr(n, "W");
  auto dtype = n.require_known_dtype(x);
  auto [nodes, turns, valid] =
      n.has_input("PathTable") ? read_custom_tree_path(n) : path_in_complete_binary_tree(n);
  auto rows = [&](Value of) { return gather_rows({n, of}, nodes); };
  Expr scores(n, n.squeeze(rows(w).emit("MatMul", {unsqueeze_last(x)}), {-1}));
  if (n.has_input("Bias")) scores = scores + rows(n.reshape(n.input("Bias"), {-1}));
  scores = min(max(scores, -40), 40) * valid.to(dtype);
  auto soft = log(exp(scores) + 1);
  n.set_output("Out", sum(soft - turns.to(dtype) * scores, {1}, true));
  n.set_output("PreOut", soft);
  n.set_output("W_Out", w);
}

}  // namespace

std::span<const Rule> crf_ctc_and_hsigmoid_rules() {
  static const Rule rules[] = {
      {"viterbi_decode", 13, viterbi_decode},
      {"crf_decoding", 13, crf_decoding, {.ignore_declared_shape = true}},
      {"warpctc", 13, warpctc},
      {"hierarchical_sigmoid", 13, hierarchical_sigmoid},
  };
  return rules;
}

}  // namespace oarlock
