// Losses of early layers.
#include <cmath>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// -label * log(p + epsilon) - (1 - label) * log(1 - p + epsilon)
void log_loss(NodeContext& n) {
  auto p = in(n, "Predicted"), label = in(n, "Labels");
  double epsilon = n.attr("epsilon", 0.0f);
  n.out("Loss", -label * log(p + epsilon) - (1 - label) * log(1 - p + epsilon));
}

// max(1 - (2 * label - 1) * score, 0)
void hinge_loss(NodeContext& n) {
  n.out("Loss", relu(1 - (in(n, "Labels") * 2 - 1) * in(n, "Logits")));
}

// log(1 + exp(left - right)) - label * (left - right)
void rank_loss(NodeContext& n) {
  auto score = in(n, "Left") - in(n, "Right");
  n.out("Out", relu(score) + log(exp(-abs(score)) + 1) - in(n, "Label") * score);
}

// The mean of log sigmoid differences between the label's score and the others.
void bpr_loss(NodeContext& n) {
  auto x = in(n, "X");
  int last = n.require_rank(x) - 1;
  Expr label(n, reject_negative_indices(n, n.cast(n.in("Label"), DType::int64))),
      classes(n, arange(n, dim_as_scalar(n, x, last)));
  Expr own(n, n.emit("GatherElements", {x, label}, {{"axis", std::int64_t{last}}}));
  auto gap = own - x, losses = relu(-gap) + log(exp(-abs(gap)) + 1);
  auto total = sum(where(classes == label, 0, losses), {last}, true);
  Expr others(n, dim_as_scalar(n, x, last));
  n.out("Y", total / (others - 1).to(n.require_dtype(x)));
}

// -log of the label's probability, 0 if the label is ignored. label [*,1]
Expr label_log_loss(NodeContext& n, const Expr& x, std::int64_t ignore) {
  std::int64_t last = n.require_rank(x) - 1;
  auto label = in(n, "Label").to(DType::int64);
  if (n.require_rank(label) == last) label = Expr(n, n.unsqueeze(label, {-1}));
  auto ignored = label == static_cast<double>(ignore);
  Expr p(n, n.emit("GatherElements", {x, reject_negative_indices(n, where(ignored, 0, label))},
                   {{"axis", last}}));
  return where(ignored, 0, -log(p));
}

void cross_entropy(NodeContext& n) {
  auto x = in(n, "X");
  if (!n.attr("soft_label", false))
    return n.out("Y", label_log_loss(n, x, n.attr("ignore_index", -100)));
  n.out("Y", -sum(in(n, "Label") * log(x), {n.require_rank(x) - 1}, true));
}

void cross_entropy2(NodeContext& n) {
  n.out("Y", label_log_loss(n, in(n, "X"), n.attr("ignore_index", -100)));
}

// Squared near zero, linear beyond; summed over all dims but the batch.
void smooth_l1_loss(NodeContext& n) {
  auto gap = in(n, "X") - in(n, "Y");
  double square = std::pow(static_cast<double>(n.attr("sigma", 1.0f)), 2);
  n.require(square > 0, "attribute 'sigma' is 0");
  if (n.has("InsideWeight")) gap = gap * in(n, "InsideWeight");
  auto far = abs(gap),
       losses = where(far < 1 / square, gap * gap * (square / 2), far - 0.5 / square);
  if (n.has("OutsideWeight")) losses = losses * in(n, "OutsideWeight");
  n.out("Diff", gap);
  n.out("Out", sum(Expr(n, n.reshape(losses, {0, -1})), {1}, true));
}

}  // namespace

std::span<const Rule> legacy_loss_rules() {
  static const Rule rules[] = {
      {"log_loss", 7, log_loss},
      {"smooth_l1_loss", 9, smooth_l1_loss},
      {"hinge_loss", 7, hinge_loss},
      {"rank_loss", 7, rank_loss},
      {"bpr_loss", 11, bpr_loss},
      {"cross_entropy", 11, cross_entropy},
      {"cross_entropy2", 11, cross_entropy2},
  };
  return rules;
}

}  // namespace oarlock
