// Activations: elementwise or along one axis. The defaults of attributes are Paddle's, which differ
// from those of ONNX.
#include <cmath>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

bool is_float64(const NodeContext& n, Value x) { return n.dtype(x) == DType::float64; }

Expr clip(const Expr& v, double low, double high) {
  NodeContext& n = v.context();
  if (is_float64(n, v)) n.require_opset(12);
  if (n.opset() >= 11) return v.emit("Clip", {v.scalar_like(low), v.scalar_like(high)});
  return {n, n.emit("Clip", {v},
                    {{"min", static_cast<float>(low)}, {"max", static_cast<float>(high)}})};
}

// log(1 + exp(x)); ONNX Runtime has no float64 kernel, and the formula must not overflow.
Expr softplus(const Expr& x) {
  return is_float64(x.context(), x) ? relu(x) + log(exp(-abs(x)) + 1) : x.emit("Softplus");
}

// GELU by the error function, in the form that ONNX Runtime recognizes and fuses.
Expr gelu_by_erf(const Expr& x) { return x * ((x / std::sqrt(2.0)).emit("Erf") + 1) * 0.5; }

Expr gelu_by_tanh(const Expr& x) {
  auto cube = x.emit("Pow", {x.scalar_like(3)}) * 0.044715;
  return x * 0.5 * (tanh((x + cube) * std::sqrt(2 / M_PI)) + 1);
}

void gelu(NodeContext& n) {
  auto x = input_expr(n, "X");
  bool tanh = n.attr("approximate", false);
  if (n.opset() >= 20)
    return n.set_output(
        "Out", n.emit("Gelu", {x}, {{"approximate", std::string(tanh ? "tanh" : "none")}}));
  n.set_output("Out", tanh ? gelu_by_tanh(x) : gelu_by_erf(x));
}

void elu(NodeContext& n) {
  auto x = input_expr(n, "X");
  auto alpha = n.attr("alpha", 1.0f);
  if (!is_float64(n, x)) return n.set_output("Out", n.emit("Elu", {x}, {{"alpha", alpha}}));
  n.set_output("Out", where(x > 0, x, (exp(x) - 1) * alpha));
}

// max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0)
void celu(NodeContext& n) {
  auto x = input_expr(n, "X");
  double alpha = n.attr("alpha", 1.0f);
  n.set_output("Out", relu(x) + min((exp(x / alpha) - 1) * alpha, 0));
}

void selu(NodeContext& n) {
  auto x = input_expr(n, "X");
  auto scale = n.attr("scale", 1.0507009873554805f), alpha = n.attr("alpha", 1.6732632423543772f);
  if (!is_float64(n, x))
    return n.set_output("Out", n.emit("Selu", {x}, {{"alpha", alpha}, {"gamma", scale}}));
  n.set_output("Out", where(x > 0, x, (exp(x) - 1) * alpha) * scale);
}

void stanh(NodeContext& n) {
  n.set_output("Out",
               tanh(input_expr(n, "X") * n.attr("scale_a", 0.67f)) * n.attr("scale_b", 1.7159f));
}

// log(x / (1 - x))
void logit(NodeContext& n) {
  auto x = input_expr(n, "X");
  auto eps = n.attr("eps", 1e-6f);
  if (eps > 0) x = clip(x, eps, 1.0 - eps);
  n.set_output("Out", log(x / (1 - x)));
}

// ---- thresholds ----

// Multiplies x by 1 where the condition `where` is true, otherwise by 0; infinity times 0 is NaN,
// as in Paddle.
Expr multiply_by_mask(const Expr& x, const Expr& where) {
  return x * where.to(x.context().require_known_dtype(x));
}

void hard_shrink(NodeContext& n) {
  auto x = input_expr(n, "X");
  n.set_output("Out", multiply_by_mask(x, abs(x) > n.attr("threshold", 0.5f)));
}

// x moved towards 0 by lambda, 0 between -lambda and lambda.
void softshrink(NodeContext& n) {
  auto x = input_expr(n, "X");
  double lambda = n.attr("lambda", 0.5f);
  n.require(lambda >= 0, "attribute 'lambda' is negative");
  n.set_output("Out", x - clip(x, -lambda, lambda));
}

void thresholded_relu(NodeContext& n) {
  auto x = input_expr(n, "X");
  n.set_output("Out", multiply_by_mask(x, x > n.attr("threshold", 1.0f)));
}

// log(1 + exp(x)) of x clipped to [-threshold, threshold]
void soft_relu(NodeContext& n) {
  double threshold = n.attr("threshold", 40.0f);
  n.set_output("Out", log(exp(clip(input_expr(n, "X"), -threshold, threshold)) + 1));
}

// At inference, the slope of rrelu for negative x is the mean of the bounds `lower` and `upper`.
void rrelu(NodeContext& n) {
  n.require(n.attr("is_test", false), "in training mode slopes are drawn, which has no lowering");
  auto x = input_expr(n, "X");
  double middle = (n.attr("lower", 0.125f) + n.attr("upper", 1 / 3.0f)) / 2;
  n.set_output("Out", where(x < 0, x * middle, x));
  n.set_output("Noise", where(x < 0, middle, 1, n.require_known_dtype(x)));
}

void hard_sigmoid(NodeContext& n) {
  auto x = input_expr(n, "X");
  auto slope = n.attr("slope", 0.2f), offset = n.attr("offset", 0.5f);
  if (is_float64(n, x)) return n.set_output("Out", clip(x * slope + offset, 0, 1));
  n.set_output("Out", n.emit("HardSigmoid", {x}, {{"alpha", slope}, {"beta", offset}}));
}

// x * clip(x + offset, 0, threshold) / scale
void hard_swish(NodeContext& n) {
  auto x = input_expr(n, "X");
  auto offset = n.attr("offset", 3.0f), threshold = n.attr("threshold", 6.0f),
       scale = n.attr("scale", 6.0f);
  bool is_default = offset == 3 && threshold == 6 && scale == 6;
  if (is_default && n.opset() >= 14 && !is_float64(n, x))
    return n.set_output("Out", x.emit("HardSwish"));
  n.set_output("Out", x * clip(x + offset, 0, threshold) / scale);
}

// softplus(beta * x) / beta, and x where beta * x is above the threshold; from 15 on they are equal
// in float32.
void scaled_softplus(NodeContext& n) {
  auto x = input_expr(n, "X");
  auto beta = n.attr("beta", 1.0f), threshold = n.attr("threshold", 20.0f);
  auto inner = x * beta, smooth = softplus(inner) / beta;
  n.set_output("Out",
               threshold < 15 || is_float64(n, x) ? where(inner > threshold, x, smooth) : smooth);
}

void swish(NodeContext& n) {
  auto x = input_expr(n, "X");
  n.set_output("Out", x * sigmoid(x * n.attr("beta", 1.0f)));
}

// Returns a rule that computes Out as the formula `f` of the input X.
LowerFn unary_formula_rule(Expr (*f)(const Expr&)) {
  return [f](NodeContext& n) { n.set_output("Out", f(input_expr(n, "X"))); };
}

// LeakyRelu as a formula, for float64: ONNX Runtime lacks a float64 kernel of LeakyRelu at some
// opsets.
Expr leaky_relu_formula(const Expr& x, const Expr& slope) { return where(x < 0, x * slope, x); }

void leaky_relu(NodeContext& n) {
  auto x = input_expr(n, "X");
  auto alpha = n.attr("alpha", 0.02f);
  if (is_float64(n, x) && n.opset() >= 9)
    return n.set_output("Out", leaky_relu_formula(x, x.scalar_like(alpha)));
  n.set_output("Out", n.emit("LeakyRelu", {x}, {{"alpha", alpha}}));
}

// By attribute `mode`, prelu has one slope, one per channel, or one per element of a sample.
void prelu(NodeContext& n) {
  auto x = n.input("X"), alpha = n.input("Alpha");
  auto mode = n.attr("mode", "all");
  int rank = n.rank(x);
  if (mode == "all") {
    alpha = n.reshape(alpha, {1});
  } else if (mode == "channel") {
    Ints shape{-1};
    if (!is_channels_last(n, "data_format"))
      shape.resize(static_cast<std::size_t>(std::max(n.require_known_rank(x) - 1, 1)), 1);
    alpha = n.reshape(alpha, shape);
  } else if (n.rank(alpha) < rank) {
    alpha = n.unsqueeze(alpha, {0});
  }
  if (is_float64(n, x) && n.opset() >= 9)
    return n.set_output("Out", leaky_relu_formula(Expr(n, x), Expr(n, alpha)));
  n.set_output("Out", n.emit("PRelu", {x, alpha}));
}

// A rule for `onnx` (Softmax or LogSoftmax) from opset 13 on. A 0-D tensor has no axis that ONNX
// could normalize; its result is `scalar_result`.
LowerFn make_softmax_from_opset13_rule(std::string_view onnx, double scalar_result) {
  return [onnx, scalar_result](NodeContext& n) {
    auto x = n.input("X");
    if (n.rank(x) == 0) return n.set_output("Out", n.scalar_like(scalar_result, x));
    n.set_output("Out", n.emit(onnx, {x}, {{"axis", n.attr("axis", -1)}}));
  };
}

// A rule for `onnx` (Softmax or LogSoftmax) before opset 13, where the op merges all axes from
// `axis` on, which agrees with Paddle only if `axis` is the last axis.
LowerFn make_softmax_before_opset13_rule(std::string_view onnx) {
  return [onnx](NodeContext& n) {
    auto x = n.input("X");
    auto last = n.require_known_rank(x) - 1;
    n.require(n.normalized_axis_attr("axis", -1, last + 1) == last,
              "below opset 13 only the last axis can be normalized");
    n.set_output("Out", n.emit(onnx, {x}, {{"axis", last}}));
  };
}

LowerFn make_clip_rule(const char* low, float default_low, const char* high, float default_high) {
  return [=](NodeContext& n) {
    n.set_output("Out",
                 clip(input_expr(n, "X"), n.attr(low, default_low), n.attr(high, default_high)));
  };
}

}  // namespace

std::span<const Rule> activation_rules() {
  static const Rule rules[] = {
      {"relu", 7, single_op_rule("Relu", {"X"})},
      {"sigmoid", 7, single_op_rule("Sigmoid", {"X"})},
      {"tanh", 7, single_op_rule("Tanh", {"X"})},
      {"leaky_relu", 7, leaky_relu},
      {"softsign", 7, unary_formula_rule([](const Expr& x) {
         return is_float64(x.context(), x) ? x / (abs(x) + 1) : x.emit("Softsign");
       })},
      {"elu", 7, elu},
      {"gelu", 9, gelu},
      {"relu6", 7, make_clip_rule("min", 0, "threshold", 6)},
      {"brelu", 7, make_clip_rule("t_min", 0, "t_max", 24)},
      {"hard_sigmoid", 7, hard_sigmoid},
      {"hard_swish", 7, hard_swish},
      {"softplus", 7, scaled_softplus},
      {"logsigmoid", 7, unary_formula_rule([](const Expr& x) { return -softplus(-x); })},
      {"mish", 7, unary_formula_rule([](const Expr& x) { return x * tanh(softplus(x)); })},
      {"silu", 7, swish},
      {"swish", 7, swish},
      {"tanh_shrink", 7, unary_formula_rule([](const Expr& x) { return x - tanh(x); })},
      {"celu", 8, celu},
      {"selu", 7, selu},
      {"stanh", 7, stanh},
      {"logit", 7, logit},
      {"hard_shrink", 7, hard_shrink},
      {"softshrink", 7, softshrink},
      {"thresholded_relu", 7, thresholded_relu},
      {"soft_relu", 7, soft_relu},
      {"rrelu", 9, rrelu},
      {"prelu", 9, prelu},
      {"softmax", 7, make_softmax_before_opset13_rule("Softmax")},
      {"softmax", 13, make_softmax_from_opset13_rule("Softmax", 1)},
      {"log_softmax", 7, make_softmax_before_opset13_rule("LogSoftmax")},
      {"log_softmax", 13, make_softmax_from_opset13_rule("LogSoftmax", 0)},
  };
  return rules;
}

}  // namespace oarlock
