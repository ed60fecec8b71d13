// y = f(x), element by element or along one axis.  Defaults are Paddle's: ONNX disagrees on several.
#include "lower/rules.h"

namespace oarlock {

std::span<const Rule> activation_rules() {
  static const Rule rules[] = {
      {"relu", 7, as("Relu", {"X"})},
      {"sigmoid", 7, as("Sigmoid", {"X"})},
      {"tanh", 7, as("Tanh", {"X"})},
      {"leaky_relu", 7, as("LeakyRelu", {"X"}, {{"alpha", "alpha", 0.02f}})},
      {"elu", 7, as("Elu", {"X"}, {{"alpha", "alpha", 1.0f}})},

      // Before 13 Softmax flattened everything from `axis` on; only the last axis means the same.
      {"softmax", 7,
       [](Node& n) {
         auto x = n.in("X");
         auto last = n.need_rank(x) - 1;
         n.require(n.axis("axis", -1, last + 1) == last, "below opset 13 only the last axis can be normalised");
         n.out("Out", n.emit("Softmax", {x}, {{"axis", last}}));
       }},
      {"softmax", 13,
       [](Node& n) {
         auto x = n.in("X");
         if (n.rank(x) == 0) return n.out("Out", n.scalar_like(1, x));  // ONNX has no axis for a 0-d tensor
         n.out("Out", n.emit("Softmax", {x}, {{"axis", n.attr("axis", -1)}}));
       }},

      // swish(x) = x * sigmoid(beta * x)
      {"swish", 7,
       [](Node& n) {
         auto x = n.in("X");
         auto beta = n.attr("beta", 1.0f);
         auto inner = beta == 1.0f ? x : n.emit("Mul", {x, n.scalar_like(beta, x)});
         n.out("Out", n.emit("Mul", {x, n.emit("Sigmoid", {inner})}));
       }},
  };
  return rules;
}

}  // namespace oarlock
