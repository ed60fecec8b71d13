// y = f(x), element by element or along one axis.  Defaults are Paddle's: ONNX disagrees on several.
#include <cmath>

#include "lower/operands.h"
#include "lower/rules.h"

namespace oarlock {
namespace {

bool is_double(const Node& n, const Value& x) { return n.dtype(x) == DType::float64; }

Value mul(Node& n, const Value& v, double by) { return by == 1 ? v : n.emit("Mul", {v, n.scalar_like(by, v)}); }
Value add(Node& n, const Value& v, double what) { return what == 0 ? v : n.emit("Add", {v, n.scalar_like(what, v)}); }

Value clip(Node& n, const Value& v, double low, double high) {
  if (is_double(n, v)) n.need_opset(12);
  if (n.opset() < 11) return n.emit("Clip", {v}, {{"min", static_cast<float>(low)}, {"max", static_cast<float>(high)}});
  return n.emit("Clip", {v, n.scalar_like(low, v), n.scalar_like(high, v)});
}

// log(1 + exp(x)); ONNX Runtime has no kernel for doubles, and the sum must not overflow.
Value softplus(Node& n, const Value& x) {
  if (!is_double(n, x)) return n.emit("Softplus", {x});
  auto small = n.emit("Exp", {n.emit("Neg", {n.emit("Abs", {x})})});
  return n.emit("Add", {n.emit("Relu", {x}), n.emit("Log", {add(n, small, 1)})});
}

// Written as ONNX Runtime recognises and fuses it.
Value gelu_by_erf(Node& n, const Value& x) {
  auto erf = n.emit("Erf", {n.emit("Div", {x, n.scalar_like(std::sqrt(2.0), x)})});
  return mul(n, n.emit("Mul", {x, add(n, erf, 1)}), 0.5);
}

Value gelu_by_tanh(Node& n, const Value& x) {
  auto cube = mul(n, n.emit("Pow", {x, n.scalar_like(3, x)}), 0.044715);
  auto inner = mul(n, n.emit("Add", {x, cube}), std::sqrt(2 / M_PI));
  return n.emit("Mul", {mul(n, x, 0.5), add(n, n.emit("Tanh", {inner}), 1)});
}

void gelu(Node& n) {
  auto x = n.in("X");
  bool tanh = n.attr("approximate", false);
  if (n.opset() >= 20) return n.out("Out", n.emit("Gelu", {x}, {{"approximate", std::string(tanh ? "tanh" : "none")}}));
  n.out("Out", tanh ? gelu_by_tanh(n, x) : gelu_by_erf(n, x));
}

void elu(Node& n) {
  auto x = n.in("X");
  auto alpha = n.attr("alpha", 1.0f);
  if (!is_double(n, x)) return n.out("Out", n.emit("Elu", {x}, {{"alpha", alpha}}));
  auto below = mul(n, add(n, n.emit("Exp", {x}), -1), alpha);
  n.out("Out", n.emit("Where", {n.emit("Greater", {x, n.scalar_like(0, x)}), x, below}));
}

void hard_sigmoid(Node& n) {
  auto x = n.in("X");
  auto slope = n.attr("slope", 0.2f), offset = n.attr("offset", 0.5f);
  n.out("Out", is_double(n, x) ? clip(n, add(n, mul(n, x, slope), offset), 0, 1)
                               : n.emit("HardSigmoid", {x}, {{"alpha", slope}, {"beta", offset}}));
}

// x * clip(x + offset, 0, threshold) / scale
void hard_swish(Node& n) {
  auto x = n.in("X");
  auto offset = n.attr("offset", 3.0f), threshold = n.attr("threshold", 6.0f), scale = n.attr("scale", 6.0f);
  bool usual = offset == 3 && threshold == 6 && scale == 6;
  if (usual && n.opset() >= 14 && !is_double(n, x)) return n.out("Out", n.emit("HardSwish", {x}));
  auto gate = clip(n, add(n, x, offset), 0, threshold);
  n.out("Out", n.emit("Div", {n.emit("Mul", {x, gate}), n.scalar_like(scale, x)}));
}

// softplus(beta * x) / beta, and x itself where beta * x is above the threshold; from 15 on a float sees no difference.
void beta_softplus(Node& n) {
  auto x = n.in("X");
  auto beta = n.attr("beta", 1.0f), threshold = n.attr("threshold", 20.0f);
  auto inner = mul(n, x, beta);
  auto smooth = beta == 1 ? softplus(n, inner) : n.emit("Div", {softplus(n, inner), n.scalar_like(beta, x)});
  if (threshold < 15 || is_double(n, x))
    smooth = n.emit("Where", {n.emit("Greater", {inner, n.scalar_like(threshold, x)}), x, smooth});
  n.out("Out", smooth);
}

void swish(Node& n) {
  auto x = n.in("X");
  n.out("Out", n.emit("Mul", {x, n.emit("Sigmoid", {mul(n, x, n.attr("beta", 1.0f))})}));
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
  return [=](Node& n) { n.out("Out", clip(n, n.in("X"), n.attr(low, otherwise_low), n.attr(high, otherwise_high))); };
}

}  // namespace

std::span<const Rule> activation_rules() {
  static const Rule rules[] = {
      {"relu", 7, as("Relu", {"X"})},
      {"sigmoid", 7, as("Sigmoid", {"X"})},
      {"tanh", 7, as("Tanh", {"X"})},
      {"leaky_relu", 7, as("LeakyRelu", {"X"}, {{"alpha", "alpha", 0.02f}})},
      {"softsign", 7,
       [](Node& n) {
         auto x = n.in("X");
         n.out("Out", is_double(n, x) ? n.emit("Div", {x, add(n, n.emit("Abs", {x}), 1)}) : n.emit("Softsign", {x}));
       }},
      {"elu", 7, elu},
      {"gelu", 9, gelu},
      {"relu6", 7, clipped("min", 0, "threshold", 6)},
      {"brelu", 7, clipped("t_min", 0, "t_max", 24)},
      {"hard_sigmoid", 7, hard_sigmoid},
      {"hard_swish", 7, hard_swish},
      {"softplus", 7, beta_softplus},
      {"logsigmoid", 7, [](Node& n) { n.out("Out", n.emit("Neg", {softplus(n, n.emit("Neg", {n.in("X")}))})); }},
      {"mish", 7,
       [](Node& n) {
         auto x = n.in("X");
         n.out("Out", n.emit("Mul", {x, n.emit("Tanh", {softplus(n, x)})}));
       }},
      {"silu", 7, swish},
      {"swish", 7, swish},
      {"tanh_shrink", 7,
       [](Node& n) {
         auto x = n.in("X");
         n.out("Out", n.emit("Sub", {x, n.emit("Tanh", {x})}));
       }},
      {"prelu", 9, prelu},
      {"softmax", 7, along_last_axis("Softmax")},
      {"softmax", 13, along_axis("Softmax", 1)},
      {"log_softmax", 7, along_last_axis("LogSoftmax")},
      {"log_softmax", 13, along_axis("LogSoftmax", 0)},
  };
  return rules;
}

}  // namespace oarlock
