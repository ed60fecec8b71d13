// Products of matrices and vectors.
#include <algorithm>
#include <numeric>
#include <optional>

#include "convert/operands.h"
#include "convert/quantized_conv_matmul.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// The input `slot`, transposed if the attribute `transpose_attr` is true, except a vector: Paddle
// ignores the attribute for vectors.
Value read_operand_with_transpose(NodeContext& n, std::string_view slot,
                                  std::string_view transpose_attr) {
  auto v = n.input(slot);
  return n.attr(transpose_attr, false) && n.rank(v) != 1 ? n.swap_last_axes(v) : v;
}

// ONNX Runtime 1.31 fuses the transposition of one operand incorrectly if the other operand is a
// vector, so the vector is multiplied as a matrix.
Value emit_quantized_or_float_matmul(NodeContext& n, Value x, Value y, bool swapped) {
  if (auto product = try_emit_dynamically_quantized_matmul(n, x, y)) return product;
  x = copy_dequantize_for_matmul(n, x, y);
  if (swapped && n.rank(y) == 1) return n.squeeze(n.emit("MatMul", {x, n.unsqueeze(y, {1})}), {-1});
  if (swapped && n.rank(x) == 1) return n.squeeze(n.emit("MatMul", {n.unsqueeze(x, {0}), y}), {-2});
  return n.emit("MatMul", {x, y});
}

void matmul_v2(NodeContext& n) {
  auto x = read_operand_with_transpose(n, "X", "trans_x"),
       y = read_operand_with_transpose(n, "Y", "trans_y");
  n.set_output("Out",
               emit_quantized_or_float_matmul(n, x, y, x != n.input("X") || y != n.input("Y")));
}

// The op matmul (version 1) multiplies the product by `alpha`.
void matmul_v1(NodeContext& n) {
  auto x = read_operand_with_transpose(n, "X", "transpose_X"),
       y = read_operand_with_transpose(n, "Y", "transpose_Y");
  auto product = emit_quantized_or_float_matmul(n, x, y, x != n.input("X") || y != n.input("Y"));
  auto alpha = n.attr("alpha", 1.0f);
  if (n.rank(x) == 1 && n.rank(y) == 1) n.declare_type(product, n.dtype(x), Ints{});
  set_scalar_output_as_declared(
      n, "Out",
      alpha == 1 ? product : n.emit("Mul", {product, n.scalar(alpha, n.require_known_dtype(x))}));
}

// The op `mul` flattens X and Y to matrices and multiplies them: the first `x_num_col_dims` axes of
// X (`y_num_col_dims` of Y) become the rows.
void mul(NodeContext& n) {
  auto x = n.input("X"), y = n.input("Y");
  auto x_cols = n.attr("x_num_col_dims", 1), y_cols = n.attr("y_num_col_dims", 1);
  if (n.require_known_rank(y) == 2 && y_cols == 1 && x_cols == n.require_known_rank(x) - 1)
    return n.set_output("Out", emit_quantized_or_float_matmul(n, x, y, false));
  auto product = n.emit("MatMul", {n.emit("Flatten", {x}, {{"axis", x_cols}}),
                                   n.emit("Flatten", {y}, {{"axis", y_cols}})});
  auto rows = n.slice(n.emit_shape(x), {0}, {x_cols}, {0});
  auto columns = n.slice(n.emit_shape(y), {y_cols}, {n.rank(y)}, {0});
  auto shape = n.concat({rows, columns}, 0);
  auto known = n.find_partially_known_ints(shape);
  bool one_dynamic = known && std::count(known->begin(), known->end(), -1) <= 1;
  n.set_output("Out",
               one_dynamic ? n.reshape(product, *known) : n.emit("Reshape", {product, shape}));
}

void dot(NodeContext& n) {
  auto x = n.input("X");
  auto products = n.emit("Mul", {x, n.input("Y")});
  int last = n.require_known_rank(x) - 1;
  bool keepdims = n.declared_output_shape() &&
                  n.declared_output_shape()->size() == n.shape(x)->size();  // behavior before 2.5
  n.set_output("Out", reduce(n, "ReduceSum", products, {last}, keepdims));
}

// beta * input + alpha * x @ y; Gemm has no kernel for integers.
void addmm(NodeContext& n) {
  auto x = n.input("X"), y = n.input("Y"), input = n.input("Input");
  auto alpha = n.attr("Alpha", 1.0f), beta = n.attr("Beta", 1.0f);
  auto dtype = n.require_known_dtype(x);
  if (is_floating(dtype))
    return n.set_output("Out", n.emit("Gemm", {x, y, input}, {{"alpha", alpha}, {"beta", beta}}));
  auto product = n.emit("Mul", {n.emit("MatMul", {x, y}), n.scalar(alpha, dtype)});
  n.set_output("Out", n.emit("Add", {product, n.emit("Mul", {input, n.scalar(beta, dtype)})}));
}

// Multiplies the matrices from left to right; another order would be faster for some sizes, but
// would not change the result.
void multi_dot(NodeContext& n) {
  auto parts = require_one_or_more_inputs(n, "X");
  Value product = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) product = n.emit("MatMul", {product, parts[i]});
  n.set_output("Out", product);
}

// The position and number of the dims that "..." stands for in an operand.
struct EllipsisDims {
  std::int64_t position, num_dims;
};

// The dims of "..." in each operand; nullopt for an operand without "...".
std::vector<std::optional<EllipsisDims>> find_ellipsis_dims_by_operand(const NodeContext& n,
                                                                       const std::string& equation,
                                                                       const Values& operands) {
  std::vector<std::optional<EllipsisDims>> ellipses;
  std::size_t from = 0;
  for (Value v : operands) {
    auto to = std::min(equation.find_first_of(",-", from), equation.size());
    std::string term = equation.substr(from, to - from);
    term.erase(std::remove(term.begin(), term.end(), ' '), term.end());
    auto at = term.find("...");
    ellipses.emplace_back();
    if (at != std::string::npos)
      ellipses.back() = {static_cast<std::int64_t>(at),
                         n.require_known_rank(v) - static_cast<std::int64_t>(term.size() - 3)};
    from = to + 1;
  }
  return ellipses;
}

// ONNX's and Paddle's einsum have the same equation syntax. ONNX Runtime's Einsum broadcasts the
// dims of "..." only if "..." stands for the same number of dims in all operands.
void einsum(NodeContext& n) {
  auto operands = require_one_or_more_inputs(n, "Operands");
  auto equation = n.attr("equation", "");
  auto inputs = equation.substr(0, equation.find("->"));
  n.require(operands.size() ==
                static_cast<std::size_t>(1 + std::count(inputs.begin(), inputs.end(), ',')),
            "the equation '" + equation + "' is not for " + std::to_string(operands.size()) +
                " operands");
  auto ellipses = find_ellipsis_dims_by_operand(n, equation, operands);
  std::int64_t most = 0;
  for (const auto& e : ellipses) most = std::max(most, e ? e->num_dims : 0);
  for (std::size_t i = 0; i < ellipses.size(); ++i) {
    if (!ellipses[i]) continue;
    Ints ones(static_cast<std::size_t>(most - ellipses[i]->num_dims));
    std::iota(ones.begin(), ones.end(), ellipses[i]->position);
    operands[i] = n.unsqueeze(operands[i], ones);
  }
  n.set_output("Out", n.emit("Einsum", operands, {{"equation", equation}}));
}

}  // namespace

std::span<const Rule> matmul_rules() {
  static const Rule rules[] = {
      {"matmul_v2", 9, matmul_v2, {.ignore_declared_shape = true}},
      {"matmul", 9, matmul_v1, {.ignore_declared_shape = true}},
      {"bmm", 9, single_op_rule("MatMul", {"X", "Y"})},
      {"mv", 9, single_op_rule("MatMul", {"X", "Vec"})},
      {"mul", 9, mul, {.ignore_declared_shape = true}},
      {"dot", 9, dot},
      {"addmm", 9, addmm},
      {"multi_dot", 9, multi_dot},
      {"einsum", 12, einsum},
  };
  return rules;
}

}  // namespace oarlock
