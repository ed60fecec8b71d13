// Losses and accuracy.
#include <cmath>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// ---- classes ----

// Entries of `scores` at the labels, and whether the label is ignored. label: like scores, of size
// 1 along axis
struct LabelScoresAndIgnoredMask {
  Expr scores, ignored;
};

LabelScoresAndIgnoredMask gather_label_scores_and_ignored_mask(NodeContext& n, Value scores,
                                                               Value label, std::int64_t axis,
                                                               std::int64_t ignore) {
  Expr at(n, n.cast(label, DType::int64));
  auto ignored = at == static_cast<double>(ignore);
  Expr safe(n, invalidate_negative_indices(n, where(ignored, 0, at)));
  auto entries = n.emit("GatherElements", {scores, safe}, {{"axis", axis}});
  return {Expr(n, entries), ignored};
}

Expr hard_label_loss(NodeContext& n, const Expr& logp, std::int64_t axis) {
  auto label = n.input("Label");
  if (n.require_known_rank(label) < n.rank(logp)) label = n.unsqueeze(label, {axis});
  auto [scores, ignored] =
      gather_label_scores_and_ignored_mask(n, logp, label, axis, n.attr("ignore_index", -100));
  return where(ignored, 0, -scores);
}

void softmax_with_cross_entropy(NodeContext& n) {
  auto x = input_expr(n, "Logits");
  auto axis = n.normalized_axis_attr("axis", -1, n.require_known_rank(x));
  bool probabilities = !n.attr("use_softmax", true);
  auto logp = probabilities ? log(x) : Expr(n, n.emit("LogSoftmax", {x}, {{"axis", axis}}));
  auto soft = [&]() -> Value { return -sum(input_expr(n, "Label") * logp, {axis}, true); };
  n.set_output("Loss", n.attr("soft_label", false) ? soft() : hard_label_loss(n, logp, axis));
  n.set_output("Softmax", probabilities ? x : n.emit("Softmax", {x}, {{"axis", axis}}));
}

// The class weight of the label of each element; zero for ignored labels.
Expr gather_class_weights(NodeContext& n, const Expr& label, const Expr& ignored, DType dtype) {
  if (!n.has_input("Weight")) return where(ignored, 0, 1, dtype);
  Expr weights(n, n.emit("Gather", {n.input("Weight"), where(ignored, 0, label)},
                         {{"axis", std::int64_t{0}}}));
  return where(ignored, 0, weights);
}

void nll_loss(NodeContext& n) {
  auto x = input_expr(n, "X"), label = input_expr(n, "Label").to(DType::int64);
  auto dtype = n.require_known_dtype(x);
  auto [scores, column] = gather_label_scores_and_ignored_mask(n, x, n.unsqueeze(label, {1}), 1,
                                                               n.attr("ignore_index", -100));
  auto weights = gather_class_weights(n, label, Expr(n, n.squeeze(column, {1})), dtype);
  auto losses = -(Expr(n, n.squeeze(scores, {1})) * weights);
  auto reduction = n.attr("reduction", "mean");
  auto weight = sum(weights);
  set_scalar_output_as_declared(n, "Total_weight",
                                reduction == "none" ? n.scalar(0, dtype) : weight);
  if (reduction == "none") return n.set_output("Out", losses);
  set_scalar_output_as_declared(
      n, "Out", reduction == "sum" ? sum(losses) : sum(losses) / where(weight == 0, 1, weight));
}

// ---- probabilities ----

// -label * log(x) - (1 - label) * log(1 - x), logarithms clipped at -100
void bce_loss(NodeContext& n) {
  auto x = input_expr(n, "X"), label = input_expr(n, "Label");
  auto yes = max(log(x), -100), no = max(log(1 - x), -100);
  n.set_output("Out", (label - 1) * no - label * yes);
}

void lower_sigmoid_cross_entropy_op(NodeContext& n) {
  auto x = input_expr(n, "X"), label = input_expr(n, "Label");
  auto soft = log(exp(-abs(x)) + 1);  // log(1 + exp(-|x|)) does not overflow
  auto ignored = label == static_cast<double>(n.attr("ignore_index", -100));
  // With pos_weight and x < 0, the formula deviates from Paddle 2.6, whose loss is wrong there.
  auto plain = n.has_input("pos_weight")
                   ? (1 - label) * x + (soft + relu(-x)) * input_expr(n, "pos_weight")
                   : relu(x) - x * label + soft;
  auto loss = where(ignored, 0, plain);
  if (!n.attr("normalize", false)) return n.set_output("Out", loss);
  n.set_output("Out", loss / max(sum(where(ignored, 0, 1, n.require_known_dtype(x))), 1e-6));
}

// `losses` reduced by `mean`, `sum` or `batchmean` (the sum divided by the size of the first dim),
// or unchanged for `none`.
Value reduce_loss(NodeContext& n, Value losses, const std::string& reduction) {
  if (reduction == "none") return losses;
  Expr y(n, reduce(n, reduction == "mean" ? "ReduceMean" : "ReduceSum", losses, {}, false));
  if (reduction != "batchmean") return y;
  return y / Expr(n, n.squeeze(dim_as_vector(n, losses, 0), {0})).to(n.require_known_dtype(losses));
}

// target * (log(target) - x), 0 for zero probability
void kldiv_loss(NodeContext& n) {
  auto x = input_expr(n, "X"), target = input_expr(n, "Target");
  auto any = target > 0;
  auto losses = where(any, target * (log(where(any, target, 1)) - x), 0);
  set_scalar_output_as_declared(n, "Loss", reduce_loss(n, losses, n.attr("reduction", "mean")));
}

// ---- regression ----

// The Huber loss: quadratic for residuals up to delta, linear beyond.
void huber_loss(NodeContext& n) {
  auto residual = input_expr(n, "Y") - input_expr(n, "X"), magnitude = abs(residual);
  double delta = n.attr("delta", 1.0f);
  n.set_output("Out", where(magnitude > delta, delta * (magnitude - delta / 2),
                            0.5 * (residual * residual)));
  n.set_output("Residual", residual);
}

// (1 - e) * x + e * prior; the prior is uniform by default
void label_smooth(NodeContext& n) {
  auto x = input_expr(n, "X");
  double e = n.attr("epsilon", 0.0f);
  auto scaled = x * (1 - e);
  if (n.has_input("PriorDist")) return n.set_output("Out", scaled + input_expr(n, "PriorDist") * e);
  auto classes = n.dim(x, -1);
  if (classes > 0) return n.set_output("Out", scaled + e / static_cast<double>(classes));
  n.set_output(
      "Out", scaled + e / Expr(n, n.squeeze(dim_as_vector(n, x, n.require_known_rank(x) - 1), {0}))
                              .to(n.require_known_dtype(x)));
}

// Outputs the number and the share of the rows whose predicted classes contain the label.
void accuracy(NodeContext& n) {
  auto indices = input_expr(n, "Indices").to(DType::int64),
       label = input_expr(n, "Label").to(DType::int64);
  auto hit = reduce(n, "ReduceMax", n.cast(indices == label, DType::float32), {1}, false);
  auto correct = reduce(n, "ReduceSum", hit, {}, false),
       share = reduce(n, "ReduceMean", hit, {}, false);
  set_scalar_output_as_declared(n, "Accuracy", share);
  set_scalar_output_as_declared(n, "Correct", n.cast(correct, DType::int32));
  set_scalar_output_as_declared(n, "Total",
                                n.cast(n.squeeze(dim_as_vector(n, indices, 0), {0}), DType::int32));
}

}  // namespace

std::span<const Rule> loss_rules() {
  static const Rule rules[] = {
      {"softmax_with_cross_entropy", 13, softmax_with_cross_entropy},
      {"nll_loss", 11, nll_loss},
      {"bce_loss", 8, bce_loss},
      {"sigmoid_cross_entropy_with_logits", 11, lower_sigmoid_cross_entropy_op},
      {"kldiv_loss", 11, kldiv_loss},
      {"huber_loss", 9, huber_loss},
      {"label_smooth", 7, label_smooth},
      {"accuracy", 11, accuracy},
  };
  return rules;
}

}  // namespace oarlock
