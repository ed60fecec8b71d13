// Adaptive pools: window i spans from floor(i * in / out) to ceil((i + 1) * in / out).
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

struct Window1d {
  std::int64_t start, end;
};

Window1d adaptive_window(std::int64_t i, std::int64_t in, std::int64_t out) {
  return {i * in / out, ((i + 1) * in + out - 1) / out};
}

}  // namespace

// Fails if the input or output size of an adaptive pool is too large, because its windows are
// unrolled one by one.
void check_adaptive_size_limits(const NodeContext& n, const Ints& in, const Ints& out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    require_unrollable_size(n, out[i], "a size to adapt to");
    require_unrollable_size(n, in[i], "a size to adapt");
    n.require(out[i] <= 1024 && in[i] <= 1 << 16, "adapts more than has a lowering");
  }
}

namespace {

// The weights whose product with an axis yields the mean over each adaptive window.  Weights [out,
// in], or [in, out] if transposed.
Value averaging_matrix(NodeContext& n, std::int64_t in, std::int64_t out, bool transposed,
                       DType dtype) {
  std::vector<double> weights(static_cast<std::size_t>(in * out), 0);
  for (std::int64_t i = 0; i < out; ++i) {
    Window1d s = adaptive_window(i, in, out);
    for (auto p = s.start; p < s.end; ++p)
      weights[static_cast<std::size_t>(transposed ? p * out + i : i * in + p)] =
          1.0 / static_cast<double>(s.end - s.start);
  }
  std::string bytes;
  for (double w : weights) bytes += encode_scalar(w, dtype);
  return n.tensor({dtype, transposed ? Ints{in, out} : Ints{out, in}, bytes});
}

}  // namespace

Value adaptive_pool_by_slices(NodeContext& n, Value x, bool max, const Ints& image,
                              const Ints& out) {
  for (std::size_t d = 0; d < out.size(); ++d) {
    auto axis = static_cast<std::int64_t>(d) + 2;
    Values rows;
    for (std::int64_t i = 0; i < out[d]; ++i) {
      Window1d s = adaptive_window(i, image[d], out[d]);
      rows.push_back(reduce(n, max ? "ReduceMax" : "ReduceMean",
                            n.slice(x, {s.start}, {s.end}, {axis}), {axis}, true));
    }
    x = n.concat(rows, axis);
  }
  return x;
}

namespace {

// 0 .. count-1, a constant if the count is known. count: int64[1]
Value arange_constant_if_count_known(NodeContext& n, Value count) {
  auto known = n.find_constant_ints(count);
  if (!known) return arange(n, count);
  Ints range(require_unrollable_size(n, known->at(0), "a size to adapt to"));
  n.require(range.size() <= 1024, "adapts more than has a lowering");
  std::iota(range.begin(), range.end(), 0);
  return n.int64_vector(range);
}

// The adaptive windows along one axis, whose size may be unknown: whether position i is in window o
// (bool[out, in]), and the window sizes (int64[out, 1]).
struct WindowMaskAndSizes {
  Expr mask, sizes;
};

// The mask and sizes of the `out` (int64[1]) adaptive windows of `x` along `axis`.
WindowMaskAndSizes emit_window_mask_and_sizes(NodeContext& n, Value x, std::int64_t axis,
                                              Value out) {
  Expr size(n, as_scalar(n, dim_as_vector(n, x, axis))),
      width(n, as_scalar(n, assert_nonzero_divisor(n, out)));
  Expr window(n, n.unsqueeze(arange_constant_if_count_known(n, out), {1}));
  auto from = window * size / width, to = ((window + 1) * size + (width - 1)) / width;
  auto at = arange(n, size);
  return {at >= from && at < to, to - from};
}

// The mean along an axis as a matrix product; along the last axis but one, the matrix is the left
// operand.
Value emit_adaptive_mean_along_axis(NodeContext& n, Value x, std::int64_t axis, Value out) {
  auto [mask, sizes] = emit_window_mask_and_sizes(n, x, axis, out);
  auto dtype = n.require_known_dtype(x);
  auto weights = mask.to(dtype) / sizes.to(dtype);
  auto last = n.rank(x) - 1;
  if (axis == last - 1) return n.emit("MatMul", {weights, x});
  auto transposed = n.transpose(weights, {1, 0});
  if (axis == last) return n.emit("MatMul", {x, transposed});
  Ints swapped = all_axes(n.rank(x));
  std::swap(swapped[static_cast<std::size_t>(axis)], swapped.back());
  return n.transpose(n.emit("MatMul", {n.transpose(x, swapped), transposed}), swapped);
}

// The maximum over each adaptive window along `axis`, computed from one masked copy of the axis per
// window.
Value emit_adaptive_max_along_axis(NodeContext& n, Value x, std::int64_t axis, Value out) {
  auto mask_of_windows = emit_window_mask_and_sizes(n, x, axis, out).mask;
  Ints trailing_axes;
  for (auto i = axis + 1; i < n.rank(x); ++i) trailing_axes.push_back(i - axis + 1);
  auto mask = Expr(n, n.unsqueeze(mask_of_windows, trailing_axes));
  auto masked_copies =
      where(mask, Expr(n, n.unsqueeze(x, {axis})), -std::numeric_limits<double>::infinity());
  return reduce(n, "ReduceMax", masked_copies, {axis + 1}, false);
}

}  // namespace

Value adaptive_pool_with_run_time_sizes(NodeContext& n, Value x, bool max, Value out) {
  n.require_opset(13);
  auto known = n.shape(x).value_or(Ints{});
  n.require(static_cast<std::int64_t>(known.size()) == n.dim(out, 0) + 2,
            "needs one size per dim of the image");
  for (std::int64_t d = 0; d < n.dim(out, 0); ++d) {
    auto size = n.slice(out, {d}, {d + 1}, {0});
    x = max ? emit_adaptive_max_along_axis(n, x, d + 2, size)
            : emit_adaptive_mean_along_axis(n, x, d + 2, size);
    known[static_cast<std::size_t>(d) + 2] = n.find_constant_ints(size).value_or(Ints{-1}).at(0);
    n.declare_type(x, n.dtype(x), known);
  }
  return x;
}

// Adaptive max pool with indices: broadcasts the image to one masked copy per window, and outputs
// the maximum of each copy and its index in the image.
void set_adaptive_max_pool_and_mask_outputs(NodeContext& n, Value x, const Ints& out) {
  n.require_opset(13);
  Expr inside(n, n.scalar(1, DType::boolean));
  Ints windows = all_axes(static_cast<int>(out.size())), rows{0, 0};
  for (std::size_t d = 0; d < out.size(); ++d) {
    Ints others = all_axes(static_cast<int>(2 * out.size()));
    std::erase_if(others, [&](auto axis) {
      return axis % static_cast<std::int64_t>(out.size()) == windows[d];
    });
    auto along = emit_window_mask_and_sizes(n, x, windows[d] + 2, n.int64_vector({out[d]})).mask;
    inside = inside && Expr(n, n.unsqueeze(along, others));
    rows.push_back(out[d]);
  }
  for (auto& axis : windows) axis += 2;
  rows.push_back(-1);
  auto masked_copies =
      where(inside, Expr(n, n.unsqueeze(x, windows)), -std::numeric_limits<double>::infinity());
  auto flat = n.emit("Reshape", {masked_copies, n.int64_vector(rows)});
  auto last = static_cast<std::int64_t>(out.size()) + 2;
  n.set_output("Out", reduce(n, "ReduceMax", flat, {last}, false));
  n.set_output("Mask",
               n.cast(n.emit("ArgMax", {flat}, {{"axis", last}, {"keepdims", std::int64_t{0}}}),
                      n.declared_output_dtype("Mask")));
}

Value adaptive_pool(NodeContext& n, Value x, const PoolParameters& pool) {
  const Ints &out = pool.window.kernel, &in = pool.image_size;
  if (std::count(in.begin(), in.end(), -1))
    return adaptive_pool_with_run_time_sizes(n, x, pool.is_max, n.int64_vector(out));
  check_adaptive_size_limits(n, in, out);
  Ints kernel(out.size());
  bool even = true;
  for (std::size_t i = 0; i < out.size(); ++i)
    even &= in[i] % out[i] == 0, kernel[i] = in[i] / out[i];
  if (even)
    return n.emit(pool.is_max ? "MaxPool" : "AveragePool", {x},
                  {{"kernel_shape", kernel}, {"strides", kernel}});
  if (pool.is_max || out.size() != 2) return adaptive_pool_by_slices(n, x, pool.is_max, in, out);
  auto rows =
      n.emit("MatMul", {averaging_matrix(n, in[0], out[0], false, n.require_known_dtype(x)), x});
  return n.emit("MatMul",
                {rows, averaging_matrix(n, in[1], out[1], true, n.require_known_dtype(x))});
}

}  // namespace oarlock
