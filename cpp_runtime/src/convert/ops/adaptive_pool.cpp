// Adaptive pools: window i runs from floor(i * in / out) to ceil((i + 1) * in / out).
#include <algorithm>
#include <limits>
#include <numeric>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/ops/pool.h"
#include "convert/runtime_assert.h"
#include "convert/scalar_bytes.h"

namespace oarlock {
namespace {

struct Span {
  std::int64_t from, to;
};

Span adaptive_span(std::int64_t i, std::int64_t in, std::int64_t out) {
  return {i * in / out, ((i + 1) * in + out - 1) / out};
}

}  // namespace

// Windows are written out one by one.
void check_adaptive(const Node& n, const Ints& in, const Ints& out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    written_size(n, out[i], "a size to adapt to");
    written_size(n, in[i], "a size to adapt");
    n.require(out[i] <= 1024 && in[i] <= 1 << 16, "adapts more than has a lowering");
  }
}

namespace {

// The mean along one axis is a product with a matrix of weights.   [out, in], or [in, out] where
// transposed
Value averaging_matrix(Node& n, std::int64_t in, std::int64_t out, bool transposed, DType dtype) {
  std::vector<double> weights(static_cast<std::size_t>(in * out), 0);
  for (std::int64_t i = 0; i < out; ++i) {
    Span s = adaptive_span(i, in, out);
    for (auto p = s.from; p < s.to; ++p)
      weights[static_cast<std::size_t>(transposed ? p * out + i : i * in + p)] =
          1.0 / static_cast<double>(s.to - s.from);
  }
  std::string bytes;
  for (double w : weights) bytes += encoded(w, dtype);
  return n.tensor({dtype, transposed ? Ints{in, out} : Ints{out, in}, bytes});
}

}  // namespace

Value adaptive_by_slices(Node& n, Value x, bool max, const Ints& image, const Ints& out) {
  for (std::size_t d = 0; d < out.size(); ++d) {
    auto axis = static_cast<std::int64_t>(d) + 2;
    Values rows;
    for (std::int64_t i = 0; i < out[d]; ++i) {
      Span s = adaptive_span(i, image[d], out[d]);
      rows.push_back(reduce(n, max ? "ReduceMax" : "ReduceMean",
                            n.slice(x, {s.from}, {s.to}, {axis}), {axis}, true));
    }
    x = n.concat(rows, axis);
  }
  return x;
}

namespace {

// 0 .. count-1, written out where the count is known.   count: int64[1]
Value numbered(Node& n, const Value& count) {
  auto known = n.const_ints(count);
  if (!known) return counted(n, count);
  Ints all(written_size(n, known->at(0), "a size to adapt to"));
  n.require(all.size() <= 1024, "adapts more than has a lowering");
  std::iota(all.begin(), all.end(), 0);
  return n.ints(all);
}

// Which positions of an axis of unknown size belong to which window: bool[out, in], and how many,
// int64[out, 1].
struct Windows {
  Expr inside, count;
};

// out: int64[1]
Windows open_windows(Node& n, const Value& x, std::int64_t axis, const Value& out) {
  Expr size(n, as_scalar(n, size_along(n, x, axis))), wide(n, as_scalar(n, nonzero(n, out)));
  Expr window(n, n.unsqueeze(numbered(n, out), {1}));
  auto from = window * size / wide, to = ((window + 1) * size + (wide - 1)) / wide;
  auto at = counted(n, size);
  return {at >= from && at < to, to - from};
}

// The mean along an axis is a product: from the left along the last axis but one.
Value open_mean(Node& n, const Value& x, std::int64_t axis, const Value& out) {
  auto [inside, count] = open_windows(n, x, axis, out);
  auto dtype = n.need_dtype(x);
  auto weights = inside.to(dtype) / count.to(dtype);
  auto last = n.rank(x) - 1;
  if (axis == last - 1) return n.emit("MatMul", {weights, x});
  auto turned = n.transpose(weights, {1, 0});
  if (axis == last) return n.emit("MatMul", {x, turned});
  Ints swapped = all_axes(n.rank(x));
  std::swap(swapped[static_cast<std::size_t>(axis)], swapped.back());
  return n.transpose(n.emit("MatMul", {n.transpose(x, swapped), turned}), swapped);
}

// The largest of what is inside, among one copy of the axis per window.
Value open_max(Node& n, const Value& x, std::int64_t axis, const Value& out) {
  auto inside = open_windows(n, x, axis, out).inside;
  Ints behind;
  for (auto i = axis + 1; i < n.rank(x); ++i) behind.push_back(i - axis + 1);
  auto mask = Expr(n, n.unsqueeze(inside, behind));
  auto spread =
      where(mask, Expr(n, n.unsqueeze(x, {axis})), -std::numeric_limits<double>::infinity());
  return reduce(n, "ReduceMax", spread, {axis + 1}, false);
}

}  // namespace

Value adaptive_open(Node& n, Value x, bool max, const Value& out) {
  n.need_opset(13);
  auto known = n.shape(x).value_or(Ints{});
  n.require(static_cast<std::int64_t>(known.size()) == n.dim(out, 0) + 2,
            "needs one size per dim of the image");
  for (std::int64_t d = 0; d < n.dim(out, 0); ++d) {
    auto size = n.slice(out, {d}, {d + 1}, {0});
    x = max ? open_max(n, x, d + 2, size) : open_mean(n, x, d + 2, size);
    known[static_cast<std::size_t>(d) + 2] = n.const_ints(size).value_or(Ints{-1}).at(0);
    n.declare(x, n.dtype(x), known);
  }
  return x;
}

// Every window over a copy of the image: the largest element, and where in the image it is.
void adaptive_with_mask(Node& n, const Value& x, const Ints& out) {
  n.need_opset(13);
  Expr inside(n, n.scalar(1, DType::boolean));
  Ints windows = all_axes(static_cast<int>(out.size())), rows{0, 0};
  for (std::size_t d = 0; d < out.size(); ++d) {
    Ints others = all_axes(static_cast<int>(2 * out.size()));
    std::erase_if(others, [&](auto axis) {
      return axis % static_cast<std::int64_t>(out.size()) == windows[d];
    });
    auto along = open_windows(n, x, windows[d] + 2, n.ints({out[d]})).inside;
    inside = inside && Expr(n, n.unsqueeze(along, others));
    rows.push_back(out[d]);
  }
  for (auto& axis : windows) axis += 2;
  rows.push_back(-1);
  auto spread =
      where(inside, Expr(n, n.unsqueeze(x, windows)), -std::numeric_limits<double>::infinity());
  auto flat = n.emit("Reshape", {spread, n.ints(rows)});
  auto last = static_cast<std::int64_t>(out.size()) + 2;
  n.out("Out", reduce(n, "ReduceMax", flat, {last}, false));
  n.out("Mask", n.cast(n.emit("ArgMax", {flat}, {{"axis", last}, {"keepdims", std::int64_t{0}}}),
                       n.out_dtype("Mask")));
}

Value adaptive(Node& n, const Value& x, const Pool& pool) {
  const Ints &out = pool.window.kernel, &in = pool.image;
  if (std::count(in.begin(), in.end(), -1)) return adaptive_open(n, x, pool.max, n.ints(out));
  check_adaptive(n, in, out);
  Ints kernel(out.size());
  bool even = true;
  for (std::size_t i = 0; i < out.size(); ++i)
    even &= in[i] % out[i] == 0, kernel[i] = in[i] / out[i];
  if (even)
    return n.emit(pool.max ? "MaxPool" : "AveragePool", {x},
                  {{"kernel_shape", kernel}, {"strides", kernel}});
  if (pool.max || out.size() != 2) return adaptive_by_slices(n, x, pool.max, in, out);
  auto rows = n.emit("MatMul", {averaging_matrix(n, in[0], out[0], false, n.need_dtype(x)), x});
  return n.emit("MatMul", {rows, averaging_matrix(n, in[1], out[1], true, n.need_dtype(x))});
}

}  // namespace oarlock
