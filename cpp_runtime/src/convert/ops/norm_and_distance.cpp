// Norms, distances, and scaling by norms.
#include <cmath>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

Expr reduce_over(std::string_view onnx, const Expr& x, const ReduceAxesAndKeepdims& over) {
  return reduce(onnx, x, over.axes, over.keepdims);
}

// (sum |x|^p)^(1/p)
Expr power_norm(const Expr& x, double p, const ReduceAxesAndKeepdims& over) {
  return pow(reduce_over("ReduceSum", pow(abs(x), p), over), 1 / p);
}

Expr norm_of_any_order(const Expr& x, double p, const ReduceAxesAndKeepdims& over) {
  if (p == 1) return reduce_over("ReduceL1", x, over);
  if (p == 2) return reduce_over("ReduceL2", x, over);
  if (std::isinf(p)) return reduce_over(p > 0 ? "ReduceMax" : "ReduceMin", abs(x), over);
  if (p != 0) return power_norm(x, p, over);
  return reduce_over("ReduceSum", x.to(DType::boolean).to(x.context().require_known_dtype(x)),
                     over);
}

void p_norm(NodeContext& n) {
  auto x = input_expr(n, "X");
  bool vector = n.attr("asvector", false);
  ReduceAxesAndKeepdims over{vector ? Ints{} : Ints{n.attr("axis", -1)}, n.attr("keepdim", false)};
  set_scalar_output_as_declared(n, "Out", norm_of_any_order(x, n.attr("porder", 2.0f), over));
}

void frobenius_norm(NodeContext& n) {
  auto x = input_expr(n, "X");
  set_scalar_output_as_declared(
      n, "Out",
      norm_of_any_order(x, 2, read_reduce_axes_and_keepdims(n, "dim", "keep_dim", n.rank(x))));
}

void dist(NodeContext& n) {
  set_scalar_output_as_declared(
      n, "Out",
      norm_of_any_order(input_expr(n, "X") - input_expr(n, "Y"), n.attr("p", 2.0f), {{}, false}));
}

void l1_norm(NodeContext& n) {
  set_scalar_output_as_declared(n, "Out", norm_of_any_order(input_expr(n, "X"), 1, {{}, false}));
}

void squared_l2_norm(NodeContext& n) {
  auto x = input_expr(n, "X");
  set_scalar_output_as_declared(n, "Out", reduce_over("ReduceSum", x * x, {{}, false}));
}

// ---- row distances; Y may have one row for all ----

Expr flatten_input_rows(NodeContext& n, std::string_view slot) {
  return {n, n.reshape(n.input(slot), {0, -1})};
}
Expr sum_each_row(const Expr& x) { return sum(x, {1}, true); }

void squared_l2_distance(NodeContext& n) {
  auto gap = flatten_input_rows(n, "X") - flatten_input_rows(n, "Y");
  n.set_output("sub_result", gap);
  n.set_output("Out", sum_each_row(gap * gap));
}

void cos_sim(NodeContext& n) {
  auto x = flatten_input_rows(n, "X"), y = flatten_input_rows(n, "Y"),
       x_size = sqrt(sum_each_row(x * x)), y_size = sqrt(sum_each_row(y * y));
  n.set_output("Out", sum_each_row(x * y) / (x_size * y_size));
  n.set_output("XNorm", x_size);
  n.set_output("YNorm", y_size);
}

// ---- scaling by norms ----

// Scales down slices along an axis whose norm is too large.
void renorm(NodeContext& n) {
  auto x = input_expr(n, "X");
  double max_norm = n.attr("max_norm", 0.0f), p = n.attr("p", 0.0f);
  n.require(p > 0, "attribute 'p' is " + std::to_string(p));
  n.require(n.require_known_rank(x) >= 2, "needs two axes");
  auto size = norm_of_any_order(
      x, p, {axes_except(n, n.rank(x), n.normalized_axis_attr("axis", 0, n.rank(x))), true});
  n.set_output("Out", x * where(size > max_norm, max_norm / (size + 1e-7), 1));
}

void clip_by_norm(NodeContext& n) {
  auto x = input_expr(n, "X");
  double max_norm = n.attr("max_norm", 0.0f);
  auto size = norm_of_any_order(x, 2, {{}, false});
  n.set_output("Out", where(size > max_norm, x * (max_norm / size), x));
}

// x / sqrt(sum of squares + epsilon)
void l2_normalize(NodeContext& n) {
  auto x = input_expr(n, "X");
  ReduceAxesAndKeepdims over{{n.normalized_axis_attr("axis", 0, n.require_known_rank(x))}, true};
  auto size = sqrt(reduce_over("ReduceSum", x * x, over) + n.attr("epsilon", 1e-10f));
  n.set_output("Out", x / size);
  n.set_output("Norm", size);
}

}  // namespace

std::span<const Rule> norm_and_distance_rules() {
  static const Rule rules[] = {
      {"p_norm", 7, p_norm},
      {"frobenius_norm", 7, frobenius_norm},
      {"dist", 7, dist},
      {"l1_norm", 7, l1_norm},
      {"squared_l2_norm", 7, squared_l2_norm},
      {"squared_l2_distance", 7, squared_l2_distance},
      {"cos_sim", 7, cos_sim},
      {"renorm", 9, renorm},
      {"clip_by_norm", 9, clip_by_norm},
      {"norm", 7, l2_normalize},
  };
  return rules;
}

}  // namespace oarlock
