// Products of matrices and vectors.
#include <algorithm>

#include "lower/operands.h"
#include "lower/rules.h"

namespace oarlock {
namespace {

// A vector has nothing to swap: Paddle ignores the flag then.
Value maybe_swapped(Node& n, std::string_view slot, std::string_view flag) {
  auto v = n.in(slot);
  return n.attr(flag, false) && n.rank(v) != 1 ? n.swap_last(v) : v;
}

void matmul_v2(Node& n) {
  auto x = maybe_swapped(n, "X", "trans_x"), y = maybe_swapped(n, "Y", "trans_y");
  n.out("Out", n.emit("MatMul", {x, y}));
}

// The first form had a factor.
void matmul_v1(Node& n) {
  auto x = maybe_swapped(n, "X", "transpose_X"), y = maybe_swapped(n, "Y", "transpose_Y");
  auto product = n.emit("MatMul", {x, y});
  auto alpha = n.attr("alpha", 1.0f);
  if (n.rank(x) == 1 && n.rank(y) == 1) n.declare(product, n.dtype(x), Ints{});
  out_scalar(n, "Out", alpha == 1 ? product : n.emit("Mul", {product, n.scalar(alpha, n.need_dtype(x))}));
}

// Both operands are seen as matrices: the first `cols` dims are rows, the others columns.
void mul(Node& n) {
  auto x = n.in("X"), y = n.in("Y");
  auto x_cols = n.attr("x_num_col_dims", 1), y_cols = n.attr("y_num_col_dims", 1);
  if (n.need_rank(y) == 2 && y_cols == 1 && x_cols == n.need_rank(x) - 1) return n.out("Out", n.emit("MatMul", {x, y}));
  auto product =
      n.emit("MatMul", {n.emit("Flatten", {x}, {{"axis", x_cols}}), n.emit("Flatten", {y}, {{"axis", y_cols}})});
  auto rows = n.slice(n.shape_of(x), {0}, {x_cols}, {0});
  auto columns = n.slice(n.shape_of(y), {y_cols}, {n.rank(y)}, {0});
  auto shape = n.concat({rows, columns}, 0);
  auto known = n.partial_ints(shape);
  bool one_open = known && std::count(known->begin(), known->end(), -1) <= 1;
  n.out("Out", one_open ? n.reshape(product, *known) : n.emit("Reshape", {product, shape}));
}

void dot(Node& n) {
  auto x = n.in("X");
  auto products = n.emit("Mul", {x, n.in("Y")});
  int last = n.need_rank(x) - 1;
  bool kept = n.out_shape() && n.out_shape()->size() == n.shape(x)->size();  // as it was before 2.5
  n.out("Out", reduce(n, "ReduceSum", products, {last}, kept));
}

// beta * input + alpha * x @ y; Gemm has no kernel for integers.
void addmm(Node& n) {
  auto x = n.in("X"), y = n.in("Y"), input = n.in("Input");
  auto alpha = n.attr("Alpha", 1.0f), beta = n.attr("Beta", 1.0f);
  auto dtype = n.need_dtype(x);
  if (is_floating(dtype)) return n.out("Out", n.emit("Gemm", {x, y, input}, {{"alpha", alpha}, {"beta", beta}}));
  auto product = n.emit("Mul", {n.emit("MatMul", {x, y}), n.scalar(alpha, dtype)});
  n.out("Out", n.emit("Add", {product, n.emit("Mul", {input, n.scalar(beta, dtype)})}));
}

// ONNX writes the equation as Paddle does.
void einsum(Node& n) { n.out("Out", n.emit("Einsum", n.ins("Operands"), {{"equation", n.attr("equation", "")}})); }

}  // namespace

std::span<const Rule> matmul_rules() {
  static const Rule rules[] = {
      {"matmul_v2", 9, matmul_v2},
      {"matmul", 9, matmul_v1},
      {"bmm", 9, as("MatMul", {"X", "Y"})},
      {"mv", 9, as("MatMul", {"X", "Vec"})},
      {"mul", 9, mul},
      {"dot", 9, dot},
      {"addmm", 9, addmm},
      {"determinant", 11, as("Det", {"Input"})},
      {"einsum", 12, einsum},
  };
  return rules;
}

}  // namespace oarlock
