// Diagonals: extraction, trace, filling, and diagonal matrices.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

constexpr std::int64_t kMaxConstantDiagonal = 4096;  // more positions are computed at run time

std::int64_t read_diagonal_offset(const NodeContext& n) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  auto offset = n.attr("offset", 0);
  n.require(offset > -most && offset < most, "the offset is " + std::to_string(offset));
  return offset;
}

// The positions of the diagonal elements of a matrix (the last two axes), if its elements are
// numbered row by row. int64[length]
Value flat_diagonal_positions(NodeContext& n, Value x, std::int64_t offset) {
  int rank = n.rank(x);
  auto down = std::max(-offset, std::int64_t{0}), right = std::max(offset, std::int64_t{0});
  auto rows = n.dim(x, -2), columns = n.dim(x, -1);
  if (rows >= 0 && columns >= 0 && rows <= kMaxConstantDiagonal) {
    Ints at;
    for (auto r = down; r < rows && r + offset < columns; ++r)
      at.push_back(r * columns + r + offset);
    return n.int64_vector(at);
  }
  Expr height(n, dim_as_scalar(n, x, rank - 2)), width(n, dim_as_scalar(n, x, rank - 1));
  auto length = max(min(height - static_cast<double>(down), width - static_cast<double>(right)), 0);
  auto first = width * static_cast<double>(down) + static_cast<double>(right), step = width + 1;
  return first.emit("Range", {first + length * step, step});
}

// All axes except two.
Ints axes_except_two(int rank, std::int64_t a, std::int64_t b) {
  Ints rest = all_axes(rank);
  std::erase_if(rest, [&](std::int64_t axis) { return axis == a || axis == b; });
  return rest;
}

struct MatrixAxes {
  std::int64_t rows, columns;
};

MatrixAxes read_matrix_axes(const NodeContext& n, std::string_view rows, std::string_view columns,
                            MatrixAxes default_value, int rank) {
  n.require(rank >= 2, "needs two axes");
  MatrixAxes p{n.normalized_axis_attr(rows, default_value.rows, rank),
               n.normalized_axis_attr(columns, default_value.columns, rank)};
  n.require(p.rows != p.columns, "takes the same axis twice");
  return p;
}

Value extract_diagonal(NodeContext& n, Value x, MatrixAxes p, std::int64_t offset) {
  Ints perm = axes_except_two(n.rank(x), p.rows, p.columns), flat(perm.size(), 0);
  perm.insert(perm.end(), {p.rows, p.columns}), flat.push_back(-1);
  auto matrices = n.transpose(x, perm);
  auto axis = static_cast<std::int64_t>(flat.size()) - 1;
  return n.emit("Gather", {n.reshape(matrices, flat), flat_diagonal_positions(n, matrices, offset)},
                {{"axis", axis}});
}

Value extract_input_diagonal(NodeContext& n, bool in_order) {
  auto x = n.input("Input");
  MatrixAxes p = read_matrix_axes(n, "axis1", "axis2", {0, 1}, n.require_known_rank(x));
  if (in_order && p.rows > p.columns) std::swap(p.rows, p.columns);
  return extract_diagonal(n, x, p, read_diagonal_offset(n));
}

void diagonal(NodeContext& n) { n.set_output("Out", extract_input_diagonal(n, false)); }

void trace(NodeContext& n) {
  auto values = extract_input_diagonal(n, true);  // regardless of the axis order
  set_scalar_output_as_declared(n, "Out",
                                reduce(n, "ReduceSum", values, {n.rank(values) - 1}, false));
}

// ---- vectors to matrices ----

// Puts the last axis on a diagonal: broadcast rows (or columns) masked by the diagonal.
Value embed_diagonal(NodeContext& n, Value x, std::int64_t offset, Value padding) {
  auto shift = std::llabs(offset);
  Ints pads(2 * static_cast<std::size_t>(n.rank(x)), 0);
  pads.back() = shift;
  auto longer = n.emit("Pad", {x, n.int64_vector(pads)});
  auto size = n.emit("Add", {dim_as_vector(n, x, n.rank(x) - 1), n.int64_vector({shift})});
  auto zeros = n.emit("ConstantOfShape", {n.concat({size, size}, 0)});
  auto mask =
      n.emit("EyeLike", {zeros}, {{"dtype", std::int64_t{onnx_of(DType::float32)}}, {"k", offset}});
  auto spread = n.unsqueeze(longer, {offset >= 0 ? -1 : -2});
  return n.emit("Where", {n.cast(mask, DType::boolean), spread, padding});
}

std::int64_t require_moderate_diagonal_offset(const NodeContext& n) {
  auto offset = read_diagonal_offset(n);
  n.require(offset > -kMaxConstantDiagonal * kMaxConstantDiagonal &&
                offset < kMaxConstantDiagonal * kMaxConstantDiagonal,
            "the offset is " + std::to_string(offset));
  return offset;
}

void diag_v2(NodeContext& n) {
  auto x = n.input("X");
  if (n.require_known_rank(x) == 2)
    return n.set_output("Out", extract_diagonal(n, x, {0, 1}, read_diagonal_offset(n)));
  auto row = n.rank(x) == 0 ? n.unsqueeze(x, {0}) : x;
  n.set_output("Out", embed_diagonal(n, row, require_moderate_diagonal_offset(n),
                                     n.scalar_like(n.attr("padding_value", 0.0f), x)));
}

void diag_v1(NodeContext& n) {
  auto row = n.input("Diagonal");
  n.require(n.require_known_rank(row) == 1, "takes a vector");
  n.set_output("Out", embed_diagonal(n, row, 0, n.scalar_like(0, row)));
}

void diag_embed(NodeContext& n) {
  auto x = n.input("Input");
  int rank = n.require_known_rank(x) + 1;
  auto [rows, columns] = read_matrix_axes(n, "dim1", "dim2", {-2, -1}, rank);
  auto matrices = embed_diagonal(n, x, require_moderate_diagonal_offset(n), n.scalar_like(0, x));
  Ints perm;
  for (std::int64_t axis = 0, next = 0; axis < rank; ++axis)
    perm.push_back(axis == rows ? rank - 2 : axis == columns ? rank - 1 : next++);
  n.set_output("Out", n.transpose(matrices, perm));
}

// ---- filling ----

// 0, 1, ... along an axis, with trailing axes of size 1.
Expr positions_along_axis(NodeContext& n, Value x, std::int64_t axis) {
  Ints trailing_axes;
  for (std::int64_t a = axis + 1; a < n.rank(x); ++a) trailing_axes.push_back(a - axis);
  return {n, n.unsqueeze(arange(n, dim_as_scalar(n, x, axis)), trailing_axes)};
}

// Whether each element is on the diagonal that fill_diagonal fills. With attribute `wrap`, the
// diagonal of a tall matrix starts again below its end. In a tensor with more than two axes, an
// element is on the diagonal if its indices are equal after the offset is subtracted from the last
// one.
Expr diagonal_mask(NodeContext& n, Value x) {
  auto rows = positions_along_axis(n, x, 0), columns = positions_along_axis(n, x, 1);
  auto offset = static_cast<double>(read_diagonal_offset(n));
  if (n.rank(x) == 2) {
    Expr width(n, dim_as_scalar(n, x, 1));
    if (n.attr("wrap", false)) rows = rows.emit("Mod", {width + 1});
    return columns - rows == offset && rows < width;
  }
  auto mask = columns == rows;
  std::int64_t last = n.rank(x) - 1;
  for (std::int64_t axis = 2; axis < last; ++axis)
    mask = mask && positions_along_axis(n, x, axis) == rows;
  return mask && positions_along_axis(n, x, last) - rows == offset;
}

void fill_diagonal(NodeContext& n) {
  auto x = input_expr(n, "X");
  n.require(n.require_known_rank(x) >= 2, "needs two axes");
  n.require(n.rank(x) == 2 || n.attr("wrap", false),
            "without wrap, more than two axes have no lowering");
  n.set_output("Out", where(diagonal_mask(n, x), n.attr("value", 0.0f), x));
}

Ints inverse_permutation(const Ints& perm) {
  Ints back(perm.size());
  for (std::size_t i = 0; i < perm.size(); ++i)
    back[static_cast<std::size_t>(perm[i])] = static_cast<std::int64_t>(i);
  return back;
}

// Merges the axes `dim1` and `dim2` into one first axis, and replaces its slices at the positions
// of the diagonal by Y. If X is a matrix, Y has the shape [1,length] in Paddle.
void fill_diagonal_tensor(NodeContext& n) {
  auto x = n.input("X"), y = n.input("Y");
  int rank = n.require_known_rank(x);
  if (n.require_known_rank(y) == rank) y = n.squeeze(y, {0});
  auto [rows, columns] = read_matrix_axes(n, "dim1", "dim2", {0, 1}, rank);
  Ints rest = axes_except_two(rank, rows, columns), last = rest;
  last.insert(last.end(), {rows, columns});
  auto at =
      n.unsqueeze(flat_diagonal_positions(n, n.transpose(x, last), read_diagonal_offset(n)), {-1});
  Ints first = rest;
  first.insert(first.begin(), {rows, columns});
  auto planes = n.transpose(x, first), sizes = n.emit_shape(planes);
  auto lines = n.emit(
      "Reshape", {planes, n.concat({n.int64_vector({-1}), n.slice(sizes, {2}, {rank}, {0})}, 0)});
  Ints front = all_axes(rank - 1);
  std::rotate(front.begin(), front.end() - 1, front.end());
  auto filled = n.emit("ScatterND", {lines, at, n.transpose(y, front)});
  n.set_output("Out", n.transpose(n.emit("Reshape", {filled, sizes}), inverse_permutation(first)));
}

// ---- triangle indices ----

// Row and column indices below (or above) a diagonal. [2,N]
LowerFn triangle_indices_rule(std::string_view height, std::string_view width, bool lower) {
  return [height, width, lower](NodeContext& n) {
    auto rows = n.attr(height, 0), columns = n.attr(width, 0), offset = read_diagonal_offset(n);
    n.require(rows >= 0 && columns >= 0, "has a negative size");
    for (auto size : {rows, columns})
      require_unrollable_size(n, std::max<std::int64_t>(size, 1), "a size");
    require_unrollable_size(n, std::max<std::int64_t>(rows * columns, 1), "the number of elements");
    Ints at, to;
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c)
        if (lower ? c - r <= offset : c - r >= offset) at.push_back(r), to.push_back(c);
    Ints shape{2, static_cast<std::int64_t>(at.size())};
    at.insert(at.end(), to.begin(), to.end());
    n.set_output("out",
                 n.cast(n.reshape(n.int64_vector(at), shape), n.attr("dtype", DType::int64)));
  };
}

}  // namespace

std::span<const Rule> diagonal_rules() {
  static const Rule rules[] = {
      {"diag_v2", 11, diag_v2, {.ignore_declared_shape = true}},
      {"diag", 11, diag_v1},
      {"diagonal", 11, diagonal},
      {"trace", 11, trace},
      {"diag_embed", 11, diag_embed},
      {"fill_diagonal", 11, fill_diagonal},
      {"fill_diagonal_tensor", 11, fill_diagonal_tensor},
      {"tril_indices", 7, triangle_indices_rule("rows", "cols", true)},
      {"triu_indices", 7, triangle_indices_rule("row", "col", false)},
  };
  return rules;
}

}  // namespace oarlock
