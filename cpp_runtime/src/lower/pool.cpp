// Pools.  Sizes that are known are worked out here: ONNX Runtime and Paddle agree on floor, not on every corner of
// ceil.
#include <algorithm>
#include <limits>
#include <numeric>

#include "lower/expr.h"
#include "lower/numbers.h"
#include "lower/operands.h"
#include "lower/rules.h"
#include "lower/window.h"

namespace oarlock {
namespace {

struct Pool {
  bool max = true, exclusive = true, ceil = false;
  Window window;
  Ints image;  // spatial sizes, -1 where unknown
};

Ints image_of(const Node& n, const Value& x, std::size_t dims) {
  auto shape = n.shape(x);
  return shape && shape->size() == dims + 2 ? Ints(shape->begin() + 2, shape->end()) : Ints(dims, -1);
}

Value global(Node& n, const Value& x, bool max, std::size_t dims) {
  if (n.dtype(x) != DType::float64) return n.emit(max ? "GlobalMaxPool" : "GlobalAveragePool", {x});
  Ints axes = all_axes(static_cast<int>(dims) + 2);
  axes.erase(axes.begin(), axes.begin() + 2);
  return reduce(n, max ? "ReduceMax" : "ReduceMean", x, axes, true);
}

// ---- adaptive: window i runs from floor(i * in / out) to ceil((i + 1) * in / out) ----

struct Span {
  std::int64_t from, to;
};

Span adaptive_span(std::int64_t i, std::int64_t in, std::int64_t out) {
  return {i * in / out, ((i + 1) * in + out - 1) / out};
}

// Windows are written out one by one.
void check_adaptive(const Node& n, const Ints& in, const Ints& out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    written_size(n, out[i], "a size to adapt to");
    written_size(n, in[i], "a size to adapt");
    n.require(out[i] <= 1024 && in[i] <= 1 << 16, "adapts more than has a lowering");
  }
}

// The mean along one axis is a product with a matrix of weights.   [out, in], or [in, out] where transposed
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

Value adaptive_by_slices(Node& n, Value x, bool max, const Ints& image, const Ints& out) {
  for (std::size_t d = 0; d < out.size(); ++d) {
    auto axis = static_cast<std::int64_t>(d) + 2;
    Values rows;
    for (std::int64_t i = 0; i < out[d]; ++i) {
      Span s = adaptive_span(i, image[d], out[d]);
      rows.push_back(reduce(n, max ? "ReduceMax" : "ReduceMean", n.slice(x, {s.from}, {s.to}, {axis}), {axis}, true));
    }
    x = n.concat(rows, axis);
  }
  return x;
}

// Which positions of an axis of unknown size belong to which window: bool[out, in], and how many, int64[out, 1].
struct Windows {
  Expr inside, count;
};

Windows open_windows(Node& n, const Value& x, std::int64_t axis, std::int64_t out) {
  Expr size(n, as_scalar(n, size_along(n, x, axis)));
  Ints all(static_cast<std::size_t>(out));
  std::iota(all.begin(), all.end(), 0);
  Expr window(n, n.unsqueeze(n.ints(all), {1}));
  auto wide = static_cast<double>(out);
  auto from = window * size / wide, to = ((window + 1) * size + (wide - 1)) / wide;
  auto at = counted(n, size);
  return {at >= from && at < to, to - from};
}

// The mean along an axis is a product: from the left along the last axis but one.
Value open_mean(Node& n, const Value& x, std::int64_t axis, std::int64_t out) {
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
Value open_max(Node& n, const Value& x, std::int64_t axis, std::int64_t out) {
  auto inside = open_windows(n, x, axis, out).inside;
  Ints behind;
  for (auto i = axis + 1; i < n.rank(x); ++i) behind.push_back(i - axis + 1);
  auto mask = Expr(n, n.unsqueeze(inside, behind));
  auto spread = where(mask, Expr(n, n.unsqueeze(x, {axis})), -std::numeric_limits<double>::infinity());
  return reduce(n, "ReduceMax", spread, {axis + 1}, false);
}

Value adaptive_open(Node& n, Value x, bool max, const Ints& out) {
  n.need_opset(13);
  auto known = *n.shape(x);
  for (std::size_t d = 0; d < out.size(); ++d) {
    auto axis = static_cast<std::int64_t>(d) + 2;
    auto size = static_cast<std::int64_t>(written_size(n, out[d], "a size to adapt to"));
    n.require(size <= 1024, "adapts more than has a lowering");
    x = max ? open_max(n, x, axis, size) : open_mean(n, x, axis, size);
    known[d + 2] = size;
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
    n.require(written_size(n, out[d], "a size to adapt to") <= 1024, "adapts more than has a lowering");
    Ints others = all_axes(static_cast<int>(2 * out.size()));
    std::erase_if(others, [&](auto axis) { return axis % static_cast<std::int64_t>(out.size()) == windows[d]; });
    auto along = open_windows(n, x, windows[d] + 2, out[d]).inside;
    inside = inside && Expr(n, n.unsqueeze(along, others));
    rows.push_back(out[d]);
  }
  for (auto& axis : windows) axis += 2;
  rows.push_back(-1);
  auto spread = where(inside, Expr(n, n.unsqueeze(x, windows)), -std::numeric_limits<double>::infinity());
  auto flat = n.emit("Reshape", {spread, n.ints(rows)});
  auto last = static_cast<std::int64_t>(out.size()) + 2;
  n.out("Out", reduce(n, "ReduceMax", flat, {last}, false));
  n.out("Mask", n.cast(n.emit("ArgMax", {flat}, {{"axis", last}, {"keepdims", std::int64_t{0}}}), n.out_dtype("Mask")));
}

Value adaptive(Node& n, const Value& x, const Pool& pool) {
  const Ints &out = pool.window.kernel, &in = pool.image;
  if (std::count(in.begin(), in.end(), -1)) return adaptive_open(n, x, pool.max, out);
  check_adaptive(n, in, out);
  Ints kernel(out.size());
  bool even = true;
  for (std::size_t i = 0; i < out.size(); ++i) even &= in[i] % out[i] == 0, kernel[i] = in[i] / out[i];
  if (even) return n.emit(pool.max ? "MaxPool" : "AveragePool", {x}, {{"kernel_shape", kernel}, {"strides", kernel}});
  if (pool.max || out.size() != 2) return adaptive_by_slices(n, x, pool.max, in, out);
  auto rows = n.emit("MatMul", {averaging_matrix(n, in[0], out[0], false, n.need_dtype(x)), x});
  return n.emit("MatMul", {rows, averaging_matrix(n, in[1], out[1], true, n.need_dtype(x))});
}

// ---- ceil: one more window where strides leave a rest ----

// Paddings that make the floor of ONNX give as many windows as Paddle's ceil.
void grow_ends(const Node& n, Pool& pool) {
  Window& w = pool.window;
  std::size_t dims = w.kernel.size();
  for (std::size_t i = 0; i < dims; ++i) {
    auto length = pool.image[i] + w.pads[i] + w.pads[dims + i];
    auto windows = (length - w.kernel[i] + w.strides[i] - 1) / w.strides[i] + 1;
    w.pads[dims + i] += std::max((windows - 1) * w.strides[i] + w.kernel[i] - length, std::int64_t{0});
    n.require(w.pads[dims + i] < w.kernel[i], "ceil_mode puts a whole window into the padding");
  }
}

// An inclusive mean counts padding, at the end no more than at the beginning: what it leaves out there.
Ints uncounted(const Window& w) {
  Ints extra(w.kernel.size());
  for (std::size_t i = 0; i < extra.size(); ++i)
    extra[i] = std::max(w.pads[extra.size() + i] - w.pads[i], std::int64_t{0});
  return extra;
}

// Size of the window / what of it counts, per position along one dim.
Ints elements_counted(const Node& n, const Pool& pool, const Ints& extra, std::size_t dim) {
  const Window& w = pool.window;
  std::size_t dims = w.kernel.size();
  auto length = pool.image[dim] + w.pads[dim] + w.pads[dims + dim];
  Ints counts(written_size(n, (length - w.kernel[dim]) / w.strides[dim] + 1, "the number of windows"));
  for (std::size_t i = 0; i < counts.size(); ++i) {
    auto from = static_cast<std::int64_t>(i) * w.strides[dim];
    counts[i] = std::min(from + w.kernel[dim], length - extra[dim]) - from;
  }
  return counts;
}

Value corrected(Node& n, Value y, const Pool& pool, const Ints& extra) {
  for (std::size_t d = 0; d < extra.size(); ++d) {
    if (extra[d] == 0) continue;
    Floats ratio;
    for (auto count : elements_counted(n, pool, extra, d))
      ratio.push_back(static_cast<double>(pool.window.kernel[d]) / static_cast<double>(count));
    Ints shape(extra.size(), 1);
    shape[d] = -1;
    y = n.emit("Mul", {y, n.reshape(n.floats(ratio, n.need_dtype(y)), shape)});
  }
  return y;
}

// Where ONNX Runtime leaves out a window that would start in the end's padding, Paddle does not: such sizes must be
// known.
void refuse_odd_ceil(const Node& n, const Pool& pool) {
  const Window& w = pool.window;
  std::size_t dims = w.kernel.size();
  for (std::size_t i = 0; i < dims; ++i)
    n.require(w.kernel[i] >= w.strides[i] + w.pads[dims + i],
              "ceil_mode of this window needs a known size of the image");
}

// Zeros around an image.   begin, end: int64[dims]
Value with_border(Node& n, const Value& x, const Value& begin, const Value& end) {
  n.need_opset(11);
  return n.emit("Pad", {x, n.concat({n.ints({0, 0}), begin, n.ints({0, 0}), end}, 0), n.scalar_like(0, x)});
}

// Padding SAME is as wide at both ends, or one more at the end, which ceil or an uncounted padding makes up for.
Value padded_same(Node& n, const Value& x, Pool& pool) {
  Window& w = pool.window;
  std::size_t dims = w.kernel.size();
  auto begin = (Expr(n, same_padding(n, x, w)) / 2).value();
  w.same = false, pool.ceil = true;
  for (std::size_t i = 0; i < dims; ++i) w.pads[dims + i] = w.strides[i] == 1 && w.kernel[i] % 2 == 0 ? 1 : 0;
  return with_border(n, x, begin, begin);
}

// An inclusive mean of an image of unknown size is an exclusive one of the image with the padding that counts.
Value padded(Node& n, const Value& x, Pool& pool) {
  Window& w = pool.window;
  std::size_t dims = w.kernel.size();
  Ints extra = uncounted(w), begin(w.pads.begin(), w.pads.begin() + static_cast<std::ptrdiff_t>(dims)), end(dims);
  bool all = !w.same && !pool.ceil && std::count(extra.begin(), extra.end(), 0) == static_cast<std::ptrdiff_t>(dims);
  if (all) return x;  // ONNX counts the same
  pool.exclusive = true;
  if (w.same) return padded_same(n, x, pool);
  for (std::size_t i = 0; i < dims; ++i) {
    end[i] = w.pads[dims + i] - extra[i];
    n.require(!pool.ceil || end[i] == begin[i], "ceil_mode of these paddings needs a known size of the image");
    w.pads[i] = 0, w.pads[dims + i] = extra[i];
  }
  return with_border(n, x, n.ints(begin), n.ints(end));
}

Node::Attrs attributes(const Pool& pool, bool ceil) {
  Node::Attrs attrs{{"kernel_shape", pool.window.kernel}, {"strides", pool.window.strides}};
  if (pool.window.same)
    attrs.emplace_back("auto_pad", std::string("SAME_UPPER"));
  else if (std::count(pool.window.pads.begin(), pool.window.pads.end(), 0) !=
           static_cast<std::ptrdiff_t>(pool.window.pads.size()))
    attrs.emplace_back("pads", pool.window.pads);
  if (ceil) attrs.emplace_back("ceil_mode", std::int64_t{1});
  if (!pool.max && !pool.exclusive) attrs.emplace_back("count_include_pad", std::int64_t{1});
  return attrs;
}

Value windowed(Node& n, Value x, Pool pool) {
  resolve_same(pool.window, pool.image);
  bool known = std::count(pool.image.begin(), pool.image.end(), -1) == 0 && !pool.window.same;
  if (pool.ceil && known) grow_ends(n, pool);
  if (pool.ceil && pool.window.same) refuse_odd_ceil(n, pool), pool.ceil = false;  // nothing is left over then
  if (!known && !pool.max && !pool.exclusive) x = padded(n, x, pool);
  if (pool.ceil && !known) refuse_odd_ceil(n, pool);
  auto y = n.emit(pool.max ? "MaxPool" : "AveragePool", {x}, attributes(pool, pool.ceil && !known));
  return pool.max || pool.exclusive || !known ? y : corrected(n, y, pool, uncounted(pool.window));
}

void pool(Node& n) {
  bool last = channels_last(n, "data_format");
  auto x = to_channels_first(n, n.in("X"), last);
  Ints kernel = n.attr("ksize", Ints{});
  Pool pool{n.attr("pooling_type", "max") == "max", n.attr("exclusive", true), n.attr("ceil_mode", false),
            read_window(n, kernel), image_of(n, x, kernel.size())};
  bool adapts = n.attr("adaptive", false), one = element_count(kernel).value_or(-1) == 1;
  auto y = n.attr("global_pooling", false) || (adapts && one) ? global(n, x, pool.max, kernel.size())
           : adapts                                           ? adaptive(n, x, pool)
                                                              : windowed(n, x, pool);
  n.out("Out", to_channels_last(n, y, last));
}

// The mask counts positions within one channel of one sample; ONNX counts through the whole tensor.
Value plane_mask(Node& n, const Value& indices, const Value& x, std::size_t dims) {
  Value plane = n.slice(n.shape_of(x), {2}, {static_cast<std::int64_t>(dims) + 2}, {0});
  auto known = n.const_ints(plane);
  plane = known ? n.int_scalar(element_count(*known).value_or(-1)) : reduce(n, "ReduceProd", plane, {0}, false);
  auto mask = n.emit("Mod", {indices, plane});
  return n.cast(mask, n.out_dtype("Mask"));
}

void max_pool_with_index(Node& n) {
  auto x = n.in("X");
  Ints out = n.attr("ksize", Ints{});
  Pool pool{true, true, n.attr("ceil_mode", false), read_window(n, out), image_of(n, x, out.size())};
  bool adapts = n.attr("adaptive", false);
  if (adapts || n.attr("global_pooling", false)) {
    if (!adapts) out.assign(out.size(), 1);
    bool open = std::count(pool.image.begin(), pool.image.end(), -1) > 0, even = !open;
    for (std::size_t i = 0; even && i < out.size(); ++i) even = out[i] > 0 && pool.image[i] % out[i] == 0;
    if (!even && n.is_read("Mask")) return adaptive_with_mask(n, x, out);
    if (open) return n.out("Out", adaptive_open(n, x, true, out));
    check_adaptive(n, pool.image, out);
    pool.window = {out, out, Ints(out.size(), 1), Ints(2 * out.size(), 0), false};
    if (!even) return n.out("Out", adaptive_by_slices(n, x, true, pool.image, out));
    for (std::size_t i = 0; i < out.size(); ++i)
      pool.window.kernel[i] = pool.window.strides[i] = pool.image[i] / out[i];
  }
  bool open = std::count(pool.image.begin(), pool.image.end(), -1) > 0;
  if (pool.ceil) open ? refuse_odd_ceil(n, pool) : grow_ends(n, pool);
  auto found = n.emit_n(2, "MaxPool", {x}, attributes(pool, pool.ceil && open));
  n.out("Out", found[0]);
  n.out("Mask", plane_mask(n, found[1], x, out.size()));
}

}  // namespace

std::span<const Rule> pool_rules() {
  static const Rule rules[] = {
      {"pool2d", 10, pool},
      {"pool3d", 10, pool},
      {"max_pool2d_with_index", 10, max_pool_with_index},
      {"max_pool3d_with_index", 10, max_pool_with_index},
  };
  return rules;
}

}  // namespace oarlock
