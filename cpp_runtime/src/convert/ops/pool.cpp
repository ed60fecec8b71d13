// Pools.  Sizes that are known are worked out here: ONNX Runtime and Paddle agree on floor, not on
// every corner of ceil.
#include "convert/ops/pool.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

Ints image_of(const Node& n, const Value& x, std::size_t dims) {
  auto shape = n.shape(x);
  return shape && shape->size() == dims + 2 ? Ints(shape->begin() + 2, shape->end())
                                            : Ints(dims, -1);
}

Value global(Node& n, const Value& x, bool max, std::size_t dims) {
  if (n.dtype(x) != DType::float64) return n.emit(max ? "GlobalMaxPool" : "GlobalAveragePool", {x});
  Ints axes = all_axes(static_cast<int>(dims) + 2);
  axes.erase(axes.begin(), axes.begin() + 2);
  return reduce(n, max ? "ReduceMax" : "ReduceMean", x, axes, true);
}

// ---- ceil: one more window where strides leave a rest ----

// Paddings that make the floor of ONNX give as many windows as Paddle's ceil.
Ints grown_ends(const Pool& pool) {
  const Window& w = pool.window;
  std::size_t dims = w.kernel.size();
  Ints ends(w.pads.begin() + static_cast<std::ptrdiff_t>(dims), w.pads.end());
  for (std::size_t i = 0; i < dims; ++i) {
    auto length = pool.image[i] + w.pads[i] + ends[i];
    auto windows = (length - w.kernel[i] + w.strides[i] - 1) / w.strides[i] + 1;
    ends[i] += std::max((windows - 1) * w.strides[i] + w.kernel[i] - length, std::int64_t{0});
  }
  return ends;
}

void grow_ends(const Node& n, Pool& pool) {
  Ints ends = grown_ends(pool);
  for (std::size_t i = 0; i < ends.size(); ++i)
    n.require(ends[i] < pool.window.kernel[i], "ceil_mode puts a whole window into the padding");
  std::copy(ends.begin(), ends.end(),
            pool.window.pads.end() - static_cast<std::ptrdiff_t>(ends.size()));
}

// An inclusive mean counts padding, at the end no more than at the beginning: what it leaves out
// there.
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
  Ints counts(
      written_size(n, (length - w.kernel[dim]) / w.strides[dim] + 1, "the number of windows"));
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

// Where ONNX Runtime leaves out a window that would start in the end's padding, Paddle does not:
// such sizes must be known.
void refuse_odd_ceil(const Node& n, const Pool& pool) {
  const Window& w = pool.window;
  std::size_t dims = w.kernel.size();
  for (std::size_t i = 0; i < dims; ++i)
    n.require(w.kernel[i] >= w.strides[i] + w.pads[dims + i],
              "ceil_mode of this window needs a known size of the image");
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

// Zeros, or another number, around an image.   begin, end: int64[dims]
Value with_border(Node& n, const Value& x, const Value& begin, const Value& end,
                  double number = 0) {
  n.need_opset(11);
  return n.emit("Pad", {x, n.concat({n.ints({0, 0}), begin, n.ints({0, 0}), end}, 0),
                        n.scalar_like(number, x)});
}

double lowest(DType dtype) {
  return dtype == DType::float64   ? std::numeric_limits<double>::lowest()
         : dtype == DType::float16 ? -65504
                                   : std::numeric_limits<float>::lowest();
}

// How far windows reach beyond the image, the last one being begun for any rest.   int64[dims]
Expr reach_behind(Node& n, const Value& x, const Window& w) {
  auto dims = static_cast<std::ptrdiff_t>(w.kernel.size());
  Expr image(n, n.slice(n.shape_of(x), {2}, {dims + 2}, {0})), stride(n, n.ints(w.strides)),
      kernel(n, n.ints(w.kernel));
  Expr begin(n, n.ints({w.pads.begin(), w.pads.begin() + dims})),
      end(n, n.ints({w.pads.begin() + dims, w.pads.end()}));
  auto windows = (image + begin + end - kernel + stride - 1) / stride + 1;
  return max((windows - 1) * stride + kernel - image - begin, end);
}

// How much of each window counts along a dim, 0 or, as in Paddle, less behind the image.   windows:
// int64[]; -> [windows]
Expr counts_along(Node& n, const Pool& pool, std::size_t dim, const Expr& size,
                  const Value& windows) {
  const Window& w = pool.window;
  auto stride = static_cast<double>(w.strides[dim]), begin = static_cast<double>(w.pads[dim]);
  auto from = counted(n, windows) * stride - begin, to = from + static_cast<double>(w.kernel[dim]);
  return pool.exclusive ? min(to, size) - max(from, 0) : min(to, size + begin) - from;
}

// Windows may see nothing of the image: the largest of nothing is the lowest number, and its mean 0
// / 0, as in Paddle.
Value with_empty_windows(Node& n, const Value& x, const Pool& pool) {
  auto behind = reach_behind(n, x, pool.window);
  std::size_t dims = pool.window.kernel.size();
  auto begin = n.ints(
      {pool.window.pads.begin(), pool.window.pads.begin() + static_cast<std::ptrdiff_t>(dims)});
  Pool bare = pool;
  bare.window.pads.assign(2 * dims, 0);
  auto dtype = n.need_dtype(x);
  auto wide = with_border(n, x, begin, behind, pool.max ? lowest(dtype) : 0);
  Expr y(n, n.emit(pool.max ? "MaxPool" : "AveragePool", {wide}, attributes(bare, false)));
  if (pool.max) return y;
  y = y * static_cast<double>(element_count(pool.window.kernel).value_or(1));
  for (std::size_t d = 0; d < dims; ++d) {
    auto axis = static_cast<std::int64_t>(d) + 2;
    Ints behind_it = all_axes(static_cast<int>(dims - d));
    behind_it.erase(behind_it.begin());
    auto counts = counts_along(n, pool, d, {n, length_along(n, x, axis)}, length_along(n, y, axis));
    y = y / Expr(n, n.unsqueeze(counts.to(dtype), behind_it));
  }
  return y;
}

// Whether ceil_mode may begin a window behind the image, or counts elements as ONNX cannot.
bool goes_too_far(const Pool& pool, bool known) {
  const Window& w = pool.window;
  std::size_t dims = w.kernel.size();
  Ints ends = known ? grown_ends(pool) : Ints{};
  for (std::size_t i = 0; i < dims; ++i) {
    if (known ? ends[i] >= w.kernel[i] : w.kernel[i] < w.strides[i] + w.pads[dims + i]) return true;
    if (!known && !pool.max && !pool.exclusive && w.pads[i] != w.pads[dims + i]) return true;
  }
  return false;
}

// Padding SAME is as wide at both ends, or one more at the end, which ceil or an uncounted padding
// makes up for.
Value padded_same(Node& n, const Value& x, Pool& pool) {
  Window& w = pool.window;
  std::size_t dims = w.kernel.size();
  auto begin = (Expr(n, same_padding(n, x, w)) / 2).value();
  w.same = false, pool.ceil = true;
  for (std::size_t i = 0; i < dims; ++i)
    w.pads[dims + i] = w.strides[i] == 1 && w.kernel[i] % 2 == 0 ? 1 : 0;
  return with_border(n, x, begin, begin);
}

// An inclusive mean of an image of unknown size is an exclusive one of the image with the padding
// that counts.
Value padded(Node& n, const Value& x, Pool& pool) {
  Window& w = pool.window;
  std::size_t dims = w.kernel.size();
  Ints extra = uncounted(w),
       begin(w.pads.begin(), w.pads.begin() + static_cast<std::ptrdiff_t>(dims)), end(dims);
  bool all = !w.same && !pool.ceil &&
             std::count(extra.begin(), extra.end(), 0) == static_cast<std::ptrdiff_t>(dims);
  pool.exclusive = !all || std::count(w.pads.begin(), w.pads.end(), 0) ==
                               static_cast<std::ptrdiff_t>(w.pads.size());
  if (all) return x;  // ONNX counts the same, but for the whole window where the picture is smaller
  if (w.same) return padded_same(n, x, pool);
  for (std::size_t i = 0; i < dims; ++i) {
    end[i] = w.pads[dims + i] - extra[i];
    w.pads[i] = 0, w.pads[dims + i] = extra[i];
  }
  return with_border(n, x, n.ints(begin), n.ints(end));
}

// ONNX Runtime makes negative paddings of strides that step over a part of the image.
bool steps_over(const Pool& pool) {
  const Window& w = pool.window;
  return w.same &&
         !std::equal(w.strides.begin(), w.strides.end(), w.kernel.begin(), std::less_equal<>());
}

Value same_stepping_over(Node& n, const Value& x, Pool pool) {
  Expr around(n, same_padding(n, x, pool.window)), begin = around / 2, end = around - begin;
  pool.window.same = false;
  auto over = [&](const Value& v, double border) {
    auto wide = with_border(n, v, begin.value(), end.value(), border);
    return Expr(n, n.emit(pool.max ? "MaxPool" : "AveragePool", {wide}, attributes(pool, false)));
  };
  if (pool.max) return over(x, lowest(n.need_dtype(x)));
  auto found = over(x, 0);
  return pool.exclusive ? found / over(n.emit("Expand", {n.scalar_like(1, x), n.shape_of(x)}), 0)
                        : found;
}

// Whether a window may lie entirely in the padding, which ONNX Runtime rejects.
bool pads_whole_windows(const Window& w) {
  std::size_t dims = w.kernel.size();
  for (std::size_t i = 0; i < dims; ++i)
    if (std::max(w.pads[i], w.pads[dims + i]) >= w.kernel[i]) return true;
  return false;
}

// Pads the image explicitly before pooling.  For a window entirely in the padding, the mean is 0 /
// 0 and the maximum is the lowest number.
Value with_written_padding(Node& n, const Value& x, Pool pool) {
  const Window& w = pool.window;
  std::size_t dims = w.kernel.size();
  bool wider = false;  // then Paddle divides by a negative number of elements
  for (std::size_t i = 0; i < dims; ++i)
    wider |= std::max(w.pads[i], w.pads[dims + i]) > w.kernel[i];
  n.require(!pool.ceil && !w.same && (pool.max || !pool.exclusive || !wider),
            "paddings=" + show(w.pads) +
                " as large as the window have no lowering with ceil_mode; larger ones have none "
                "for average pooling");
  auto half = pool.window.pads.begin() + static_cast<std::ptrdiff_t>(pool.window.kernel.size());
  auto begin = n.ints(Ints(pool.window.pads.begin(), half)),
       end = n.ints(Ints(half, pool.window.pads.end()));
  pool.window.pads.assign(pool.window.pads.size(), 0);
  auto over = [&](const Value& v, double border) {
    auto wide = with_border(n, v, begin, end, border);
    return Expr(n, n.emit(pool.max ? "MaxPool" : "AveragePool", {wide}, attributes(pool, false)));
  };
  if (pool.max) return over(x, lowest(n.need_dtype(x)));
  auto found = over(x, 0);
  return pool.exclusive ? found / over(n.emit("Expand", {n.scalar_like(1, x), n.shape_of(x)}), 0)
                        : found;
}

// Fits images that are smaller than the windows.
void settle_window(const Node& n, Pool& pool) {
  const Window& w = pool.window;
  std::size_t dims = w.kernel.size();
  for (std::size_t i = 0; i < dims; ++i) {
    n.require(w.kernel[i] > 0, "ksize=" + show(w.kernel) + " is not positive");
  }
  pad_small_images(n, pool.window, pool.image, pool.ceil);
}

Value windowed(Node& n, Value x, Pool pool) {
  resolve_same(pool.window, pool.image);
  settle_window(n, pool);
  if (pads_whole_windows(pool.window)) return with_written_padding(n, x, pool);
  if (steps_over(pool)) return same_stepping_over(n, x, pool);
  bool known = std::count(pool.image.begin(), pool.image.end(), -1) == 0 && !pool.window.same;
  if (pool.ceil && !pool.window.same && goes_too_far(pool, known))
    return with_empty_windows(n, x, pool);
  if (pool.ceil && known) grow_ends(n, pool);
  if (pool.ceil && pool.window.same)
    refuse_odd_ceil(n, pool), pool.ceil = false;  // nothing is left over then
  if (!known && !pool.max && !pool.exclusive) x = padded(n, x, pool);
  if (pool.ceil && !known) refuse_odd_ceil(n, pool);
  auto y = n.emit(pool.max ? "MaxPool" : "AveragePool", {x}, attributes(pool, pool.ceil && !known));
  return pool.max || pool.exclusive || !known ? y : corrected(n, y, pool, uncounted(pool.window));
}

// Sizes that only a run knows.
Value adaptive_computed(Node& n, const Value& x) {
  n.require(n.attr("adaptive", false),
            "attribute 'ksize' is a tensor, which has no lowering unless it is 'adaptive'");
  return adaptive_open(n, x, n.attr("pooling_type", "max") == "max",
                       int_list(n, {"ksize", "", ""}));
}

void pool(Node& n) {
  bool last = channels_last(n, "data_format");
  auto x = to_channels_first(n, n.in("X"), last);
  if (!n.attr_tensors("ksize").empty())
    return n.out("Out", to_channels_last(n, adaptive_computed(n, x), last));
  Ints kernel = n.attr("ksize", Ints{});
  Pool pool{n.attr("pooling_type", "max") == "max", n.attr("exclusive", true),
            n.attr("ceil_mode", false), read_window(n, kernel), image_of(n, x, kernel.size())};
  bool adapts = n.attr("adaptive", false), one = element_count(kernel).value_or(-1) == 1;
  auto y = n.attr("global_pooling", false) || (adapts && one)
               ? global(n, x, pool.max, kernel.size())
           : adapts ? adaptive(n, x, pool)
                    : windowed(n, x, pool);
  n.out("Out", to_channels_last(n, y, last));
}

// The mask counts positions within one channel of one sample; ONNX counts through the whole tensor.
Value plane_mask(Node& n, const Value& indices, const Value& x, std::size_t dims) {
  Value plane = n.slice(n.shape_of(x), {2}, {static_cast<std::int64_t>(dims) + 2}, {0});
  auto known = n.const_ints(plane);
  plane = known ? n.int_scalar(element_count(*known).value_or(-1))
                : reduce(n, "ReduceProd", plane, {0}, false);
  auto mask = n.emit("Mod", {indices, plane});
  return n.cast(mask, n.out_dtype("Mask"));
}

void max_pool_with_index(Node& n) {
  auto x = n.in("X");
  Ints out = n.attr("ksize", Ints{});
  Pool pool{true, true, n.attr("ceil_mode", false), read_window(n, out),
            image_of(n, x, out.size())};
  bool adapts = n.attr("adaptive", false);
  if (adapts || n.attr("global_pooling", false)) {
    if (!adapts) out.assign(out.size(), 1);
    bool open = std::count(pool.image.begin(), pool.image.end(), -1) > 0, even = !open;
    for (std::size_t i = 0; even && i < out.size(); ++i)
      even = out[i] > 0 && pool.image[i] % out[i] == 0;
    if (!even && n.is_read("Mask")) return adaptive_with_mask(n, x, out);
    if (open) return n.out("Out", adaptive_open(n, x, true, n.ints(out)));
    check_adaptive(n, pool.image, out);
    pool.window = {out, out, Ints(out.size(), 1), Ints(2 * out.size(), 0), false};
    if (!even) return n.out("Out", adaptive_by_slices(n, x, true, pool.image, out));
    for (std::size_t i = 0; i < out.size(); ++i)
      pool.window.kernel[i] = pool.window.strides[i] = pool.image[i] / out[i];
  }
  n.require(!pads_whole_windows(pool.window),
            "paddings as large as the window have no lowering with a mask");
  settle_window(n, pool);
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
