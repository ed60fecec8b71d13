// Norms, distances, and what is scaled by them.
#include <cmath>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

Expr reduced(std::string_view onnx, const Expr& x, const Over& over) {
  return reduce(onnx, x, over.axes, over.keep);
}

// (sum |x|^p)^(1/p)
Expr power_norm(const Expr& x, double p, const Over& over) {
  return pow(reduced("ReduceSum", pow(abs(x), p), over), 1 / p);
}

Expr norm(const Expr& x, double p, const Over& over) {
  if (p == 1) return reduced("ReduceL1", x, over);
  if (p == 2) return reduced("ReduceL2", x, over);
  if (std::isinf(p)) return reduced(p > 0 ? "ReduceMax" : "ReduceMin", abs(x), over);
  if (p != 0) return power_norm(x, p, over);
  return reduced("ReduceSum", x.to(DType::boolean).to(x.node().need_dtype(x)), over);
}

void p_norm(Node& n) {
  auto x = in(n, "X");
  bool vector = n.attr("asvector", false);
  Over over{vector ? Ints{} : Ints{n.attr("axis", -1)}, n.attr("keepdim", false)};
  out_scalar(n, "Out", norm(x, n.attr("porder", 2.0f), over));
}

void frobenius_norm(Node& n) {
  auto x = in(n, "X");
  out_scalar(n, "Out", norm(x, 2, read_axes(n, "dim", "keep_dim", n.rank(x))));
}

void dist(Node& n) {
  out_scalar(n, "Out", norm(in(n, "X") - in(n, "Y"), n.attr("p", 2.0f), {{}, false}));
}

void l1_norm(Node& n) { out_scalar(n, "Out", norm(in(n, "X"), 1, {{}, false})); }

void squared_l2_norm(Node& n) {
  auto x = in(n, "X");
  out_scalar(n, "Out", reduced("ReduceSum", x * x, {{}, false}));
}

// ---- of rows; Y may have one for all ----

Expr rows_of(Node& n, std::string_view slot) { return {n, n.reshape(n.in(slot), {0, -1})}; }
Expr row_sums(const Expr& x) { return sum(x, {1}, true); }

void squared_l2_distance(Node& n) {
  auto gap = rows_of(n, "X") - rows_of(n, "Y");
  n.out("sub_result", gap);
  n.out("Out", row_sums(gap * gap));
}

void cos_sim(Node& n) {
  auto x = rows_of(n, "X"), y = rows_of(n, "Y"), x_size = sqrt(row_sums(x * x)),
       y_size = sqrt(row_sums(y * y));
  n.out("Out", row_sums(x * y) / (x_size * y_size));
  n.out("XNorm", x_size);
  n.out("YNorm", y_size);
}

// ---- scaled ----

// Slices along an axis whose norm is too large are brought down to it.
void renorm(Node& n) {
  auto x = in(n, "X");
  double most = n.attr("max_norm", 0.0f), p = n.attr("p", 0.0f);
  n.require(p > 0, "attribute 'p' is " + std::to_string(p));
  n.require(n.need_rank(x) >= 2, "needs two axes");
  auto size = norm(x, p, {axes_but(n, n.rank(x), n.axis("axis", 0, n.rank(x))), true});
  n.out("Out", x * where(size > most, most / (size + 1e-7), 1));
}

void clip_by_norm(Node& n) {
  auto x = in(n, "X");
  double most = n.attr("max_norm", 0.0f);
  auto size = norm(x, 2, {{}, false});
  n.out("Out", where(size > most, x * (most / size), x));
}

// x / sqrt(sum of squares + epsilon)
void normalize(Node& n) {
  auto x = in(n, "X");
  Over over{{n.axis("axis", 0, n.need_rank(x))}, true};
  auto size = sqrt(reduced("ReduceSum", x * x, over) + n.attr("epsilon", 1e-10f));
  n.out("Out", x / size);
  n.out("Norm", size);
}

}  // namespace

std::span<const Rule> distance_rules() {
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
      {"norm", 7, normalize},
  };
  return rules;
}

}  // namespace oarlock
