// Two operands, element by element, broadcast as Paddle does: Y's dims line up with X's from `axis` on.
#include "lower/rules.h"

namespace oarlock {
namespace {

// ONNX aligns at the end; an `axis` further to the front is made up for by trailing ones.
Lower binary(std::string_view onnx) {
  return [onnx](Node& n) {
    auto x = n.in("X"), y = n.in("Y");
    auto axis = n.attr("axis", -1);
    if (axis != -1) {
      auto missing = n.need_rank(x) - n.need_rank(y) - axis;
      Ints ones;
      for (std::int64_t i = 0; i < missing; ++i) ones.push_back(n.rank(y) + i);
      y = n.unsqueeze(y, ones);
    }
    n.out("Out", n.emit(onnx, {x, y}));
  };
}

}  // namespace

std::span<const Rule> elementwise_rules() {
  static const Rule rules[] = {
      {"elementwise_add", 7, binary("Add")},
      {"elementwise_sub", 7, binary("Sub")},
      {"elementwise_mul", 7, binary("Mul")},

      // scale * x + bias, or scale * (x + bias)
      {"scale", 7,
       [](Node& n) {
         auto x = n.in("X");
         double scale = n.attr("scale", 1.0), bias = n.attr("bias", 0.0);
         n.require(!n.has("ScaleTensor"), "a scale that is a tensor has no lowering yet");
         bool after = n.attr("bias_after_scale", true);
         auto add = [&](Value v) { return bias == 0 ? v : n.emit("Add", {v, n.scalar_like(bias, x)}); };
         auto mul = [&](Value v) { return scale == 1 ? v : n.emit("Mul", {v, n.scalar_like(scale, x)}); };
         n.out("Out", after ? add(mul(x)) : mul(add(x)));
       }},
  };
  return rules;
}

}  // namespace oarlock
