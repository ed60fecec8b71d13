// Random numbers: with Paddle's distribution, but not the same numbers.
#include <cmath>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// A seed of 0 means a new sequence in every run.
NodeContext::Attrs with_seed_attr_unless_zero(const NodeContext& n, NodeContext::Attrs attrs) {
  if (auto seed = n.attr("seed", 0); seed != 0)
    attrs.emplace_back("seed", static_cast<float>(seed));
  return attrs;
}

// Emits the ONNX op `onnx`, which draws random numbers, for a shape that may be known only at run
// time.
Value emit_random(NodeContext& n, const std::string& onnx, Value shape, DType dtype,
                  NodeContext::Attrs attrs) {
  attrs.emplace_back("dtype", std::int64_t{onnx_of(dtype)});
  auto known = n.find_constant_ints(shape);
  Value y;
  if (known && !known->empty()) {
    attrs.emplace_back("shape", *known);
    y = n.emit(onnx, {}, attrs);
  } else {
    y = n.emit(onnx + "Like", {n.emit("ConstantOfShape", {shape})}, attrs);
  }
  n.declare_type(y, dtype, known);
  return y;
}

Value read_output_shape(NodeContext& n) {
  return read_int_list_as_vector(n, {"shape", "ShapeTensor", "ShapeTensorList"});
}

LowerFn uniform_rule(Value (*shape)(NodeContext&)) {
  return [shape](NodeContext& n) {
    n.require(n.attr("diag_num", 0) == 0, "a diagonal of its own has no lowering");
    auto low = n.attr("min", -1.0f), high = n.attr("max", 1.0f);
    n.require(low <= high && std::isfinite(high - low),
              "no numbers lie from " + std::to_string(low) + " to " + std::to_string(high));
    auto attrs = with_seed_attr_unless_zero(n, {{"low", low}, {"high", high}});
    n.set_output("Out",
                 emit_random(n, "RandomUniform", shape(n), n.attr("dtype", DType::float32), attrs));
  };
}

void gaussian(NodeContext& n) {
  auto attrs = with_seed_attr_unless_zero(
      n, {{"mean", n.attr("mean", 0.0f)}, {"scale", n.attr("std", 1.0f)}});
  auto dtype = n.attr("dtype", DType::float32);
  auto deviation = n.attr("std", 1.0f);
  n.require(deviation >= 0, "attribute 'std' is negative");
  if (deviation == 0)  // ONNX Runtime crashes
    return n.set_output(
        "Out", n.emit("Expand", {n.scalar(n.attr("mean", 0.0f), dtype), read_output_shape(n)}));
  n.set_output("Out", emit_random(n, "RandomNormal", read_output_shape(n), dtype, attrs));
}

void randint(NodeContext& n) {
  auto low = n.attr("low", 0), high = n.attr("high", 1);
  auto attrs = with_seed_attr_unless_zero(
      n, {{"low", static_cast<float>(low)}, {"high", static_cast<float>(high)}});
  n.require(low >= -(1 << 24) && high <= 1 << 24 && low < high,
            "bounds beyond 2^24 have no lowering");
  auto samples = n.emit(
      "Floor", {emit_random(n, "RandomUniform", read_output_shape(n), DType::float64, attrs)});
  n.set_output("Out", n.cast(samples, n.attr("dtype", DType::int64)));
}

void randperm(NodeContext& n) {
  auto count = n.attr("n", 1);
  auto keys = emit_random(n, "RandomUniform", n.int64_vector({count}), DType::float32,
                          with_seed_attr_unless_zero(n, {}));
  auto order = n.emit_multi_output(2, "TopK", {keys, n.int64_vector({count})})[1];
  n.declare_type(order, DType::int64, Ints{count});
  n.set_output("Out", n.cast(order, n.attr("dtype", DType::int64)));
}

void bernoulli(NodeContext& n) {
  auto p = n.input("X");
  auto samples = n.emit("RandomUniformLike", {p},
                        {{"dtype", std::int64_t{onnx_of(n.require_known_dtype(p))}}});
  n.declare_type(samples, n.dtype(p), n.shape(p));
  n.set_output("Out", n.cast(n.emit("Less", {samples, p}), n.dtype(p)));
}

// ---- from uniform numbers ----

Expr uniform_like(const Expr& x) {
  NodeContext& n = x.context();
  auto dtype = n.require_known_dtype(x);
  Expr samples(n, n.emit("RandomUniformLike", {x}, {{"dtype", std::int64_t{onnx_of(dtype)}}}));
  n.declare_type(samples, dtype, n.shape(x));
  return samples;
}

// Exponentially distributed samples in the shape of `x`, computed as -log(1 - u); the uniform
// sample u is below 1, so the logarithm is finite.
Expr exponential_like(const Expr& x) { return -log(1 - uniform_like(x)); }

void exponential(NodeContext& n) {
  n.set_output("Out", exponential_like(input_expr(n, "X")) / n.attr("lambda", 1.0f));
}

// Samples without replacement are the indices of the largest log-probabilities with added Gumbel
// noise (-log of an exponentially distributed number).
void multinomial(NodeContext& n) {
  auto x = input_expr(n, "X");
  auto count = n.attr("num_samples", 1);
  require_unrollable_size(n, count, "attribute 'num_samples'");
  auto rows = n.require_known_rank(x) == 1 ? Expr(n, n.unsqueeze(x, {0})) : x;
  auto sample = [&]() -> Value {
    if (!n.attr("replacement", false))
      return n.emit_multi_output(
          2, "TopK", {log(rows) - log(exponential_like(rows)), n.int64_vector({count})})[1];
    NodeContext::Attrs attrs{{"sample_size", count},
                             {"dtype", std::int64_t{onnx_of(DType::int64)}}};
    return n.emit("Multinomial", {log(rows).to(DType::float32)}, attrs);
  };
  auto samples = sample();
  n.declare_type(samples, DType::int64, Ints{n.dim(rows, 0), count});
  n.set_output("Out", n.rank(x) == 1 ? n.squeeze(samples, {0}) : samples);
}

// Softmax of scores with Gumbel noise; with attribute `hard`, the one-hot vector of the maximum.
void gumbel_softmax(NodeContext& n) {
  auto x = input_expr(n, "X");
  auto axis = n.normalized_axis_attr("axis", -1, n.require_known_rank(x));
  auto noisy = (x - log(exponential_like(x))) / n.attr("temperature", 1.0f);
  if (!n.attr("hard", false))
    return n.set_output("Out", n.emit("Softmax", {noisy}, {{"axis", axis}}));
  Expr best(n, n.emit("ArgMax", {noisy}, {{"axis", axis}, {"keepdims", std::int64_t{1}}}));
  Ints trailing_axes;
  for (auto a = axis + 1; a < n.rank(x); ++a) trailing_axes.push_back(a - axis);
  Expr positions(n, n.unsqueeze(arange(n, dim_as_scalar(n, x, axis)), trailing_axes));
  n.set_output("Out", (positions == best).to(n.require_known_dtype(x)));
}

}  // namespace

std::span<const Rule> random_rules() {
  static const Rule rules[] = {
      {"uniform_random", 9, uniform_rule(read_output_shape)},
      {"uniform_random_batch_size_like", 9, uniform_rule(shape_attr_with_batch_size)},
      {"gaussian_random", 9, gaussian},
      {"randint", 9, randint},
      {"randperm", 11, randperm},
      {"exponential", 9, exponential},
      {"multinomial", 11, multinomial},
      {"gumbel_softmax", 13, gumbel_softmax},
      {"bernoulli", 9, bernoulli},
  };
  return rules;
}

}  // namespace oarlock
