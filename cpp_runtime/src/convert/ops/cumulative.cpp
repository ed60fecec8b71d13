// What is added up, multiplied or compared along an axis, place after place.
#include <cmath>

#include "convert/operands.h"
#include "convert/registry.h"
#include "convert/scan_builder.h"

namespace oarlock {
namespace {

void cumsum(Node& n) {
  auto x = n.in("X");
  if (n.attr("flatten", false)) x = n.reshape(x, {-1});
  if (n.rank(x) == 0) return n.out("Out", x);
  Ints axis = need_ints(n, {"axis", "", ""}, {-1});
  n.require(axis.size() == 1,
            "attribute 'axis' names " + std::to_string(axis.size()) + " axes, not one");
  n.out("Out", n.emit("CumSum", {x, n.int_scalar(axis.at(0))},
                      {{"exclusive", std::int64_t{n.attr("exclusive", false)}},
                       {"reverse", std::int64_t{n.attr("reverse", false)}}}));
}

// The results of steps along an axis.   Scan refuses none, so where there may be none one goes
// along and is left out.
Exprs kept_along(Node& n, const Along& along, const Exprs& start, const Expr& x,
                 const WalkBody& step) {
  if (n.dim(x, along.axis) > 0) return walk(n, along, start, {x}, step).kept;
  auto rank = static_cast<std::size_t>(n.rank(x));
  auto size = size_along(n, x, along.axis);
  auto missing = max(Expr(n, n.ints({1})) - Expr(n, size), 0);
  Ints at(2 * rank, 0);
  at[rank + static_cast<std::size_t>(along.axis)] = 1;
  Expr filled(n, n.emit("Pad", {x, n.emit("Mul", {missing, n.ints(at)}), x.number(0)}));
  n.declare(filled, n.need_dtype(x), n.shape(x));
  Exprs kept = walk(n, along, start, {filled}, step).kept;
  for (Expr& v : kept) {
    auto some = n.emit("Slice", {v, n.ints({0}), size, n.ints({along.axis})});
    n.declare(some, n.need_dtype(v), n.shape(x));
    v = Expr(n, some);
  }
  return kept;
}

void cumprod(Node& n) {
  auto x = in(n, "X");
  if (n.need_rank(x) == 0) return n.out("Out", x);
  auto axis = n.axis("dim", 0, n.rank(x));
  auto one = filled_like(x, 1, shape_without(n, x, axis));
  auto product = [](const Exprs& so_far, const Exprs& next) -> Step {
    auto now = so_far[0] * next[0];
    return {{now}, {now}};
  };
  n.out("Out", kept_along(n, {axis}, {one}, x, product)[0]);
}

// The last of equals, and what is not a number from then on.
Step better(const Exprs& so_far, const Expr& next, bool larger) {
  const Expr &best = so_far[0], &at = so_far[1], &place = so_far[2];
  auto takes = larger ? next >= best : next <= best;
  if (is_floating(next.node().need_dtype(next))) takes = takes || isnan(next);
  auto now = where(takes, next, best), found = where(takes, place, at);
  return {{now, found, place + 1}, {now, found}};
}

Lower running_extreme(bool larger) {
  return [larger](Node& n) {
    auto x = in(n, "x");
    auto dtype = n.attr("dtype", DType::int64);
    if (n.need_rank(x) == 0) return n.out("out", x), n.out("indices", n.scalar(0, dtype));
    auto axis = n.axis("axis", -1, n.rank(x));
    auto shape = shape_without(n, x, axis);
    Expr zero(n, n.int_scalar(0));
    Exprs start = {filled_like(x, larger ? -INFINITY : INFINITY, shape),
                   filled_like(zero, 0, shape), zero};
    auto step = [larger](const Exprs& so_far, const Exprs& next) {
      return better(so_far, next[0], larger);
    };
    auto found = kept_along(n, {axis}, start, x, step);
    n.out("out", found[0]);
    n.out("indices", found[1].to(dtype));
  };
}

void logcumsumexp(Node& n) {
  auto x = in(n, "X");
  if (n.attr("flatten", false)) x = Expr(n, n.reshape(x, {-1}));
  bool exclusive = n.attr("exclusive", false);
  if (n.need_rank(x) == 0) return n.out("Out", exclusive ? x.number(-INFINITY) : x);
  auto axis = n.axis("axis", -1, n.rank(x));
  auto nothing = filled_like(x, -INFINITY, shape_without(n, x, axis));
  auto step = [&](const Exprs& so_far, const Exprs& next) -> Step {
    auto now = log_add_exp(so_far[0], next[0]);
    return {{now}, {exclusive ? so_far[0] : now}};
  };
  n.out("Out", kept_along(n, {axis, n.attr("reverse", false)}, {nothing}, x, step)[0]);
}

}  // namespace

std::span<const Rule> scan_rules() {
  static const Rule rules[] = {
      {"cumsum", 11, cumsum, {.careless = true}}, {"cumprod", 11, cumprod},
      {"cummax", 12, running_extreme(true)},      {"cummin", 12, running_extreme(false)},
      {"logcumsumexp", 12, logcumsumexp},
  };
  return rules;
}

}  // namespace oarlock
