// Products of two tensors other than matrix products.
#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// The Kronecker product of tensors of shapes [a, b, ...] and [c, d, ...]: the product of shapes [a,
// 1, b, 1, ...] and [1, c, 1, d, ...] is computed, then neighboring axes are merged.
void kron(NodeContext& n) {
  auto x = n.input("X"), y = n.input("Y");
  int rank = std::max(n.require_known_rank(x), n.require_known_rank(y));
  auto full = [&](Value v) {
    Ints front = all_axes(rank - n.rank(v));
    return n.unsqueeze(v, front);
  };
  x = full(x), y = full(y);
  Ints odd, even;
  for (std::int64_t axis = 0; axis < rank; ++axis)
    even.push_back(2 * axis), odd.push_back(2 * axis + 1);
  auto product = Expr(n, n.unsqueeze(x, odd)) * Expr(n, n.unsqueeze(y, even));
  auto sizes = Expr(n, n.emit_shape(x)) * Expr(n, n.emit_shape(y));
  n.set_output("Out", n.emit("Reshape", {product, sizes}));
}

// The axis of a cross product: attribute `dim` or, if it is not set, all axes that may be the first
// one of size 3.
Ints candidate_cross_axes(NodeContext& n, Value x) {
  constexpr int unnamed = 9;
  if (n.attr("dim", unnamed) != unnamed)
    return {n.normalized_axis_attr("dim", unnamed, n.require_known_rank(x))};
  Ints axes;
  for (int axis = 0; axis < n.require_known_rank(x); ++axis) {
    if (n.dim(x, axis) == 3 || n.dim(x, axis) < 0) axes.push_back(axis);
    if (n.dim(x, axis) == 3) break;
  }
  n.require(!axes.empty(), "has no axis of size 3");
  return axes;
}

// The cross product along an axis of size 3; for other sizes the result is not used.
Expr cross_along_axis(NodeContext& n, Value x, Value y, std::int64_t axis) {
  auto rotated = [&](Value v, int by) {
    Expr length(n, dim_as_scalar(n, v, axis));
    auto order = n.dim(v, axis) == 3 ? n.int64_vector({by % 3, (by + 1) % 3, (by + 2) % 3})
                                     : (arange(n, length) + by).emit("Mod", {length}).value();
    return Expr(n, n.emit("Gather", {v, order}, {{"axis", axis}}));
  };
  return rotated(x, 1) * rotated(y, 2) - rotated(x, 2) * rotated(y, 1);
}

// Returns `v` through a Reshape that fails at run time if the size of `axis` is not 3.
Value reshape_asserting_size_three(NodeContext& n, Value v, std::int64_t axis) {
  if (n.dim(v, axis) == 3) return v;
  Ints shape(static_cast<std::size_t>(n.rank(v)), 0);
  shape[static_cast<std::size_t>(axis)] = 3;
  return n.reshape(v, shape);
}

void cross(NodeContext& n) {
  auto x = n.input("X"), y = n.input("Y");
  auto axes = candidate_cross_axes(n, x);
  if (axes.size() == 1)
    return n.set_output("Out",
                        cross_along_axis(n, reshape_asserting_size_three(n, x, axes[0]),
                                         reshape_asserting_size_three(n, y, axes[0]), axes[0]));
  auto result = cross_along_axis(n, x, y, axes.back());
  for (auto i = axes.size() - 1; i-- > 0;)
    result = where(Expr(n, dim_as_scalar(n, x, axes[i])) == 3, cross_along_axis(n, x, y, axes[i]),
                   result);
  n.set_output("Out", result);
}

// Out[b, k] = x[b] @ Weight[k] @ y[b] + Bias[k]
void bilinear_tensor_product(NodeContext& n) {
  auto rows = n.unsqueeze(n.input("X"), {0});
  auto halves = Expr(n, n.emit("MatMul", {rows, n.input("Weight")})) * input_expr(n, "Y");
  Expr result(n, n.transpose(reduce(n, "ReduceSum", halves, {2}, false), {1, 0}));
  n.set_output("Out", n.has_input("Bias") ? result + input_expr(n, "Bias") : result);
}

// The flow matrix of two images: the mean of channel products over all pixels.
void fsp(NodeContext& n) {
  auto x = n.input("X"), y = n.input("Y");
  auto product = n.emit(
      "MatMul", {n.reshape(x, {0, 0, -1}), n.transpose(n.reshape(y, {0, 0, -1}), {0, 2, 1})});
  auto sizes = n.slice(n.emit_shape(x), {2}, {4}, {0});
  Expr pixels(n, reduce(n, "ReduceProd", sizes, {}, false));
  n.set_output("Out", Expr(n, product) / pixels.to(n.require_known_dtype(x)));
}

}  // namespace

std::span<const Rule> kron_cross_bilinear_and_fsp_rules() {
  static const Rule rules[] = {
      {"kron", 7, kron},
      {"cross", 7, cross},
      {"bilinear_tensor_product", 7, bilinear_tensor_product},
      {"fsp", 7, fsp},
  };
  return rules;
}

}  // namespace oarlock
