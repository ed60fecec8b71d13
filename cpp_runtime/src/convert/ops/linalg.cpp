// Systems of equations, inverses, decompositions: matrices in the last two axes, of any size, one
// loop over it.
#include <cmath>
#include <cstdlib>

#include "convert/operands.h"
#include "convert/registry.h"
#include "convert/scan_builder.h"

namespace oarlock {
namespace {

// ---- parts of matrices ----

// Of the square matrices; and the numbers of their rows.
Expr size_of(const Expr& v) {
  return {v.node(), length_along(v.node(), v, v.node().need_rank(v) - 2)};
}
Expr numbers_of(const Expr& v) { return counted(v.node(), size_of(v)); }

Expr taken(const Expr& v, const Expr& at, std::int64_t from_back) {
  Node& n = v.node();
  return {n, n.emit("Gather", {v, at}, {{"axis", n.need_rank(v) - from_back}})};
}

// Whole numbers would be divided as such.
Expr floats_in(Node& n, std::string_view slot) {
  auto x = in(n, slot);
  n.require(is_floating(n.need_dtype(x)), "needs " + std::string(slot) + " of floats");
  return x;
}

Expr row(const Expr& v, const Expr& at) { return taken(v, at, 2); }
Expr column(const Expr& v, const Expr& at) { return taken(v, at, 1); }
Expr as_row(const Expr& v) { return {v.node(), v.node().unsqueeze(v, {-2})}; }
Expr product(const Expr& a, const Expr& b) { return a.emit("MatMul", {b}); }
Expr adjoint(const Expr& v) { return {v.node(), v.node().swap_last(v)}; }

// What a loop kept, [steps, *], with the steps as the last axis.
Expr steps_last(const Expr& kept) {
  Ints perm = all_axes(kept.node().need_rank(kept));
  std::rotate(perm.begin(), perm.begin() + 1, perm.end());
  return {kept.node(), kept.node().transpose(kept, perm)};
}

Expr identity(const Expr& like) {
  Node& n = like.node();
  auto rows = numbers_of(like);
  return (as_column(rows) == rows).to(n.need_dtype(like));
}

// ---- elimination ----

// Of [A | B]: A made diagonal, what became of B, the diagonal, and the sign of the order that rows
// were taken in.
struct Eliminated {
  Expr all, pivots, signs;
};

// The row with the largest element of column k takes place k.
Expr pivoted(const Expr& m, const Expr& k, const Expr& rows, const Expr& best) {
  auto order = where(rows == k, best, where(rows == best, k, rows));
  auto spread = as_column(order).emit("Expand", {m.node().shape_of(m)});
  std::int64_t axis = m.node().need_rank(m) - 2;
  return {m.node(), m.node().emit("GatherElements", {m, spread}, {{"axis", axis}})};
}

// Gauss and Jordan's way, with the largest pivot of each column.
Eliminated eliminated(const Expr& augmented) {
  Node& n = augmented.node();
  auto size = size_of(augmented), rows = numbers_of(augmented);
  auto made = repeat(n, size, {augmented}, [&](const Expr& k, const Exprs& states) -> Step {
    auto reach = where(rows < k, -1, abs(column(states[0], k)));
    Expr best(
        n, n.emit("ArgMax", {reach}, {{"axis", std::int64_t{-1}}, {"keepdims", std::int64_t{1}}}));
    auto m = pivoted(states[0], k, rows, best);
    auto base = row(m, k), pivot = column(base, k);
    auto others = where(rows == k || as_column(pivot) == 0, 0, column(m, k) / as_column(pivot));
    auto sign = where(Expr(n, n.squeeze(best, {-1})) == k, 1, -1, n.need_dtype(m));
    return {{m - as_column(others) * as_row(base)}, {pivot, sign}};
  });
  return {made.states[0], made.kept[0], made.kept[1]};
}

// Both with the leading axes that they have together.
Expr beside(const Expr& a, const Expr& b) {
  Node& n = a.node();
  auto corner = [&](const Expr& v) { return Expr(n, n.slice(v, {0, 0}, {1, 1}, {-2, -1})); };
  int rank = std::max(n.need_rank(a), n.need_rank(b));
  auto spread = [&](const Expr& v) {
    if (rank == 2) return v;
    auto lead = n.slice(n.shape_of(corner(a) + corner(b)), {0}, {-2}, {0});
    auto own = n.slice(n.shape_of(v), {-2}, {n.rank(v)}, {0});
    return v.emit("Expand", {n.concat({lead, own}, 0)});
  };
  return {n, n.concat({spread(a), spread(b)}, rank - 1)};
}

// A ** -1 @ B
Expr solved(const Expr& a, const Expr& b) {
  Node& n = a.node();
  auto done = eliminated(beside(a, b));
  constexpr std::int64_t end = INT64_MAX;
  auto size = size_along(n, a, n.rank(a) - 1);
  Expr right(n, n.emit("Slice", {done.all, size, n.ints({end}), n.ints({-1})}));
  n.declare(right, n.dtype(a), Ints(static_cast<std::size_t>(n.rank(done.all)), -1));
  return right / as_column(steps_last(done.pivots));
}

Expr inverted(const Expr& a) { return solved(a, identity(a)); }

void inverse(Node& n) { n.out("Output", inverted(floats_in(n, "Input"))); }

// Whether `b` is a vector, or as many of them as there are matrices in `a`.
bool holds_vectors(const Node& n, const Value& a, const Value& b) {
  if (n.need_rank(b) == 1 || n.rank(b) + 1 != n.need_rank(a)) return n.rank(b) == 1;
  for (int axis = 0; axis < n.rank(b); ++axis) {
    auto wanted = n.dim(a, axis), found = n.dim(b, axis);
    if (wanted >= 0 && found >= 0 && wanted != found) return false;
    n.require(wanted >= 0 && found >= 0,
              "vectors or matrices: needs the sizes of both operands to be known");
  }
  return true;
}

void solve(Node& n) {
  auto a = floats_in(n, "X"), b = floats_in(n, "Y");
  if (!holds_vectors(n, a, b)) return n.out("Out", solved(a, b));
  n.out("Out", n.squeeze(solved(a, as_column(b)), {-1}));
}

// Signs, and logarithms of sizes.   [2,*]
void slogdeterminant(Node& n) {
  auto done = eliminated(floats_in(n, "Input"));
  auto signs = reduce(n, "ReduceProd", done.signs * sign(done.pivots), {0}, true);
  auto logs = reduce(n, "ReduceSum", log(abs(done.pivots)), {0}, true);
  n.out("Out", n.concat({signs, logs}, 0));
}

// ONNX Runtime has it for float32 only.
void determinant(Node& n) {
  auto x = in(n, "Input");
  if (n.need_dtype(x) != DType::float64) return n.out("Out", x.emit("Det"));
  n.need_opset(13);
  auto done = eliminated(x);
  n.out("Out", reduce(n, "ReduceProd", done.signs * done.pivots, {0}, false));
}

// By squares: as many products as the exponent has digits, twice.
void matrix_power(Node& n) {
  auto x = floats_in(n, "X");
  auto exponent = n.attr("n", 0);
  n.need_rank(x);
  auto base = exponent < 0 ? inverted(x) : x, found = identity(x);
  if (exponent == 0) return n.out("Out", found.emit("Expand", {n.shape_of(x)}));
  bool any = false;
  for (auto rest = std::llabs(exponent); rest > 0; rest /= 2) {
    if (rest % 2) found = any ? product(found, base) : base, any = true;
    if (rest > 1) base = product(base, base);
  }
  n.out("Out", found);
}

// ---- triangles ----

// One triangle; `unit`: with ones on the diagonal.
Expr triangle(const Expr& a, bool upper, bool unit) {
  auto columns = numbers_of(a), rows = as_column(columns);
  auto part = where(upper ? rows <= columns : rows >= columns, a, 0);
  return unit ? where(rows == columns, 1, part) : part;
}

void triangular_solve(Node& n) {
  bool upper = n.attr("upper", true);
  auto a = triangle(floats_in(n, "X"), upper, n.attr("unitriangular", false));
  n.out("Out", solved(n.attr("transpose", false) ? adjoint(a) : a, floats_in(n, "Y")));
}

// Column by column, each taken off what is left: only one triangle is read.
Expr cholesky_factor(const Expr& lower) {
  Node& n = lower.node();
  auto size = size_of(lower), rows = numbers_of(lower);
  auto made = repeat(n, size, {lower}, [&](const Expr& k, const Exprs& left) -> Step {
    auto line = column(left[0], k);
    auto pivot = taken(line, k, 1);
    auto next = where(rows < k, 0, line / as_column(sqrt(pivot)));
    return {{left[0] - as_column(next) * as_row(next)}, {next}};
  });
  return steps_last(made.kept[0]);
}

void cholesky(Node& n) {
  auto x = floats_in(n, "X");
  bool upper = n.attr("upper", false);
  auto factor = cholesky_factor(upper ? adjoint(x) : x);
  n.out("Out", upper ? adjoint(factor) : factor);
}

// Y is a factor of what is to be solved.
void cholesky_solve(Node& n) {
  bool upper = n.attr("upper", false);
  auto factor = triangle(floats_in(n, "Y"), upper, false);
  auto lower = upper ? adjoint(factor) : factor;
  n.out("Out", solved(adjoint(lower), solved(lower, floats_in(n, "X"))));
}

// ---- norms ----

// A column.
Expr unit(const Expr& v, double eps) {
  return v / (Expr(v.node(), reduce(v.node(), "ReduceL2", v, {}, false)) + eps);
}

constexpr std::int64_t kMostIterations =
    100000;  // a file must not be able to make the engine run for ever

// The weight over its largest singular value, by power iteration from U and V.
void spectral_norm(Node& n) {
  auto weight = in(n, "Weight"), u = as_column(in(n, "U")), v = as_column(in(n, "V"));
  Ints perm = all_axes(n.need_rank(weight));
  auto dim = n.axis("dim", 0, n.rank(weight)), iterations = n.attr("power_iters", 1);
  n.require(iterations >= 0 && iterations <= kMostIterations,
            "attribute 'power_iters' is " + std::to_string(iterations));
  std::rotate(perm.begin(), perm.begin() + dim, perm.begin() + dim + 1);
  Expr rows(n, n.emit("Flatten", {n.transpose(weight, perm)}, {{"axis", std::int64_t{1}}}));
  double eps = n.attr("eps", 1e-12f);
  auto better = [&](const Expr&, const Exprs& last) -> Step {
    auto right = unit(product(adjoint(rows), last[0]), eps);
    return {{unit(product(rows, right), eps), right}, {}};
  };
  auto found = repeat(n, n.int_scalar(iterations), {u, v}, better).states;
  auto size = product(adjoint(found[0]), product(rows, found[1]));
  n.out("Out", weight / Expr(n, n.reshape(size, {})));
}

}  // namespace

std::span<const Rule> linalg_rules() {
  static const Rule rules[] = {
      {"inverse", 13, inverse},
      {"solve", 13, solve},
      {"determinant", 11, determinant, {.careless = true}},
      {"slogdeterminant", 13, slogdeterminant},
      {"matrix_power", 13, matrix_power},
      {"triangular_solve", 13, triangular_solve},
      {"cholesky", 13, cholesky},
      {"cholesky_solve", 13, cholesky_solve},
      {"spectral_norm", 13, spectral_norm},
  };
  return rules;
}

}  // namespace oarlock
