// Cumulative sums, products and extremes along an axis.
#include <cmath>

#include "convert/operands.h"
#include "convert/registry.h"
#include "convert/scan_builder.h"

namespace oarlock {
namespace {

void cumsum(NodeContext& n) {
  auto x = n.in("X");
  if (n.attr("flatten", false)) x = n.reshape(x, {-1});
  if (n.rank(x) == 0) return n.out("Out", x);
  Ints axis = require_ints(n, {"axis", "", ""}, {-1});
  n.require(axis.size() == 1,
            "attribute 'axis' names " + std::to_string(axis.size()) + " axes, not one");
  n.out("Out", n.emit("CumSum", {x, n.int_scalar(axis.at(0))},
                      {{"exclusive", std::int64_t{n.attr("exclusive", false)}},
                       {"reverse", std::int64_t{n.attr("reverse", false)}}}));
}

// Runs a scan along an axis.  Scan rejects empty sequences, so a dummy step is added and removed if
// the axis may be empty.
Exprs scan_along_axis(NodeContext& n, const ScanAxis& along, const Exprs& start, const Expr& x,
                      const ScanBody& step) {
  if (n.dim(x, along.axis) > 0) return build_scan(n, along, start, {x}, step).outputs;
  auto rank = static_cast<std::size_t>(n.rank(x));
  auto size = dim_as_vector(n, x, along.axis);
  auto missing = max(Expr(n, n.ints({1})) - Expr(n, size), 0);
  Ints at(2 * rank, 0);
  at[rank + static_cast<std::size_t>(along.axis)] = 1;
  Expr filled(n, n.emit("Pad", {x, n.emit("Mul", {missing, n.ints(at)}), x.scalar_like(0)}));
  n.declare_type(filled, n.require_dtype(x), n.shape(x));
  Exprs kept = build_scan(n, along, start, {filled}, step).outputs;
  for (Expr& v : kept) {
    auto some = n.emit("Slice", {v, n.ints({0}), size, n.ints({along.axis})});
    n.declare_type(some, n.require_dtype(v), n.shape(x));
    v = Expr(n, some);
  }
  return kept;
}

void cumprod(NodeContext& n) {
  auto x = in(n, "X");
  if (n.require_rank(x) == 0) return n.out("Out", x);
  auto axis = n.axis_attr("dim", 0, n.rank(x));
  auto one = full_like(x, 1, shape_except_axis(n, x, axis));
  auto product = [](const Exprs& so_far, const Exprs& next) -> ScanStep {
    auto now = so_far[0] * next[0];
    return {{now}, {now}};
  };
  n.out("Out", scan_along_axis(n, {axis}, {one}, x, product)[0]);
}

// Updates the running extreme and its index: of equal elements the last one is selected, and a NaN
// stays selected.
ScanStep running_best(const Exprs& so_far, const Expr& next, bool larger) {
  const Expr &best = so_far[0], &at = so_far[1], &place = so_far[2];
  auto takes = larger ? next >= best : next <= best;
  if (is_floating(next.node().require_dtype(next))) takes = takes || isnan(next);
  auto now = where(takes, next, best), found = where(takes, place, at);
  return {{now, found, place + 1}, {now, found}};
}

LowerFn running_extreme(bool larger) {
  return [larger](NodeContext& n) {
    auto x = in(n, "x");
    auto dtype = n.attr("dtype", DType::int64);
    if (n.require_rank(x) == 0) return n.out("out", x), n.out("indices", n.scalar(0, dtype));
    auto axis = n.axis_attr("axis", -1, n.rank(x));
    auto shape = shape_except_axis(n, x, axis);
    Expr zero(n, n.int_scalar(0));
    Exprs start = {full_like(x, larger ? -INFINITY : INFINITY, shape), full_like(zero, 0, shape),
                   zero};
    auto step = [larger](const Exprs& so_far, const Exprs& next) {
      return running_best(so_far, next[0], larger);
    };
    auto found = scan_along_axis(n, {axis}, start, x, step);
    n.out("out", found[0]);
    n.out("indices", found[1].to(dtype));
  };
}

void logcumsumexp(NodeContext& n) {
  auto x = in(n, "X");
  if (n.attr("flatten", false)) x = Expr(n, n.reshape(x, {-1}));
  bool exclusive = n.attr("exclusive", false);
  if (n.require_rank(x) == 0) return n.out("Out", exclusive ? x.scalar_like(-INFINITY) : x);
  auto axis = n.axis_attr("axis", -1, n.rank(x));
  auto nothing = full_like(x, -INFINITY, shape_except_axis(n, x, axis));
  auto step = [&](const Exprs& so_far, const Exprs& next) -> ScanStep {
    auto now = log_add_exp(so_far[0], next[0]);
    return {{now}, {exclusive ? so_far[0] : now}};
  };
  n.out("Out", scan_along_axis(n, {axis, n.attr("reverse", false)}, {nothing}, x, step)[0]);
}

}  // namespace

std::span<const Rule> cumulative_rules() {
  static const Rule rules[] = {
      {"cumsum", 11, cumsum, {.ignore_declared_shape = true}},
      {"cumprod", 11, cumprod},
      {"cummax", 12, running_extreme(true)},
      {"cummin", 12, running_extreme(false)},
      {"logcumsumexp", 12, logcumsumexp},
  };
  return rules;
}

}  // namespace oarlock
