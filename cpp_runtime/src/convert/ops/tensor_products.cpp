// Products of two tensors other than matrix products.
#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// [a, 1, b, 1, ...] * [1, c, 1, d, ...]; neighboring axes are merged.
void kron(NodeContext& n) {
  auto x = n.in("X"), y = n.in("Y");
  int rank = std::max(n.require_rank(x), n.require_rank(y));
  auto full = [&](Value v) {
    Ints front = all_axes(rank - n.rank(v));
    return n.unsqueeze(v, front);
  };
  x = full(x), y = full(y);
  Ints odd, even;
  for (std::int64_t axis = 0; axis < rank; ++axis)
    even.push_back(2 * axis), odd.push_back(2 * axis + 1);
  auto product = Expr(n, n.unsqueeze(x, odd)) * Expr(n, n.unsqueeze(y, even));
  auto sizes = Expr(n, n.shape_of(x)) * Expr(n, n.shape_of(y));
  n.out("Out", n.emit("Reshape", {product, sizes}));
}

// Attribute `dim`; if it is not set, all axes that may be the first one of size 3.
Ints axes_of_three(NodeContext& n, Value x) {
  constexpr int unnamed = 9;
  if (n.attr("dim", unnamed) != unnamed) return {n.axis_attr("dim", unnamed, n.require_rank(x))};
  Ints found;
  for (int axis = 0; axis < n.require_rank(x); ++axis) {
    if (n.dim(x, axis) == 3 || n.dim(x, axis) < 0) found.push_back(axis);
    if (n.dim(x, axis) == 3) break;
  }
  n.require(!found.empty(), "has no axis of size 3");
  return found;
}

// Along an axis of size 3; for other sizes the result is not used.
Expr cross_along(NodeContext& n, Value x, Value y, std::int64_t axis) {
  auto turned = [&](Value v, int by) {
    Expr length(n, dim_as_scalar(n, v, axis));
    auto order = n.dim(v, axis) == 3 ? n.ints({by % 3, (by + 1) % 3, (by + 2) % 3})
                                     : (arange(n, length) + by).emit("Mod", {length}).value();
    return Expr(n, n.emit("Gather", {v, order}, {{"axis", axis}}));
  };
  return turned(x, 1) * turned(y, 2) - turned(x, 2) * turned(y, 1);
}

// The run fails if the size is not 3.
Value assert_size_three(NodeContext& n, Value v, std::int64_t axis) {
  if (n.dim(v, axis) == 3) return v;
  Ints shape(static_cast<std::size_t>(n.rank(v)), 0);
  shape[static_cast<std::size_t>(axis)] = 3;
  return n.reshape(v, shape);
}

void cross(NodeContext& n) {
  auto x = n.in("X"), y = n.in("Y");
  auto axes = axes_of_three(n, x);
  if (axes.size() == 1)
    return n.out("Out", cross_along(n, assert_size_three(n, x, axes[0]),
                                    assert_size_three(n, y, axes[0]), axes[0]));
  auto found = cross_along(n, x, y, axes.back());
  for (auto i = axes.size() - 1; i-- > 0;)
    found = where(Expr(n, dim_as_scalar(n, x, axes[i])) == 3, cross_along(n, x, y, axes[i]), found);
  n.out("Out", found);
}

// Out[b, k] = x[b] @ Weight[k] @ y[b] + Bias[k]
void bilinear_tensor_product(NodeContext& n) {
  auto rows = n.unsqueeze(n.in("X"), {0});
  auto halves = Expr(n, n.emit("MatMul", {rows, n.in("Weight")})) * in(n, "Y");
  Expr found(n, n.transpose(reduce(n, "ReduceSum", halves, {2}, false), {1, 0}));
  n.out("Out", n.has("Bias") ? found + in(n, "Bias") : found);
}

// The flow matrix of two images: the mean of channel products over all pixels.
void fsp(NodeContext& n) {
  auto x = n.in("X"), y = n.in("Y");
  auto product = n.emit(
      "MatMul", {n.reshape(x, {0, 0, -1}), n.transpose(n.reshape(y, {0, 0, -1}), {0, 2, 1})});
  auto sizes = n.slice(n.shape_of(x), {2}, {4}, {0});
  Expr pixels(n, reduce(n, "ReduceProd", sizes, {}, false));
  n.out("Out", Expr(n, product) / pixels.to(n.require_dtype(x)));
}

}  // namespace

std::span<const Rule> tensor_products_rules() {
  static const Rule rules[] = {
      {"kron", 7, kron},
      {"cross", 7, cross},
      {"bilinear_tensor_product", 7, bilinear_tensor_product},
      {"fsp", 7, fsp},
  };
  return rules;
}

}  // namespace oarlock
