// Random numbers: of the right distribution, never the numbers that Paddle would draw.
#include "lower/operands.h"
#include "lower/rules.h"

namespace oarlock {
namespace {

// A seed of 0 asks for another sequence in every run.
Node::Attrs seeded(const Node& n, Node::Attrs attrs) {
  if (auto seed = n.attr("seed", 0); seed != 0) attrs.emplace_back("seed", static_cast<float>(seed));
  return attrs;
}

// `onnx` over a shape that need not be known.
Value drawn(Node& n, const std::string& onnx, const Value& shape, DType dtype, Node::Attrs attrs) {
  attrs.emplace_back("dtype", std::int64_t{onnx_of(dtype)});
  auto known = n.const_ints(shape);
  Value y;
  if (known && !known->empty()) {
    attrs.emplace_back("shape", *known);
    y = n.emit(onnx, {}, attrs);
  } else {
    y = n.emit(onnx + "Like", {n.emit("ConstantOfShape", {shape})}, attrs);
  }
  n.declare(y, dtype, known);
  return y;
}

Value wanted_shape(Node& n) { return int_list(n, {"shape", "ShapeTensor", "ShapeTensorList"}); }

void uniform(Node& n) {
  n.require(n.attr("diag_num", 0) == 0, "a diagonal of its own has no lowering");
  auto attrs = seeded(n, {{"low", n.attr("min", -1.0f)}, {"high", n.attr("max", 1.0f)}});
  n.out("Out", drawn(n, "RandomUniform", wanted_shape(n), n.attr("dtype", DType::float32), attrs));
}

void gaussian(Node& n) {
  auto attrs = seeded(n, {{"mean", n.attr("mean", 0.0f)}, {"scale", n.attr("std", 1.0f)}});
  auto dtype = n.attr("dtype", DType::float32);
  auto deviation = n.attr("std", 1.0f);
  n.require(deviation >= 0, "attribute 'std' is negative");
  if (deviation == 0)  // ONNX Runtime ends the process
    return n.out("Out", n.emit("Expand", {n.scalar(n.attr("mean", 0.0f), dtype), wanted_shape(n)}));
  n.out("Out", drawn(n, "RandomNormal", wanted_shape(n), dtype, attrs));
}

void randint(Node& n) {
  auto low = n.attr("low", 0), high = n.attr("high", 1);
  auto attrs = seeded(n, {{"low", static_cast<float>(low)}, {"high", static_cast<float>(high)}});
  n.require(low >= -(1 << 24) && high <= 1 << 24 && low < high, "bounds beyond 2^24 have no lowering");
  auto drawn_numbers = n.emit("Floor", {drawn(n, "RandomUniform", wanted_shape(n), DType::float64, attrs)});
  n.out("Out", n.cast(drawn_numbers, n.attr("dtype", DType::int64)));
}

void randperm(Node& n) {
  auto count = n.attr("n", 1);
  auto keys = drawn(n, "RandomUniform", n.ints({count}), DType::float32, seeded(n, {}));
  auto order = n.emit_n(2, "TopK", {keys, n.ints({count})})[1];
  n.declare(order, DType::int64, Ints{count});
  n.out("Out", n.cast(order, n.attr("dtype", DType::int64)));
}

void bernoulli(Node& n) {
  auto p = n.in("X");
  auto draws = n.emit("RandomUniformLike", {p}, {{"dtype", std::int64_t{onnx_of(n.need_dtype(p))}}});
  n.declare(draws, n.dtype(p), n.shape(p));
  n.out("Out", n.cast(n.emit("Less", {draws, p}), n.dtype(p)));
}

}  // namespace

std::span<const Rule> random_rules() {
  static const Rule rules[] = {
      {"uniform_random", 9, uniform}, {"gaussian_random", 9, gaussian}, {"randint", 9, randint},
      {"randperm", 11, randperm},     {"bernoulli", 9, bernoulli},
  };
  return rules;
}

}  // namespace oarlock
