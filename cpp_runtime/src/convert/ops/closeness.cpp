// Whether values are close, all equal, or there at all.
#include <cmath>
#include <cstdlib>

#include "base/decimal.h"
#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// A tolerance is text, or a tensor of one number; a FLOAT in files of Paddle 1.8.
Expr tolerance(Node& n, std::string_view slot, std::string_view attr, const char* otherwise) {
  if (n.has(slot)) return Expr(n, as_scalar(n, n.in(slot))).to(DType::float64);
  if (n.has_float(attr)) return {n, n.scalar(n.attr(attr, 0.0), DType::float64)};
  auto text = n.attr(attr, otherwise);
  auto value = parse_double(text);
  n.require(value.has_value(),
            "attribute '" + std::string(attr) + "' is '" + text + "', not a number");
  return {n, n.scalar(*value, DType::float64)};
}

// |x - y| <= atol + rtol * |y|, or equal: in float64, as Paddle computes it.
Expr close(Node& n) {
  auto x = in(n, "Input").to(DType::float64), y = in(n, "Other").to(DType::float64);
  auto limit = tolerance(n, "Atol", "atol", "1e-8") + tolerance(n, "Rtol", "rtol", "1e-5") * abs(y);
  auto found = x == y || abs(x - y) <= limit;
  return n.attr("equal_nan", false) ? found || (isnan(x) && isnan(y)) : found;
}

// True of nothing at all.
Expr all(const Expr& truths) {
  Node& n = truths.node();
  Expr misses(n, reduce(n, "ReduceSum", (!truths).to(DType::int64), {}, false));
  return misses == 0;
}

void isclose(Node& n) { n.out("Out", close(n)); }

void allclose(Node& n) { out_scalar(n, "Out", all(close(n))); }

// Tensors of different shapes are not compared: they might broadcast.
Expr equal_where_alike(Node& n, const Expr& x, const Expr& y) {
  Expr sizes(n, n.shape_of(x)), others(n, n.shape_of(y));
  auto same = n.subgraph("same", [&](Node& b) { b.result(all(x == y)); });
  auto other = n.subgraph("other", [&](Node& b) { b.result(b.scalar(0, DType::boolean)); });
  auto found =
      n.emit("If", {all(sizes == others)}, {{"then_branch", same}, {"else_branch", other}});
  n.declare(found, DType::boolean, Ints{});
  return {n, found};
}

void equal_all(Node& n) {
  auto x = in(n, "X"), y = in(n, "Y");
  auto a = n.shape(x), b = n.shape(y);
  n.require(a && b, "needs the ranks of both operands to be known");
  bool differ = a->size() != b->size();
  for (std::size_t i = 0; !differ && i < a->size(); ++i)
    differ = (*a)[i] >= 0 && (*b)[i] >= 0 && (*a)[i] != (*b)[i];
  if (differ) return out_scalar(n, "Out", n.scalar(0, DType::boolean));
  bool alike = a == b && std::count(a->begin(), a->end(), -1) == 0;
  out_scalar(n, "Out", alike ? all(x == y) : equal_where_alike(n, x, y));
}

void is_empty(Node& n) {
  Expr count(n, n.emit("Size", {n.in("X")}));
  out_scalar(n, "Out", count == 0);
}

}  // namespace

std::span<const Rule> closeness_rules() {
  static const Rule rules[] = {
      {"isclose", 11, isclose},
      {"allclose", 11, allclose},
      {"equal_all", 11, equal_all},
      {"is_empty", 11, is_empty},
  };
  return rules;
}

}  // namespace oarlock
