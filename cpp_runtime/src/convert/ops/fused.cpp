// Fused ops written by Paddle's passes and layers.
#include <algorithm>
#include <cmath>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// x @ W + Bias. The op fc flattens the dims of x from `in_num_col_dims` on to the columns of a
// matrix.
void fc(NodeContext& n) {
  auto x = n.input("Input");
  auto columns = n.attr("in_num_col_dims", 1);
  auto activation = n.attr("activation_type", "");
  n.require(activation.empty() || activation == "relu",
            "activation '" + activation + "' has no lowering");
  n.require(!n.attr("padding_weights", false), "padded weights have no lowering");
  if (columns + 1 < n.require_known_rank(x)) {
    auto lead = n.slice(n.emit_shape(x), {0}, {columns}, {0});
    x = n.emit("Reshape", {x, n.concat({lead, n.int64_vector({-1})}, 0)});
  }
  auto y = matmul({n, x}, input_expr(n, "W"));
  if (n.has_input("Bias")) y = y + Expr(n, n.reshape(n.input("Bias"), {-1}));
  n.set_output("Out", activation == "relu" ? relu(y) : y);
}

// Softmax of x + mask.
void fused_softmax_mask(NodeContext& n) {
  n.set_output("Out", n.emit("Softmax", {input_expr(n, "X") + input_expr(n, "Mask")},
                             {{"axis", std::int64_t{-1}}}));
}

// Softmax with a causal mask: row i uses columns 0 to i.
void fused_softmax_mask_upper_triangle(NodeContext& n) {
  auto x = input_expr(n, "X");
  int rank = n.require_known_rank(x);
  auto columns = arange(n, dim_as_scalar(n, x, rank - 1));
  auto rows = unsqueeze_last(arange(n, dim_as_scalar(n, x, rank - 2)));
  n.set_output("Out", n.emit("Softmax", {where(columns <= rows, x, -INFINITY)},
                             {{"axis", std::int64_t{-1}}}));
}

// ---- compositions of two functions ----

using Function = Expr (*)(const Expr&);

// The activation function `name`; fails for unknown names. For the name "scale", returns the
// identity and sets `factor` to the attribute `scale`.
Function require_activation_and_set_scale_factor(const NodeContext& n, const std::string& name,
                                                 double& factor) {
  if (name == "scale") return factor = n.attr("scale", 0.0f), [](const Expr& x) { return x; };
  if (name == "relu") return [](const Expr& x) { return relu(x); };
  if (name == "tanh") return [](const Expr& x) { return tanh(x); };
  if (name == "sigmoid") return [](const Expr& x) { return sigmoid(x); };
  n.fail("function '" + name + "' has no lowering");
}

// `add,relu` is add(X, relu(Y)); `relu,add` is relu(add(X, Y)).
void fused_elemwise_activation(NodeContext& n) {
  auto names = n.attr("functor_list", Strings{});
  n.require(names.size() == 2, "needs two functions");
  auto bare = [](const std::string& name) {
    return name.substr(name.find("elementwise_") == 0 ? 12 : 0);
  };
  auto first = bare(names[0]), second = bare(names[1]);
  bool outer_is_binary = first == "add" || first == "mul";
  const std::string &binary = outer_is_binary ? first : second,
                    &unary = outer_is_binary ? second : first;
  n.require(binary == "add" || binary == "mul",
            "functions " + names[0] + " and " + names[1] + " have no lowering");
  double factor = 1;
  auto f = require_activation_and_set_scale_factor(n, unary, factor);
  auto [a, b] = read_operands_aligned_by_axis_attr(n);
  Expr x(n, a), y(n, b);
  if (outer_is_binary) y = f(y) * factor;
  auto both = binary == "add" ? x + y : x * y;
  n.set_output("Out", outer_is_binary ? both : f(both) * factor);
}

}  // namespace

std::span<const Rule> fused_rules() {
  static const Rule rules[] = {
      {"fc", 9, fc},
      {"fused_softmax_mask", 13, fused_softmax_mask},
      {"fused_softmax_mask_upper_triangle", 13, fused_softmax_mask_upper_triangle},
      {"fused_elemwise_activation", 7, fused_elemwise_activation},
  };
  return rules;
}

}  // namespace oarlock
