// y = f(x), element by element or along one axis.  Defaults are Paddle's: ONNX disagrees on several.
#include <cmath>

#include "lower/expr.h"
#include "lower/operands.h"
#include "lower/rules.h"

namespace oarlock {
namespace {

bool is_double(const Node& n, const Value& x) { return n.dtype(x) == DType::float64; }

Expr clip(const Expr& v, double low, double high) {
  Node& n = v.node();
  if (is_double(n, v)) n.need_opset(12);
  if (n.opset() >= 11) return v.emit("Clip", {v.number(low), v.number(high)});
  return {n, n.emit("Clip", {v}, {{"min", static_cast<float>(low)}, {"max", static_cast<float>(high)}})};
}

// log(1 + exp(x)); ONNX Runtime has no kernel for doubles, and the sum must not overflow.
Expr softplus(const Expr& x) { return is_double(x.node(), x) ? relu(x) + log(exp(-abs(x)) + 1) : x.emit("Softplus"); }

// Written as ONNX Runtime recognises and fuses it.
Expr gelu_by_erf(const Expr& x) { return x * ((x / std::sqrt(2.0)).emit("Erf") + 1) * 0.5; }

Expr gelu_by_tanh(const Expr& x) {
  auto cube = x.emit("Pow", {x.number(3)}) * 0.044715;
  return x * 0.5 * (tanh((x + cube) * std::sqrt(2 / M_PI)) + 1);
}

void gelu(Node& n) {
  auto x = in(n, "X");
  bool tanh = n.attr("approximate", false);
  if (n.opset() >= 20) return n.out("Out", n.emit("Gelu", {x}, {{"approximate", std::string(tanh ? "tanh" : "none")}}));
  n.out("Out", tanh ? gelu_by_tanh(x) : gelu_by_erf(x));
}

void elu(Node& n) {
  auto x = in(n, "X");
  auto alpha = n.attr("alpha", 1.0f);
  if (!is_double(n, x)) return n.out("Out", n.emit("Elu", {x}, {{"alpha", alpha}}));
  n.out("Out", where(x > 0, x, (exp(x) - 1) * alpha));
}

void hard_sigmoid(Node& n) {
  auto x = in(n, "X");
  auto slope = n.attr("slope", 0.2f), offset = n.attr("offset", 0.5f);
  if (is_double(n, x)) return n.out("Out", clip(x * slope + offset, 0, 1));
  n.out("Out", n.emit("HardSigmoid", {x}, {{"alpha", slope}, {"beta", offset}}));
}

// x * clip(x + offset, 0, threshold) / scale
void hard_swish(Node& n) {
  auto x = in(n, "X");
  auto offset = n.attr("offset", 3.0f), threshold = n.attr("threshold", 6.0f), scale = n.attr("scale", 6.0f);
  bool usual = offset == 3 && threshold == 6 && scale == 6;
  if (usual && n.opset() >= 14 && !is_double(n, x)) return n.out("Out", x.emit("HardSwish"));
  n.out("Out", x * clip(x + offset, 0, threshold) / scale);
}

// softplus(beta * x) / beta, and x itself where beta * x is above the threshold; from 15 on a float sees no difference.
void beta_softplus(Node& n) {
  auto x = in(n, "X");
  auto beta = n.attr("beta", 1.0f), threshold = n.attr("threshold", 20.0f);
  auto inner = x * beta, smooth = softplus(inner) / beta;
  n.out("Out", threshold < 15 || is_double(n, x) ? where(inner > threshold, x, smooth) : smooth);
}

void swish(Node& n) {
  auto x = in(n, "X");
  n.out("Out", x * sigmoid(x * n.attr("beta", 1.0f)));
}

// One operand, one formula.
Lower formula(Expr (*f)(const Expr&)) {
  return [f](Node& n) { n.out("Out", f(in(n, "X"))); };
}

// The slope is one number, one per channel, or one per element of a sample.
void prelu(Node& n) {
  auto x = n.in("X"), alpha = n.in("Alpha");
  auto mode = n.attr("mode", "all");
  int rank = n.rank(x);
  if (mode == "all") {
    alpha = n.reshape(alpha, {1});
  } else if (mode == "channel") {
    Ints shape{-1};
    if (!channels_last(n, "data_format")) shape.resize(static_cast<std::size_t>(std::max(n.need_rank(x) - 1, 1)), 1);
    alpha = n.reshape(alpha, shape);
  } else if (n.rank(alpha) < rank) {
    alpha = n.unsqueeze(alpha, {0});
  }
  n.out("Out", n.emit("PRelu", {x, alpha}));
}

// ONNX has no axis for a 0-d tensor.
Lower along_axis(std::string_view onnx, double of_scalar) {
  return [onnx, of_scalar](Node& n) {
    auto x = n.in("X");
    if (n.rank(x) == 0) return n.out("Out", n.scalar_like(of_scalar, x));
    n.out("Out", n.emit(onnx, {x}, {{"axis", n.attr("axis", -1)}}));
  };
}

// Before 13 they flattened everything from `axis` on; only the last axis means the same.
Lower along_last_axis(std::string_view onnx) {
  return [onnx](Node& n) {
    auto x = n.in("X");
    auto last = n.need_rank(x) - 1;
    n.require(n.axis("axis", -1, last + 1) == last, "below opset 13 only the last axis can be normalised");
    n.out("Out", n.emit(onnx, {x}, {{"axis", last}}));
  };
}

Lower clipped(const char* low, float otherwise_low, const char* high, float otherwise_high) {
  return [=](Node& n) { n.out("Out", clip(in(n, "X"), n.attr(low, otherwise_low), n.attr(high, otherwise_high))); };
}

}  // namespace

std::span<const Rule> activation_rules() {
  static const Rule rules[] = {
      {"relu", 7, as("Relu", {"X"})},
      {"sigmoid", 7, as("Sigmoid", {"X"})},
      {"tanh", 7, as("Tanh", {"X"})},
      {"leaky_relu", 7, as("LeakyRelu", {"X"}, {{"alpha", "alpha", 0.02f}})},
      {"softsign", 7,
       formula([](const Expr& x) { return is_double(x.node(), x) ? x / (abs(x) + 1) : x.emit("Softsign"); })},
      {"elu", 7, elu},
      {"gelu", 9, gelu},
      {"relu6", 7, clipped("min", 0, "threshold", 6)},
      {"brelu", 7, clipped("t_min", 0, "t_max", 24)},
      {"hard_sigmoid", 7, hard_sigmoid},
      {"hard_swish", 7, hard_swish},
      {"softplus", 7, beta_softplus},
      {"logsigmoid", 7, formula([](const Expr& x) { return -softplus(-x); })},
      {"mish", 7, formula([](const Expr& x) { return x * tanh(softplus(x)); })},
      {"silu", 7, swish},
      {"swish", 7, swish},
      {"tanh_shrink", 7, formula([](const Expr& x) { return x - tanh(x); })},
      {"prelu", 9, prelu},
      {"softmax", 7, along_last_axis("Softmax")},
      {"softmax", 13, along_axis("Softmax", 1)},
      {"log_softmax", 7, along_last_axis("LogSoftmax")},
      {"log_softmax", 13, along_axis("LogSoftmax", 0)},
  };
  return rules;
}

}  // namespace oarlock
