// Linear algebra: solving, inverses and decompositions of matrices in the last two axes, as ONNX
// loops over rows or columns of all matrices at once.
#include <cmath>
#include <cstdlib>

#include "convert/operands.h"
#include "convert/registry.h"
#include "convert/scan_builder.h"

namespace oarlock {
namespace {

// ---- parts of matrices ----

// The size of square matrices, int64[].
Expr matrix_size_as_scalar(const Expr& v) {
  return {v.context(), dim_as_scalar(v.context(), v, v.context().require_known_rank(v) - 2)};
}
Expr all_row_indices(const Expr& v) { return arange(v.context(), matrix_size_as_scalar(v)); }

Expr gather_axis_from_end(const Expr& v, const Expr& at, std::int64_t from_back) {
  NodeContext& n = v.context();
  return {n, n.emit("Gather", {v, at}, {{"axis", n.require_known_rank(v) - from_back}})};
}

// The input in `slot`; fails for integers, because quotients of integers would be truncated.
Expr require_float_input(NodeContext& n, std::string_view slot) {
  auto x = input_expr(n, slot);
  n.require(is_floating(n.require_known_dtype(x)), "needs " + std::string(slot) + " of floats");
  return x;
}

Expr gather_row(const Expr& v, const Expr& at) { return gather_axis_from_end(v, at, 2); }
Expr gather_column(const Expr& v, const Expr& at) { return gather_axis_from_end(v, at, 1); }
Expr unsqueeze_row(const Expr& v) { return {v.context(), v.context().unsqueeze(v, {-2})}; }
Expr transpose_matrices(const Expr& v) { return {v.context(), v.context().swap_last_axes(v)}; }

// Moves the first axis of a stacked loop output [steps, *], the steps, to the end.
Expr move_steps_last(const Expr& stacked) {
  Ints perm = all_axes(stacked.context().require_known_rank(stacked));
  std::rotate(perm.begin(), perm.begin() + 1, perm.end());
  return {stacked.context(), stacked.context().transpose(stacked, perm)};
}

Expr identity_like(const Expr& like) {
  NodeContext& n = like.context();
  auto rows = all_row_indices(like);
  return (unsqueeze_last(rows) == rows).to(n.require_known_dtype(like));
}

// ---- elimination ----

// The result of Gauss-Jordan elimination on [A | B]: the transformed matrix, in which A is
// diagonal; the diagonal; and the sign of the row permutation.
struct EliminationResult {
  Expr matrices, pivots, permutation_signs;
};

// Swaps row k with the row of the largest element in column k.
Expr swap_pivot_row(const Expr& m, const Expr& k, const Expr& rows, const Expr& best) {
  auto order = where(rows == k, best, where(rows == best, k, rows));
  auto spread = unsqueeze_last(order).emit("Expand", {m.context().emit_shape(m)});
  std::int64_t axis = m.context().require_known_rank(m) - 2;
  return {m.context(), m.context().emit("GatherElements", {m, spread}, {{"axis", axis}})};
}

// Gauss-Jordan elimination with partial pivoting.
EliminationResult gauss_jordan(const Expr& augmented) {
  NodeContext& n = augmented.context();
  auto size = matrix_size_as_scalar(augmented), rows = all_row_indices(augmented);
  auto result =
      build_loop(n, size, {augmented}, [&](const Expr& k, const Exprs& states) -> IterationResult {
        auto magnitudes = where(rows < k, -1, abs(gather_column(states[0], k)));
        Expr best(n, n.emit("ArgMax", {magnitudes},
                            {{"axis", std::int64_t{-1}}, {"keepdims", std::int64_t{1}}}));
        auto m = swap_pivot_row(states[0], k, rows, best);
        auto base = gather_row(m, k), pivot = gather_column(base, k);
        auto others = where(rows == k || unsqueeze_last(pivot) == 0, 0,
                            gather_column(m, k) / unsqueeze_last(pivot));
        auto sign = where(Expr(n, n.squeeze(best, {-1})) == k, 1, -1, n.require_known_dtype(m));
        return {{m - unsqueeze_last(others) * unsqueeze_row(base)}, {pivot, sign}};
      });
  return {result.states[0], result.outputs[0], result.outputs[1]};
}

// [a | b]: broadcasts the leading axes of both and concatenates their columns.
Expr broadcast_batch_and_concat_columns(const Expr& a, const Expr& b) {
  NodeContext& n = a.context();
  auto corner = [&](const Expr& v) { return Expr(n, n.slice(v, {0, 0}, {1, 1}, {-2, -1})); };
  int rank = std::max(n.require_known_rank(a), n.require_known_rank(b));
  auto spread = [&](const Expr& v) {
    if (rank == 2) return v;
    auto lead = n.slice(n.emit_shape(corner(a) + corner(b)), {0}, {-2}, {0});
    auto own = n.slice(n.emit_shape(v), {-2}, {n.rank(v)}, {0});
    return v.emit("Expand", {n.concat({lead, own}, 0)});
  };
  return {n, n.concat({spread(a), spread(b)}, rank - 1)};
}

// A ** -1 @ B
Expr solve_systems(const Expr& a, const Expr& b) {
  NodeContext& n = a.context();
  auto eliminated = gauss_jordan(broadcast_batch_and_concat_columns(a, b));
  constexpr std::int64_t end = INT64_MAX;
  auto size = dim_as_vector(n, a, n.rank(a) - 1);
  Expr right(
      n, n.emit("Slice", {eliminated.matrices, size, n.int64_vector({end}), n.int64_vector({-1})}));
  n.declare_type(right, n.dtype(a),
                 Ints(static_cast<std::size_t>(n.rank(eliminated.matrices)), -1));
  return right / unsqueeze_last(move_steps_last(eliminated.pivots));
}

Expr invert(const Expr& a) { return solve_systems(a, identity_like(a)); }

void inverse(NodeContext& n) { n.set_output("Output", invert(require_float_input(n, "Input"))); }

// Whether `b` is a vector, or a batch of vectors.
bool is_vector_or_vector_batch(const NodeContext& n, Value a, Value b) {
  if (n.require_known_rank(b) == 1 || n.rank(b) + 1 != n.require_known_rank(a))
    return n.rank(b) == 1;
  for (int axis = 0; axis < n.rank(b); ++axis) {
    auto size_a = n.dim(a, axis), size_b = n.dim(b, axis);
    if (size_a >= 0 && size_b >= 0 && size_a != size_b) return false;
    n.require(size_a >= 0 && size_b >= 0,
              "vectors or matrices: needs the sizes of both operands to be known");
  }
  return true;
}

void solve(NodeContext& n) {
  auto a = require_float_input(n, "X"), b = require_float_input(n, "Y");
  if (!is_vector_or_vector_batch(n, a, b)) return n.set_output("Out", solve_systems(a, b));
  n.set_output("Out", n.squeeze(solve_systems(a, unsqueeze_last(b)), {-1}));
}

// The signs of determinants, and the logarithms of their absolute values. [2,*]
void slogdeterminant(NodeContext& n) {
  auto eliminated = gauss_jordan(require_float_input(n, "Input"));
  auto permutation_signs =
      reduce(n, "ReduceProd", eliminated.permutation_signs * sign(eliminated.pivots), {0}, true);
  auto logs = reduce(n, "ReduceSum", log(abs(eliminated.pivots)), {0}, true);
  n.set_output("Out", n.concat({permutation_signs, logs}, 0));
}

// ONNX Runtime's Det supports float32 only, so determinants in float64 are computed by elimination.
void determinant(NodeContext& n) {
  auto x = input_expr(n, "Input");
  if (n.require_known_dtype(x) != DType::float64) return n.set_output("Out", x.emit("Det"));
  n.require_opset(13);
  auto eliminated = gauss_jordan(x);
  n.set_output(
      "Out", reduce(n, "ReduceProd", eliminated.permutation_signs * eliminated.pivots, {0}, false));
}

// By repeated squaring.
void matrix_power(NodeContext& n) {
  auto x = require_float_input(n, "X");
  auto exponent = n.attr("n", 0);
  n.require_known_rank(x);
  auto base = exponent < 0 ? invert(x) : x, power = identity_like(x);
  if (exponent == 0) return n.set_output("Out", power.emit("Expand", {n.emit_shape(x)}));
  bool any = false;
  for (auto rest = std::llabs(exponent); rest > 0; rest /= 2) {
    if (rest % 2) power = any ? matmul(power, base) : base, any = true;
    if (rest > 1) base = matmul(base, base);
  }
  n.set_output("Out", power);
}

// ---- triangles ----

// The upper or lower triangle of matrices; unit: with ones on the diagonal.
Expr triangular_part(const Expr& a, bool upper, bool unit) {
  auto columns = all_row_indices(a), rows = unsqueeze_last(columns);
  auto part = where(upper ? rows <= columns : rows >= columns, a, 0);
  return unit ? where(rows == columns, 1, part) : part;
}

void triangular_solve(NodeContext& n) {
  bool upper = n.attr("upper", true);
  auto a = triangular_part(require_float_input(n, "X"), upper, n.attr("unitriangular", false));
  n.set_output("Out", solve_systems(n.attr("transpose", false) ? transpose_matrices(a) : a,
                                    require_float_input(n, "Y")));
}

// The lower Cholesky factor, computed column by column; reads only the lower triangle of the
// matrices.
Expr cholesky_factor(const Expr& lower) {
  NodeContext& n = lower.context();
  auto size = matrix_size_as_scalar(lower), rows = all_row_indices(lower);
  auto result =
      build_loop(n, size, {lower}, [&](const Expr& k, const Exprs& remainder) -> IterationResult {
        auto line = gather_column(remainder[0], k);
        auto pivot = gather_axis_from_end(line, k, 1);
        auto next = where(rows < k, 0, line / unsqueeze_last(sqrt(pivot)));
        return {{remainder[0] - unsqueeze_last(next) * unsqueeze_row(next)}, {next}};
      });
  return move_steps_last(result.outputs[0]);
}

void cholesky(NodeContext& n) {
  auto x = require_float_input(n, "X");
  bool upper = n.attr("upper", false);
  auto factor = cholesky_factor(upper ? transpose_matrices(x) : x);
  n.set_output("Out", upper ? transpose_matrices(factor) : factor);
}

// Solves A * Out = X, where Y is the Cholesky factor of A.
void cholesky_solve(NodeContext& n) {
  bool upper = n.attr("upper", false);
  auto factor = triangular_part(require_float_input(n, "Y"), upper, false);
  auto lower = upper ? transpose_matrices(factor) : factor;
  n.set_output("Out", solve_systems(transpose_matrices(lower),
                                    solve_systems(lower, require_float_input(n, "X"))));
}

// ---- norms ----

// A normalized column.
Expr normalize_vector(const Expr& v, double eps) {
  return v / (Expr(v.context(), reduce(v.context(), "ReduceL2", v, {}, false)) + eps);
}

constexpr std::int64_t kMaxPowerIterations = 100000;  // limits the run time that a file can request

// The weight divided by its largest singular value, by power iteration from U and V.
void spectral_norm(NodeContext& n) {
  auto weight = input_expr(n, "Weight"), u = unsqueeze_last(input_expr(n, "U")),
       v = unsqueeze_last(input_expr(n, "V"));
  Ints perm = all_axes(n.require_known_rank(weight));
  auto dim = n.normalized_axis_attr("dim", 0, n.rank(weight)),
       iterations = n.attr("power_iters", 1);
  n.require(iterations >= 0 && iterations <= kMaxPowerIterations,
            "attribute 'power_iters' is " + std::to_string(iterations));
  std::rotate(perm.begin(), perm.begin() + dim, perm.begin() + dim + 1);
  Expr rows(n, n.emit("Flatten", {n.transpose(weight, perm)}, {{"axis", std::int64_t{1}}}));
  double eps = n.attr("eps", 1e-12f);
  auto better = [&](const Expr&, const Exprs& last) -> IterationResult {
    auto right = normalize_vector(matmul(transpose_matrices(rows), last[0]), eps);
    return {{normalize_vector(matmul(rows, right), eps), right}, {}};
  };
  auto vectors = build_loop(n, n.int64_scalar(iterations), {u, v}, better).states;
  auto size = matmul(transpose_matrices(vectors[0]), matmul(rows, vectors[1]));
  n.set_output("Out", weight / Expr(n, n.reshape(size, {})));
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
