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
struct LabelEntries {
  Expr scores, ignored;
};

LabelEntries label_entries(NodeContext& n, Value scores, Value label, std::int64_t axis,
                           std::int64_t ignore) {
  Expr at(n, n.cast(label, DType::int64));
  auto ignored = at == static_cast<double>(ignore);
  Expr safe(n, reject_negative_indices(n, where(ignored, 0, at)));
  auto picked = n.emit("GatherElements", {scores, safe}, {{"axis", axis}});
  return {Expr(n, picked), ignored};
}

Expr hard_loss(NodeContext& n, const Expr& logp, std::int64_t axis) {
  auto label = n.in("Label");
  if (n.require_rank(label) < n.rank(logp)) label = n.unsqueeze(label, {axis});
  auto [scores, ignored] = label_entries(n, logp, label, axis, n.attr("ignore_index", -100));
  return where(ignored, 0, -scores);
}

void softmax_with_cross_entropy(NodeContext& n) {
  auto x = in(n, "Logits");
  auto axis = n.axis_attr("axis", -1, n.require_rank(x));
  bool probabilities = !n.attr("use_softmax", true);
  auto logp = probabilities ? log(x) : Expr(n, n.emit("LogSoftmax", {x}, {{"axis", axis}}));
  auto soft = [&]() -> Value { return -sum(in(n, "Label") * logp, {axis}, true); };
  n.out("Loss", n.attr("soft_label", false) ? soft() : hard_loss(n, logp, axis));
  n.out("Softmax", probabilities ? x : n.emit("Softmax", {x}, {{"axis", axis}}));
}

// The class weight of every label, zero if ignored.
Expr class_weights(NodeContext& n, const Expr& label, const Expr& ignored, DType dtype) {
  if (!n.has("Weight")) return where(ignored, 0, 1, dtype);
  Expr weights(
      n, n.emit("Gather", {n.in("Weight"), where(ignored, 0, label)}, {{"axis", std::int64_t{0}}}));
  return where(ignored, 0, weights);
}

void nll_loss(NodeContext& n) {
  auto x = in(n, "X"), label = in(n, "Label").to(DType::int64);
  auto dtype = n.require_dtype(x);
  auto [scores, column] =
      label_entries(n, x, n.unsqueeze(label, {1}), 1, n.attr("ignore_index", -100));
  auto weights = class_weights(n, label, Expr(n, n.squeeze(column, {1})), dtype);
  auto losses = -(Expr(n, n.squeeze(scores, {1})) * weights);
  auto run_options = n.attr("reduction", "mean");
  auto weight = sum(weights);
  out_scalar(n, "Total_weight", run_options == "none" ? n.scalar(0, dtype) : weight);
  if (run_options == "none") return n.out("Out", losses);
  out_scalar(n, "Out", run_options == "sum" ? sum(losses) : sum(losses) / weight);
}

// ---- probabilities ----

// -label * log(x) - (1 - label) * log(1 - x), logarithms clipped at -100
void bce_loss(NodeContext& n) {
  auto x = in(n, "X"), label = in(n, "Label");
  auto yes = max(log(x), -100), no = max(log(1 - x), -100);
  n.out("Out", (label - 1) * no - label * yes);
}

void sigmoid_cross_entropy(NodeContext& n) {
  auto x = in(n, "X"), label = in(n, "Label");
  auto soft = log(exp(-abs(x)) + 1);  // log(1 + exp(-|x|)) does not overflow
  auto ignored = label == static_cast<double>(n.attr("ignore_index", -100));
  // Paddle 2.6 is wrong here with pos_weight and x < 0.
  auto plain = n.has("pos_weight") ? (1 - label) * x + (soft + relu(-x)) * in(n, "pos_weight")
                                   : relu(x) - x * label + soft;
  auto loss = where(ignored, 0, plain);
  if (!n.attr("normalize", false)) return n.out("Out", loss);
  n.out("Out", loss / max(sum(where(ignored, 0, 1, n.require_dtype(x))), 1e-6));
}

// Reduced over all elements, or divided by the size of the first dim.
Value reduce_loss(NodeContext& n, Value losses, const std::string& reduction) {
  if (reduction == "none") return losses;
  Expr y(n, reduce(n, reduction == "mean" ? "ReduceMean" : "ReduceSum", losses, {}, false));
  if (reduction != "batchmean") return y;
  return y / Expr(n, n.squeeze(dim_as_vector(n, losses, 0), {0})).to(n.require_dtype(losses));
}

// target * (log(target) - x), 0 for zero probability
void kldiv_loss(NodeContext& n) {
  auto x = in(n, "X"), target = in(n, "Target");
  auto any = target > 0;
  auto losses = where(any, target * (log(where(any, target, 1)) - x), 0);
  out_scalar(n, "Loss", reduce_loss(n, losses, n.attr("reduction", "mean")));
}

// ---- regression ----

// Squared up to delta, linear beyond.
void huber_loss(NodeContext& n) {
  auto rest = in(n, "Y") - in(n, "X"), size = abs(rest);
  double delta = n.attr("delta", 1.0f);
  n.out("Out", where(size > delta, delta * (size - delta / 2), 0.5 * (rest * rest)));
  n.out("Residual", rest);
}

// (1 - e) * x + e * prior; the prior is uniform by default
void label_smooth(NodeContext& n) {
  auto x = in(n, "X");
  double e = n.attr("epsilon", 0.0f);
  auto kept = x * (1 - e);
  if (n.has("PriorDist")) return n.out("Out", kept + in(n, "PriorDist") * e);
  auto classes = n.dim(x, -1);
  if (classes > 0) return n.out("Out", kept + e / static_cast<double>(classes));
  n.out("Out", kept + e / Expr(n, n.squeeze(dim_as_vector(n, x, n.require_rank(x) - 1), {0}))
                              .to(n.require_dtype(x)));
}

// The number of rows that contain their label.
void accuracy(NodeContext& n) {
  auto found = in(n, "Indices").to(DType::int64), label = in(n, "Label").to(DType::int64);
  auto hit = reduce(n, "ReduceMax", n.cast(found == label, DType::float32), {1}, false);
  auto correct = reduce(n, "ReduceSum", hit, {}, false),
       share = reduce(n, "ReduceMean", hit, {}, false);
  out_scalar(n, "Accuracy", share);
  out_scalar(n, "Correct", n.cast(correct, DType::int32));
  out_scalar(n, "Total", n.cast(n.squeeze(dim_as_vector(n, found, 0), {0}), DType::int32));
}

}  // namespace

std::span<const Rule> loss_rules() {
  static const Rule rules[] = {
      {"softmax_with_cross_entropy", 13, softmax_with_cross_entropy},
      {"nll_loss", 11, nll_loss},
      {"bce_loss", 8, bce_loss},
      {"sigmoid_cross_entropy_with_logits", 11, sigmoid_cross_entropy},
      {"kldiv_loss", 11, kldiv_loss},
      {"huber_loss", 9, huber_loss},
      {"label_smooth", 7, label_smooth},
      {"accuracy", 11, accuracy},
  };
  return rules;
}

}  // namespace oarlock
