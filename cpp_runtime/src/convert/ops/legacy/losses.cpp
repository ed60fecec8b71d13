// Losses of early layers.
#include <cmath>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// -label * log(p + epsilon) - (1 - label) * log(1 - p + epsilon)
void log_loss(NodeContext& n) {
  auto p = input_expr(n, "Predicted"), label = input_expr(n, "Labels");
  double epsilon = n.attr("epsilon", 0.0f);
  n.set_output("Loss", -label * log(p + epsilon) - (1 - label) * log(1 - p + epsilon));
}

// max(1 - (2 * label - 1) * score, 0)
void hinge_loss(NodeContext& n) {
  n.set_output("Loss", relu(1 - (input_expr(n, "Labels") * 2 - 1) * input_expr(n, "Logits")));
}

// log(1 + exp(left - right)) - label * (left - right)
void rank_loss(NodeContext& n) {
  auto score = input_expr(n, "Left") - input_expr(n, "Right");
  n.set_output("Out", relu(score) + log(exp(-abs(score)) + 1) - input_expr(n, "Label") * score);
}

// softplus(x) - clicked * x, plus softplus(x) - score * x where Label >= 0. Label encodes a click
// and a teacher's score: -2 (not clicked) and -1 (clicked) have no score; a Label >= 0 is clicked
// (0 or 1) + score.
void teacher_student_sigmoid_loss(NodeContext& n) {
  auto x = input_expr(n, "X"), label = input_expr(n, "Label");
  auto softplus = relu(x) + log(exp(-abs(x)) + 1);
  auto no_score = label < 0, clicked_with_score = !(label < 1);
  auto clicked = (no_score && !(label < -1)) || clicked_with_score;
  auto score = where(clicked_with_score, label - 1, label);
  n.set_output("Y", softplus - where(clicked, x, 0) + where(no_score, 0, softplus - score * x));
}

// BPR loss: the mean of -log(sigmoid(score of the label - score of another class)) over the other
// classes.
void bpr_loss(NodeContext& n) {
  auto x = input_expr(n, "X");
  int last = n.require_known_rank(x) - 1;
  Expr label(n, invalidate_negative_indices(n, n.cast(n.input("Label"), DType::int64))),
      classes(n, arange(n, dim_as_scalar(n, x, last)));
  Expr own(n, n.emit("GatherElements", {x, label}, {{"axis", std::int64_t{last}}}));
  auto gap = own - x, losses = relu(-gap) + log(exp(-abs(gap)) + 1);
  auto total = sum(where(classes == label, 0, losses), {last}, true);
  Expr others(n, dim_as_scalar(n, x, last));
  n.set_output("Y", total / (others - 1).to(n.require_known_dtype(x)));
}

// -log of the label's probability, 0 if the label is ignored. label [*,1]
Expr hard_label_cross_entropy(NodeContext& n, const Expr& x, std::int64_t ignore) {
  std::int64_t last = n.require_known_rank(x) - 1;
  auto label = input_expr(n, "Label").to(DType::int64);
  if (n.require_known_rank(label) == last) label = Expr(n, n.unsqueeze(label, {-1}));
  auto ignored = label == static_cast<double>(ignore);
  Expr p(n, n.emit("GatherElements", {x, invalidate_negative_indices(n, where(ignored, 0, label))},
                   {{"axis", last}}));
  return where(ignored, 0, -log(p));
}

void cross_entropy(NodeContext& n) {
  auto x = input_expr(n, "X");
  if (!n.attr("soft_label", false))
    return n.set_output("Y", hard_label_cross_entropy(n, x, n.attr("ignore_index", -100)));
  n.set_output("Y", -sum(input_expr(n, "Label") * log(x), {n.require_known_rank(x) - 1}, true));
}

void cross_entropy2(NodeContext& n) {
  n.set_output("Y", hard_label_cross_entropy(n, input_expr(n, "X"), n.attr("ignore_index", -100)));
}

// Smooth L1 loss: squared differences near zero, absolute ones beyond, summed over all dims but the
// batch.
void smooth_l1_loss(NodeContext& n) {
  auto gap = input_expr(n, "X") - input_expr(n, "Y");
  double square = std::pow(static_cast<double>(n.attr("sigma", 1.0f)), 2);
  n.require(square > 0, "attribute 'sigma' is 0");
  if (n.has_input("InsideWeight")) gap = gap * input_expr(n, "InsideWeight");
  auto far = abs(gap),
       losses = where(far < 1 / square, gap * gap * (square / 2), far - 0.5 / square);
  if (n.has_input("OutsideWeight")) losses = losses * input_expr(n, "OutsideWeight");
  n.set_output("Diff", gap);
  n.set_output("Out", sum(Expr(n, n.reshape(losses, {0, -1})), {1}, true));
}

}  // namespace

std::span<const Rule> legacy_loss_rules() {
  static const Rule rules[] = {
      {"log_loss", 7, log_loss},
      {"smooth_l1_loss", 9, smooth_l1_loss},
      {"hinge_loss", 7, hinge_loss},
      {"rank_loss", 7, rank_loss},
      {"teacher_student_sigmoid_loss", 9, teacher_student_sigmoid_loss},
      {"bpr_loss", 11, bpr_loss},
      {"cross_entropy", 11, cross_entropy},
      {"cross_entropy2", 11, cross_entropy2},
  };
  return rules;
}

}  // namespace oarlock
