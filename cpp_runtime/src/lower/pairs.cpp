// Products of two tensors that are no product of matrices.
#include "lower/expr.h"
#include "lower/operands.h"
#include "lower/rules.h"

namespace oarlock {
namespace {

// [a, 1, b, 1, ...] * [1, c, 1, d, ...], whose neighbours then become one axis.
void kron(Node& n) {
  auto x = n.in("X"), y = n.in("Y");
  int rank = std::max(n.need_rank(x), n.need_rank(y));
  auto full = [&](const Value& v) {
    Ints front = all_axes(rank - n.rank(v));
    return n.unsqueeze(v, front);
  };
  x = full(x), y = full(y);
  Ints odd, even;
  for (std::int64_t axis = 0; axis < rank; ++axis) even.push_back(2 * axis), odd.push_back(2 * axis + 1);
  auto product = Expr(n, n.unsqueeze(x, odd)) * Expr(n, n.unsqueeze(y, even));
  auto sizes = Expr(n, n.shape_of(x)) * Expr(n, n.shape_of(y));
  n.out("Out", n.emit("Reshape", {product, sizes}));
}

// The axis of size 3, the first one where none is named.
std::int64_t axis_of_three(Node& n, const Value& x) {
  constexpr int unnamed = 9;
  if (n.attr("dim", unnamed) != unnamed) return n.axis("dim", unnamed, n.need_rank(x));
  for (int axis = 0; axis < n.need_rank(x); ++axis) {
    if (n.dim(x, axis) == 3) return axis;
    n.require(n.dim(x, axis) >= 0, "needs the sizes before the axis of size 3 to be known");
  }
  n.fail("has no axis of size 3");
}

void cross(Node& n) {
  auto x = n.in("X"), y = n.in("Y");
  auto axis = axis_of_three(n, x);
  auto turned = [&](const Value& v, const Ints& order) {
    return Expr(n, n.emit("Gather", {v, n.ints(order)}, {{"axis", axis}}));
  };
  const Ints left{1, 2, 0}, right{2, 0, 1};
  n.out("Out", turned(x, left) * turned(y, right) - turned(x, right) * turned(y, left));
}

// Out[b, k] = x[b] @ Weight[k] @ y[b] + Bias[k]
void bilinear_tensor_product(Node& n) {
  auto rows = n.unsqueeze(n.in("X"), {0});
  auto halves = Expr(n, n.emit("MatMul", {rows, n.in("Weight")})) * in(n, "Y");
  Expr found(n, n.transpose(reduce(n, "ReduceSum", halves, {2}, false), {1, 0}));
  n.out("Out", n.has("Bias") ? found + in(n, "Bias") : found);
}

// How the channels of two images go together: the mean of their products over all pixels.
void fsp(Node& n) {
  auto x = n.in("X"), y = n.in("Y");
  auto product = n.emit("MatMul", {n.reshape(x, {0, 0, -1}), n.transpose(n.reshape(y, {0, 0, -1}), {0, 2, 1})});
  auto sizes = n.slice(n.shape_of(x), {2}, {4}, {0});
  Expr pixels(n, reduce(n, "ReduceProd", sizes, {}, false));
  n.out("Out", Expr(n, product) / pixels.to(n.need_dtype(x)));
}

}  // namespace

std::span<const Rule> pairs_rules() {
  static const Rule rules[] = {
      {"kron", 7, kron},
      {"cross", 7, cross},
      {"bilinear_tensor_product", 7, bilinear_tensor_product},
      {"fsp", 7, fsp},
  };
  return rules;
}

}  // namespace oarlock
