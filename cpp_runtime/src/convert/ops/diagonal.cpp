// Diagonals: taken, summed, filled, and made into matrices.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

constexpr std::int64_t kListed = 4096;  // up to here positions are written out

std::int64_t sane_offset(const Node& n) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  auto offset = n.attr("offset", 0);
  n.require(offset > -most && offset < most, "the offset is " + std::to_string(offset));
  return offset;
}

// Where the diagonal of the last two axes lies among their elements.   int64[length]
Value places(Node& n, const Value& x, std::int64_t offset) {
  int rank = n.rank(x);
  auto down = std::max(-offset, std::int64_t{0}), right = std::max(offset, std::int64_t{0});
  auto rows = n.dim(x, -2), columns = n.dim(x, -1);
  if (rows >= 0 && columns >= 0 && rows <= kListed) {
    Ints at;
    for (auto r = down; r < rows && r + offset < columns; ++r)
      at.push_back(r * columns + r + offset);
    return n.ints(at);
  }
  Expr height(n, length_along(n, x, rank - 2)), width(n, length_along(n, x, rank - 1));
  auto length = max(min(height - static_cast<double>(down), width - static_cast<double>(right)), 0);
  auto first = width * static_cast<double>(down) + static_cast<double>(right), step = width + 1;
  return first.emit("Range", {first + length * step, step});
}

// The axes but for two.
Ints others_than(int rank, std::int64_t a, std::int64_t b) {
  Ints rest = all_axes(rank);
  std::erase_if(rest, [&](std::int64_t axis) { return axis == a || axis == b; });
  return rest;
}

struct Plane {
  std::int64_t rows, columns;
};

Plane plane_of(const Node& n, std::string_view rows, std::string_view columns, Plane otherwise,
               int rank) {
  n.require(rank >= 2, "needs two axes");
  Plane p{n.axis(rows, otherwise.rows, rank), n.axis(columns, otherwise.columns, rank)};
  n.require(p.rows != p.columns, "takes the same axis twice");
  return p;
}

Value diagonal_along(Node& n, const Value& x, Plane p, std::int64_t offset) {
  Ints perm = others_than(n.rank(x), p.rows, p.columns), flat(perm.size(), 0);
  perm.insert(perm.end(), {p.rows, p.columns}), flat.push_back(-1);
  auto matrices = n.transpose(x, perm);
  auto axis = static_cast<std::int64_t>(flat.size()) - 1;
  return n.emit("Gather", {n.reshape(matrices, flat), places(n, matrices, offset)},
                {{"axis", axis}});
}

Value diagonal_of(Node& n, bool in_order) {
  auto x = n.in("Input");
  Plane p = plane_of(n, "axis1", "axis2", {0, 1}, n.need_rank(x));
  if (in_order && p.rows > p.columns) std::swap(p.rows, p.columns);
  return diagonal_along(n, x, p, sane_offset(n));
}

void diagonal(Node& n) { n.out("Out", diagonal_of(n, false)); }

void trace(Node& n) {
  auto line = diagonal_of(n, true);  // whichever axis is named first
  out_scalar(n, "Out", reduce(n, "ReduceSum", line, {n.rank(line) - 1}, false));
}

// ---- vectors to matrices ----

// The last axis on a diagonal: rows (or columns) that all hold it, seen through the diagonal's
// mask.
Value matrices_of(Node& n, const Value& x, std::int64_t offset, const Value& padding) {
  auto shift = std::llabs(offset);
  Ints pads(2 * static_cast<std::size_t>(n.rank(x)), 0);
  pads.back() = shift;
  auto longer = n.emit("Pad", {x, n.ints(pads)});
  auto size = n.emit("Add", {size_along(n, x, n.rank(x) - 1), n.ints({shift})});
  auto zeros = n.emit("ConstantOfShape", {n.concat({size, size}, 0)});
  auto mask =
      n.emit("EyeLike", {zeros}, {{"dtype", std::int64_t{onnx_of(DType::float32)}}, {"k", offset}});
  auto spread = n.unsqueeze(longer, {offset >= 0 ? -1 : -2});
  return n.emit("Where", {n.cast(mask, DType::boolean), spread, padding});
}

std::int64_t small_offset(const Node& n) {
  auto offset = sane_offset(n);
  n.require(offset > -kListed * kListed && offset < kListed * kListed,
            "the offset is " + std::to_string(offset));
  return offset;
}

void diag(Node& n) {
  auto x = n.in("X");
  if (n.need_rank(x) == 2) return n.out("Out", diagonal_along(n, x, {0, 1}, sane_offset(n)));
  auto row = n.rank(x) == 0 ? n.unsqueeze(x, {0}) : x;
  n.out("Out",
        matrices_of(n, row, small_offset(n), n.scalar_like(n.attr("padding_value", 0.0f), x)));
}

void diag_of_vector(Node& n) {
  auto row = n.in("Diagonal");
  n.require(n.need_rank(row) == 1, "takes a vector");
  n.out("Out", matrices_of(n, row, 0, n.scalar_like(0, row)));
}

void diag_embed(Node& n) {
  auto x = n.in("Input");
  int rank = n.need_rank(x) + 1;
  auto [rows, columns] = plane_of(n, "dim1", "dim2", {-2, -1}, rank);
  auto made = matrices_of(n, x, small_offset(n), n.scalar_like(0, x));
  Ints perm;
  for (std::int64_t axis = 0, next = 0; axis < rank; ++axis)
    perm.push_back(axis == rows ? rank - 2 : axis == columns ? rank - 1 : next++);
  n.out("Out", n.transpose(made, perm));
}

// ---- filled ----

// 0, 1, ... along an axis, and of size 1 along those behind it.
Expr positions(Node& n, const Value& x, std::int64_t axis) {
  Ints behind;
  for (std::int64_t a = axis + 1; a < n.rank(x); ++a) behind.push_back(a - axis);
  return {n, n.unsqueeze(counted(n, length_along(n, x, axis)), behind)};
}

// In a matrix the diagonal may begin anew below its end; with more axes it is where all positions
// are one.
Expr diagonal_mask(Node& n, const Value& x) {
  auto rows = positions(n, x, 0), columns = positions(n, x, 1);
  if (n.rank(x) == 2) {
    Expr width(n, length_along(n, x, 1));
    if (n.attr("wrap", false)) rows = rows.emit("Mod", {width + 1});
    return columns - rows == static_cast<double>(sane_offset(n)) && rows < width;
  }
  auto mask = columns == rows;
  for (std::int64_t axis = 2; axis < n.rank(x); ++axis)
    mask = mask && positions(n, x, axis) == rows;
  return mask;
}

void fill_diagonal(Node& n) {
  auto x = in(n, "X");
  n.require(n.need_rank(x) >= 2, "needs two axes");
  n.require(n.rank(x) == 2 || n.attr("wrap", false),
            "without wrap, more than two axes have no lowering");
  n.out("Out", where(diagonal_mask(n, x), n.attr("value", 0.0f), x));
}

Ints inverse_of(const Ints& perm) {
  Ints back(perm.size());
  for (std::size_t i = 0; i < perm.size(); ++i)
    back[static_cast<std::size_t>(perm[i])] = static_cast<std::int64_t>(i);
  return back;
}

// The two axes come first and become one, whose slices are replaced.   Of a matrix it is a row,
// [1,length] as Paddle writes it.
void fill_diagonal_tensor(Node& n) {
  auto x = n.in("X"), y = n.in("Y");
  int rank = n.need_rank(x);
  if (n.need_rank(y) == rank) y = n.squeeze(y, {0});
  auto [rows, columns] = plane_of(n, "dim1", "dim2", {0, 1}, rank);
  Ints rest = others_than(rank, rows, columns), last = rest;
  last.insert(last.end(), {rows, columns});
  auto at = n.unsqueeze(places(n, n.transpose(x, last), sane_offset(n)), {-1});
  Ints first = rest;
  first.insert(first.begin(), {rows, columns});
  auto planes = n.transpose(x, first), sizes = n.shape_of(planes);
  auto lines =
      n.emit("Reshape", {planes, n.concat({n.ints({-1}), n.slice(sizes, {2}, {rank}, {0})}, 0)});
  Ints front = all_axes(rank - 1);
  std::rotate(front.begin(), front.end() - 1, front.end());
  auto filled = n.emit("ScatterND", {lines, at, n.transpose(y, front)});
  n.out("Out", n.transpose(n.emit("Reshape", {filled, sizes}), inverse_of(first)));
}

// ---- positions of triangles ----

// Rows and columns below (or above) a diagonal.   [2,N]
Lower triangle(std::string_view height, std::string_view width, bool lower) {
  return [height, width, lower](Node& n) {
    auto rows = n.attr(height, 0), columns = n.attr(width, 0), offset = sane_offset(n);
    n.require(rows >= 0 && columns >= 0, "has a negative size");
    for (auto size : {rows, columns}) written_size(n, std::max<std::int64_t>(size, 1), "a size");
    written_size(n, std::max<std::int64_t>(rows * columns, 1), "the number of elements");
    Ints at, to;
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c)
        if (lower ? c - r <= offset : c - r >= offset) at.push_back(r), to.push_back(c);
    Ints shape{2, static_cast<std::int64_t>(at.size())};
    at.insert(at.end(), to.begin(), to.end());
    n.out("out", n.cast(n.reshape(n.ints(at), shape), n.attr("dtype", DType::int64)));
  };
}

}  // namespace

std::span<const Rule> diagonal_rules() {
  static const Rule rules[] = {
      {"diag_v2", 11, diag, {.careless = true}},
      {"diag", 11, diag_of_vector},
      {"diagonal", 11, diagonal},
      {"trace", 11, trace},
      {"diag_embed", 11, diag_embed},
      {"fill_diagonal", 11, fill_diagonal},
      {"fill_diagonal_tensor", 11, fill_diagonal_tensor},
      {"tril_indices", 7, triangle("rows", "cols", true)},
      {"triu_indices", 7, triangle("row", "col", false)},
  };
  return rules;
}

}  // namespace oarlock
