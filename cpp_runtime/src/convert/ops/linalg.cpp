// Linear algebra: solving, inverses and decompositions of matrices in the last two axes, as one
// loop.
#include <cmath>
#include <cstdlib>

#include "convert/operands.h"
#include "convert/registry.h"
#include "convert/scan_builder.h"

namespace oarlock {
namespace {

// ---- parts of matrices ----

// The size of square matrices; and their row numbers.
Expr matrix_size(const Expr& v) {
  return {v.node(), dim_as_scalar(v.node(), v, v.node().require_rank(v) - 2)};
}
Expr row_numbers(const Expr& v) { return arange(v.node(), matrix_size(v)); }

Expr take(const Expr& v, const Expr& at, std::int64_t from_back) {
  NodeContext& n = v.node();
  return {n, n.emit("Gather", {v, at}, {{"axis", n.require_rank(v) - from_back}})};
}

// Integers are cast: they would be divided as integers.
Expr float_input(NodeContext& n, std::string_view slot) {
  auto x = in(n, slot);
  n.require(is_floating(n.require_dtype(x)), "needs " + std::string(slot) + " of floats");
  return x;
}

Expr row(const Expr& v, const Expr& at) { return take(v, at, 2); }
Expr column(const Expr& v, const Expr& at) { return take(v, at, 1); }
Expr as_row(const Expr& v) { return {v.node(), v.node().unsqueeze(v, {-2})}; }
Expr product(const Expr& a, const Expr& b) { return a.emit("MatMul", {b}); }
Expr conjugate_transpose(const Expr& v) { return {v.node(), v.node().swap_last_axes(v)}; }

// Loop outputs [steps, *] with the steps as the last axis.
Expr steps_as_last_axis(const Expr& kept) {
  Ints perm = all_axes(kept.node().require_rank(kept));
  std::rotate(perm.begin(), perm.begin() + 1, perm.end());
  return {kept.node(), kept.node().transpose(kept, perm)};
}

Expr identity(const Expr& like) {
  NodeContext& n = like.node();
  auto rows = row_numbers(like);
  return (unsqueeze_last(rows) == rows).to(n.require_dtype(like));
}

// ---- elimination ----

// The result of Gauss-Jordan elimination on [A | B]: the transformed matrix, in which A is
// diagonal; the diagonal; and the sign of the row permutation.
struct Elimination {
  Expr matrices, pivots, signs;
};

// Swaps row k with the row of the largest element in column k.
Expr swap_pivot_row(const Expr& m, const Expr& k, const Expr& rows, const Expr& best) {
  auto order = where(rows == k, best, where(rows == best, k, rows));
  auto spread = unsqueeze_last(order).emit("Expand", {m.node().shape_of(m)});
  std::int64_t axis = m.node().require_rank(m) - 2;
  return {m.node(), m.node().emit("GatherElements", {m, spread}, {{"axis", axis}})};
}

// Gauss-Jordan elimination with partial pivoting.
Elimination gauss_jordan(const Expr& augmented) {
  NodeContext& n = augmented.node();
  auto size = matrix_size(augmented), rows = row_numbers(augmented);
  auto made = build_loop(n, size, {augmented}, [&](const Expr& k, const Exprs& states) -> ScanStep {
    auto reach = where(rows < k, -1, abs(column(states[0], k)));
    Expr best(
        n, n.emit("ArgMax", {reach}, {{"axis", std::int64_t{-1}}, {"keepdims", std::int64_t{1}}}));
    auto m = swap_pivot_row(states[0], k, rows, best);
    auto base = row(m, k), pivot = column(base, k);
    auto others =
        where(rows == k || unsqueeze_last(pivot) == 0, 0, column(m, k) / unsqueeze_last(pivot));
    auto sign = where(Expr(n, n.squeeze(best, {-1})) == k, 1, -1, n.require_dtype(m));
    return {{m - unsqueeze_last(others) * as_row(base)}, {pivot, sign}};
  });
  return {made.states[0], made.outputs[0], made.outputs[1]};
}

// Broadcasts the leading axes of both.
Expr concat_broadcast(const Expr& a, const Expr& b) {
  NodeContext& n = a.node();
  auto corner = [&](const Expr& v) { return Expr(n, n.slice(v, {0, 0}, {1, 1}, {-2, -1})); };
  int rank = std::max(n.require_rank(a), n.require_rank(b));
  auto spread = [&](const Expr& v) {
    if (rank == 2) return v;
    auto lead = n.slice(n.shape_of(corner(a) + corner(b)), {0}, {-2}, {0});
    auto own = n.slice(n.shape_of(v), {-2}, {n.rank(v)}, {0});
    return v.emit("Expand", {n.concat({lead, own}, 0)});
  };
  return {n, n.concat({spread(a), spread(b)}, rank - 1)};
}

// A ** -1 @ B
Expr solve_systems(const Expr& a, const Expr& b) {
  NodeContext& n = a.node();
  auto done = gauss_jordan(concat_broadcast(a, b));
  constexpr std::int64_t end = INT64_MAX;
  auto size = dim_as_vector(n, a, n.rank(a) - 1);
  Expr right(n, n.emit("Slice", {done.matrices, size, n.ints({end}), n.ints({-1})}));
  n.declare_type(right, n.dtype(a), Ints(static_cast<std::size_t>(n.rank(done.matrices)), -1));
  return right / unsqueeze_last(steps_as_last_axis(done.pivots));
}

Expr inverse_of(const Expr& a) { return solve_systems(a, identity(a)); }

void inverse(NodeContext& n) { n.out("Output", inverse_of(float_input(n, "Input"))); }

// Whether `b` is a vector, or a batch of vectors.
bool has_vector_operand(const NodeContext& n, Value a, Value b) {
  if (n.require_rank(b) == 1 || n.rank(b) + 1 != n.require_rank(a)) return n.rank(b) == 1;
  for (int axis = 0; axis < n.rank(b); ++axis) {
    auto wanted = n.dim(a, axis), found = n.dim(b, axis);
    if (wanted >= 0 && found >= 0 && wanted != found) return false;
    n.require(wanted >= 0 && found >= 0,
              "vectors or matrices: needs the sizes of both operands to be known");
  }
  return true;
}

void solve(NodeContext& n) {
  auto a = float_input(n, "X"), b = float_input(n, "Y");
  if (!has_vector_operand(n, a, b)) return n.out("Out", solve_systems(a, b));
  n.out("Out", n.squeeze(solve_systems(a, unsqueeze_last(b)), {-1}));
}

// Signs, and logarithms of absolute values. [2,*]
void slogdeterminant(NodeContext& n) {
  auto done = gauss_jordan(float_input(n, "Input"));
  auto signs = reduce(n, "ReduceProd", done.signs * sign(done.pivots), {0}, true);
  auto logs = reduce(n, "ReduceSum", log(abs(done.pivots)), {0}, true);
  n.out("Out", n.concat({signs, logs}, 0));
}

// ONNX Runtime has a float32 kernel only.
void determinant(NodeContext& n) {
  auto x = in(n, "Input");
  if (n.require_dtype(x) != DType::float64) return n.out("Out", x.emit("Det"));
  n.require_opset(13);
  auto done = gauss_jordan(x);
  n.out("Out", reduce(n, "ReduceProd", done.signs * done.pivots, {0}, false));
}

// By repeated squaring.
void matrix_power(NodeContext& n) {
  auto x = float_input(n, "X");
  auto exponent = n.attr("n", 0);
  n.require_rank(x);
  auto base = exponent < 0 ? inverse_of(x) : x, found = identity(x);
  if (exponent == 0) return n.out("Out", found.emit("Expand", {n.shape_of(x)}));
  bool any = false;
  for (auto rest = std::llabs(exponent); rest > 0; rest /= 2) {
    if (rest % 2) found = any ? product(found, base) : base, any = true;
    if (rest > 1) base = product(base, base);
  }
  n.out("Out", found);
}

// ---- triangles ----

// One triangle; unit: with ones on the diagonal.
Expr triangular_part(const Expr& a, bool upper, bool unit) {
  auto columns = row_numbers(a), rows = unsqueeze_last(columns);
  auto part = where(upper ? rows <= columns : rows >= columns, a, 0);
  return unit ? where(rows == columns, 1, part) : part;
}

void triangular_solve(NodeContext& n) {
  bool upper = n.attr("upper", true);
  auto a = triangular_part(float_input(n, "X"), upper, n.attr("unitriangular", false));
  n.out("Out", solve_systems(n.attr("transpose", false) ? conjugate_transpose(a) : a,
                             float_input(n, "Y")));
}

// Column by column; only one triangle is read.
Expr cholesky_factor(const Expr& lower) {
  NodeContext& n = lower.node();
  auto size = matrix_size(lower), rows = row_numbers(lower);
  auto made = build_loop(n, size, {lower}, [&](const Expr& k, const Exprs& left) -> ScanStep {
    auto line = column(left[0], k);
    auto pivot = take(line, k, 1);
    auto next = where(rows < k, 0, line / unsqueeze_last(sqrt(pivot)));
    return {{left[0] - unsqueeze_last(next) * as_row(next)}, {next}};
  });
  return steps_as_last_axis(made.outputs[0]);
}

void cholesky(NodeContext& n) {
  auto x = float_input(n, "X");
  bool upper = n.attr("upper", false);
  auto factor = cholesky_factor(upper ? conjugate_transpose(x) : x);
  n.out("Out", upper ? conjugate_transpose(factor) : factor);
}

// Y is the Cholesky factor.
void cholesky_solve(NodeContext& n) {
  bool upper = n.attr("upper", false);
  auto factor = triangular_part(float_input(n, "Y"), upper, false);
  auto lower = upper ? conjugate_transpose(factor) : factor;
  n.out("Out",
        solve_systems(conjugate_transpose(lower), solve_systems(lower, float_input(n, "X"))));
}

// ---- norms ----

// A normalized column.
Expr normalize_column(const Expr& v, double eps) {
  return v / (Expr(v.node(), reduce(v.node(), "ReduceL2", v, {}, false)) + eps);
}

constexpr std::int64_t kMaxPowerIterations = 100000;  // limits the run time that a file can request

// The weight divided by its largest singular value, by power iteration from U and V.
void spectral_norm(NodeContext& n) {
  auto weight = in(n, "Weight"), u = unsqueeze_last(in(n, "U")), v = unsqueeze_last(in(n, "V"));
  Ints perm = all_axes(n.require_rank(weight));
  auto dim = n.axis_attr("dim", 0, n.rank(weight)), iterations = n.attr("power_iters", 1);
  n.require(iterations >= 0 && iterations <= kMaxPowerIterations,
            "attribute 'power_iters' is " + std::to_string(iterations));
  std::rotate(perm.begin(), perm.begin() + dim, perm.begin() + dim + 1);
  Expr rows(n, n.emit("Flatten", {n.transpose(weight, perm)}, {{"axis", std::int64_t{1}}}));
  double eps = n.attr("eps", 1e-12f);
  auto better = [&](const Expr&, const Exprs& last) -> ScanStep {
    auto right = normalize_column(product(conjugate_transpose(rows), last[0]), eps);
    return {{normalize_column(product(rows, right), eps), right}, {}};
  };
  auto found = build_loop(n, n.int_scalar(iterations), {u, v}, better).states;
  auto size = product(conjugate_transpose(found[0]), product(rows, found[1]));
  n.out("Out", weight / Expr(n, n.reshape(size, {})));
}

}  // namespace

std::span<const Rule> linalg_rules() {
  static const Rule rules[] = {
      {"inverse", 13, inverse},
      {"solve", 13, solve},
      {"determinant", 11, determinant, {.ignore_declared_shape = true}},
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
