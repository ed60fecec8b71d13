// Losses and what is measured beside them.
#include <cmath>

#include "lower/operands.h"
#include "lower/rules.h"

namespace oarlock {
namespace {

Value mul(Node& n, const Value& x, const Value& y) { return n.emit("Mul", {x, y}); }
Value sub(Node& n, const Value& x, const Value& y) { return n.emit("Sub", {x, y}); }
Value add(Node& n, const Value& x, const Value& y) { return n.emit("Add", {x, y}); }
Value neg(Node& n, const Value& x) { return n.emit("Neg", {x}); }
Value log(Node& n, const Value& x) { return n.emit("Log", {x}); }
Value where(Node& n, const Value& c, const Value& x, const Value& y) { return n.emit("Where", {c, x, y}); }

// ---- of classes ----

// Entries of `scores` at the labels, and where the label is to be ignored.   label: like scores, of size 1 along axis
struct Picked {
  Value scores, ignored;
};

Picked pick(Node& n, const Value& scores, const Value& label, std::int64_t axis, std::int64_t ignore) {
  auto at = n.cast(label, DType::int64);
  auto ignored = n.emit("Equal", {at, n.int_scalar(ignore)});
  auto safe = where(n, ignored, n.int_scalar(0), at);
  auto picked = n.emit("GatherElements", {scores, safe}, {{"axis", axis}});
  return {picked, ignored};
}

Value hard_loss(Node& n, const Value& logp, std::int64_t axis) {
  auto label = n.in("Label");
  if (n.need_rank(label) < n.rank(logp)) label = n.unsqueeze(label, {axis});
  auto [scores, ignored] = pick(n, logp, label, axis, n.attr("ignore_index", -100));
  return where(n, ignored, n.scalar_like(0, logp), neg(n, scores));
}

void softmax_with_cross_entropy(Node& n) {
  auto x = n.in("Logits");
  auto axis = n.axis("axis", -1, n.need_rank(x));
  bool probabilities = !n.attr("use_softmax", true);
  auto logp = probabilities ? log(n, x) : n.emit("LogSoftmax", {x}, {{"axis", axis}});
  auto soft = [&] { return neg(n, reduce(n, "ReduceSum", mul(n, n.in("Label"), logp), {axis}, true)); };
  n.out("Loss", n.attr("soft_label", false) ? soft() : hard_loss(n, logp, axis));
  n.out("Softmax", probabilities ? x : n.emit("Softmax", {x}, {{"axis", axis}}));
}

// The weight of every label's class, zero where it is ignored.
Value class_weights(Node& n, const Value& label, const Value& ignored, DType dtype) {
  Value weights = n.scalar(1, dtype);
  if (n.has("Weight")) {
    auto safe = where(n, ignored, n.int_scalar(0), label);
    weights = n.emit("Gather", {n.in("Weight"), safe}, {{"axis", std::int64_t{0}}});
  }
  return where(n, ignored, n.scalar(0, dtype), weights);
}

void nll_loss(Node& n) {
  auto x = n.in("X"), label = n.cast(n.in("Label"), DType::int64);
  auto dtype = n.need_dtype(x);
  auto [scores, column] = pick(n, x, n.unsqueeze(label, {1}), 1, n.attr("ignore_index", -100));
  auto ignored = n.squeeze(column, {1});
  auto weights = class_weights(n, label, ignored, dtype);
  auto losses = neg(n, mul(n, n.squeeze(scores, {1}), weights));
  auto how = n.attr("reduction", "mean");
  auto total = reduce(n, "ReduceSum", weights, {}, false);
  out_scalar(n, "Total_weight", how == "none" ? n.scalar(0, dtype) : total);
  if (how == "none") return n.out("Out", losses);
  auto sum = reduce(n, "ReduceSum", losses, {}, false);
  out_scalar(n, "Out", how == "sum" ? sum : n.emit("Div", {sum, total}));
}

// ---- of probabilities ----

// -label * log(x) - (1 - label) * log(1 - x), no logarithm below -100
void bce_loss(Node& n) {
  auto x = n.in("X"), label = n.in("Label");
  auto one = n.scalar_like(1, x), floor = n.scalar_like(-100, x);
  auto yes = n.emit("Max", {log(n, x), floor}), no = n.emit("Max", {log(n, sub(n, one, x)), floor});
  n.out("Out", sub(n, mul(n, sub(n, label, one), no), mul(n, label, yes)));
}

// log(1 + exp(-|x|)), which does not overflow
Value log_one_plus(Node& n, const Value& x) {
  auto small = n.emit("Exp", {neg(n, n.emit("Abs", {x}))});
  return log(n, add(n, small, n.scalar_like(1, x)));
}

void sigmoid_cross_entropy(Node& n) {
  auto x = n.in("X"), label = n.in("Label");
  auto soft = log_one_plus(n, x);
  if (n.has("pos_weight")) soft = mul(n, soft, n.in("pos_weight"));  // as 2.6 has it
  auto loss = add(n, sub(n, n.emit("Relu", {x}), mul(n, x, label)), soft);
  auto ignore = n.attr("ignore_index", -100);
  auto zero = n.scalar_like(0, x);
  auto ignored = n.emit("Equal", {label, n.scalar_like(static_cast<double>(ignore), label)});
  loss = where(n, ignored, zero, loss);
  if (!n.attr("normalize", false)) return n.out("Out", loss);
  auto counted = reduce(n, "ReduceSum", where(n, ignored, zero, n.scalar_like(1, x)), {}, false);
  n.out("Out", n.emit("Div", {loss, n.emit("Max", {counted, n.scalar_like(1e-6, x)})}));
}

// Reduced over all, or over all but the first dim's size.
Value reduced(Node& n, const Value& losses, const std::string& how) {
  if (how == "none") return losses;
  auto y = reduce(n, how == "mean" ? "ReduceMean" : "ReduceSum", losses, {}, false);
  if (how != "batchmean") return y;
  auto batch = n.squeeze(size_along(n, losses, 0), {0});
  return n.emit("Div", {y, n.cast(batch, n.need_dtype(losses))});
}

// target * (log(target) - x), and nothing where there is no probability
void kldiv_loss(Node& n) {
  auto x = n.in("X"), target = n.in("Target");
  auto zero = n.scalar_like(0, x);
  auto any = n.emit("Greater", {target, zero});
  auto safe = where(n, any, target, n.scalar_like(1, x));
  auto losses = where(n, any, mul(n, target, sub(n, log(n, safe), x)), zero);
  out_scalar(n, "Loss", reduced(n, losses, n.attr("reduction", "mean")));
}

// ---- of numbers ----

// Squares up to delta, lines beyond.
void huber_loss(Node& n) {
  auto x = n.in("X"), rest = sub(n, n.in("Y"), x);
  double delta = n.attr("delta", 1.0f);
  auto size = n.emit("Abs", {rest});
  auto square = mul(n, n.scalar_like(0.5, x), mul(n, rest, rest));
  auto line = mul(n, n.scalar_like(delta, x), sub(n, size, n.scalar_like(delta / 2, x)));
  auto beyond = n.emit("Greater", {size, n.scalar_like(delta, x)});
  n.out("Out", where(n, beyond, line, square));
  n.out("Residual", rest);
}

// (1 - e) * x + e * prior, where the prior is even unless given
void label_smooth(Node& n) {
  auto x = n.in("X");
  double e = n.attr("epsilon", 0.0f);
  auto kept = mul(n, x, n.scalar_like(1 - e, x));
  if (n.has("PriorDist")) return n.out("Out", add(n, kept, mul(n, n.in("PriorDist"), n.scalar_like(e, x))));
  auto classes = n.dim(x, -1);
  if (classes > 0) return n.out("Out", add(n, kept, n.scalar_like(e / static_cast<double>(classes), x)));
  auto count = n.cast(size_along(n, x, n.need_rank(x) - 1), n.need_dtype(x));
  n.out("Out", add(n, kept, n.emit("Div", {n.scalar_like(e, x), count})));
}

// How many of the rows hold their label.
void accuracy(Node& n) {
  auto found = n.cast(n.in("Indices"), DType::int64), label = n.cast(n.in("Label"), DType::int64);
  auto hit = reduce(n, "ReduceMax", n.cast(n.emit("Equal", {found, label}), DType::float32), {1}, false);
  auto correct = reduce(n, "ReduceSum", hit, {}, false), share = reduce(n, "ReduceMean", hit, {}, false);
  out_scalar(n, "Accuracy", share);
  out_scalar(n, "Correct", n.cast(correct, DType::int32));
  out_scalar(n, "Total", n.cast(n.squeeze(size_along(n, found, 0), {0}), DType::int32));
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
