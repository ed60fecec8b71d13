// Cumulative sums, products and extremes along an axis.
#include <cmath>

#include "convert/operands.h"
#include "convert/registry.h"
#include "convert/scan_builder.h"

namespace oarlock {
namespace {

void cumsum(NodeContext& n) {
  auto x = n.input("X");
  if (n.attr("flatten", false)) x = n.reshape(x, {-1});
  if (n.rank(x) == 0) return n.set_output("Out", x);
  Ints axis = require_const_int_list(n, {"axis", "", ""}, {-1});
  n.require(axis.size() == 1,
            "attribute 'axis' names " + std::to_string(axis.size()) + " axes, not one");
  n.set_output("Out", n.emit("CumSum", {x, n.int64_scalar(axis.at(0))},
                             {{"exclusive", std::int64_t{n.attr("exclusive", false)}},
                              {"reverse", std::int64_t{n.attr("reverse", false)}}}));
}

// Runs a scan along an axis. ONNX Runtime's Scan rejects empty sequences; if the axis may be empty,
// a dummy step is added, and its result is removed.
Exprs scan_along_axis(NodeContext& n, const ScanAxisAndDirection& along, const Exprs& start,
                      const Expr& x, const ScanBody& step) {
  if (n.dim(x, along.axis) > 0) return build_scan(n, along, start, {x}, step).outputs;
  auto rank = static_cast<std::size_t>(n.rank(x));
  auto size = dim_as_vector(n, x, along.axis);
  auto missing = max(Expr(n, n.int64_vector({1})) - Expr(n, size), 0);
  Ints at(2 * rank, 0);
  at[rank + static_cast<std::size_t>(along.axis)] = 1;
  Expr padded(n,
              n.emit("Pad", {x, n.emit("Mul", {missing, n.int64_vector(at)}), x.scalar_like(0)}));
  n.declare_type(padded, n.require_known_dtype(x), n.shape(x));
  Exprs outputs = build_scan(n, along, start, {padded}, step).outputs;
  for (Expr& v : outputs) {
    auto some = n.emit("Slice", {v, n.int64_vector({0}), size, n.int64_vector({along.axis})});
    n.declare_type(some, n.require_known_dtype(v), n.shape(x));
    v = Expr(n, some);
  }
  return outputs;
}

void cumprod(NodeContext& n) {
  auto x = input_expr(n, "X");
  if (n.require_known_rank(x) == 0) return n.set_output("Out", x);
  auto axis = n.normalized_axis_attr("dim", 0, n.rank(x));
  auto one = full_like(x, 1, shape_except_axis(n, x, axis));
  auto product = [](const Exprs& so_far, const Exprs& next) -> IterationResult {
    auto now = so_far[0] * next[0];
    return {{now}, {now}};
  };
  n.set_output("Out", scan_along_axis(n, {axis}, {one}, x, product)[0]);
}

// Updates the running extreme and its index: of equal elements the last one is selected, and a NaN
// stays selected.
IterationResult running_extreme_step(const Exprs& so_far, const Expr& next, bool larger) {
  const Expr &best = so_far[0], &at = so_far[1], &position = so_far[2];
  auto is_better = larger ? next >= best : next <= best;
  if (is_floating(next.context().require_known_dtype(next))) is_better = is_better || isnan(next);
  auto now = where(is_better, next, best), index = where(is_better, position, at);
  return {{now, index, position + 1}, {now, index}};
}

LowerFn running_extreme_rule(bool larger) {
  return [larger](NodeContext& n) {
    auto x = input_expr(n, "x");
    auto dtype = n.attr("dtype", DType::int64);
    if (n.require_known_rank(x) == 0)
      return n.set_output("out", x), n.set_output("indices", n.scalar(0, dtype));
    auto axis = n.normalized_axis_attr("axis", -1, n.rank(x));
    auto shape = shape_except_axis(n, x, axis);
    Expr zero(n, n.int64_scalar(0));
    Exprs start = {full_like(x, larger ? -INFINITY : INFINITY, shape), full_like(zero, 0, shape),
                   zero};
    auto step = [larger](const Exprs& so_far, const Exprs& next) {
      return running_extreme_step(so_far, next[0], larger);
    };
    auto results = scan_along_axis(n, {axis}, start, x, step);
    n.set_output("out", results[0]);
    n.set_output("indices", results[1].to(dtype));
  };
}

void logcumsumexp(NodeContext& n) {
  auto x = input_expr(n, "X");
  if (n.attr("flatten", false)) x = Expr(n, n.reshape(x, {-1}));
  bool exclusive = n.attr("exclusive", false);
  if (n.require_known_rank(x) == 0)
    return n.set_output("Out", exclusive ? x.scalar_like(-INFINITY) : x);
  auto axis = n.normalized_axis_attr("axis", -1, n.rank(x));
  auto nothing = full_like(x, -INFINITY, shape_except_axis(n, x, axis));
  auto step = [&](const Exprs& so_far, const Exprs& next) -> IterationResult {
    auto now = log_add_exp(so_far[0], next[0]);
    return {{now}, {exclusive ? so_far[0] : now}};
  };
  n.set_output("Out", scan_along_axis(n, {axis, n.attr("reverse", false)}, {nothing}, x, step)[0]);
}

}  // namespace

std::span<const Rule> cumulative_rules() {
  static const Rule rules[] = {
      {"cumsum", 11, cumsum, {.ignore_declared_shape = true}},
      {"cumprod", 11, cumprod},
      {"cummax", 12, running_extreme_rule(true)},
      {"cummin", 12, running_extreme_rule(false)},
      {"logcumsumexp", 12, logcumsumexp},
  };
  return rules;
}

}  // namespace oarlock
