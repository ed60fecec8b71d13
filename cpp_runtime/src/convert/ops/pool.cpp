// Pools. If the size of the image is known, ceil mode is replaced by padding in floor mode, on
// which ONNX Runtime and Paddle agree; they differ in some cases of ceil mode.
#include "convert/ops/pool.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

Value global_pool(NodeContext& n, Value x, bool max, std::size_t dims) {
  if (n.dtype(x) != DType::float64) return n.emit(max ? "GlobalMaxPool" : "GlobalAveragePool", {x});
  Ints axes = all_axes(static_cast<int>(dims) + 2);
  axes.erase(axes.begin(), axes.begin() + 2);
  return reduce(n, max ? "ReduceMax" : "ReduceMean", x, axes, true);
}

// ---- ceil mode: one more window for the remainder of the strides ----

// End paddings with which ONNX's floor mode yields as many windows as Paddle's ceil mode.
Ints total_end_pads_of_ceil_mode(const PoolParameters& pool) {
  const Window& w = pool.window;
  std::size_t dims = w.kernel.size();
  Ints ends(w.pads.begin() + static_cast<std::ptrdiff_t>(dims), w.pads.end());
  for (std::size_t i = 0; i < dims; ++i) {
    auto length = pool.image_size[i] + w.pads[i] + ends[i];
    auto windows = (length - w.kernel[i] + w.strides[i] - 1) / w.strides[i] + 1;
    ends[i] += std::max((windows - 1) * w.strides[i] + w.kernel[i] - length, std::int64_t{0});
  }
  return ends;
}

void set_end_pads_for_ceil_mode(const NodeContext& n, PoolParameters& pool) {
  Ints ends = total_end_pads_of_ceil_mode(pool);
  for (std::size_t i = 0; i < ends.size(); ++i)
    n.require(ends[i] < pool.window.kernel[i], "ceil_mode puts a whole window into the padding");
  std::copy(ends.begin(), ends.end(),
            pool.window.pads.end() - static_cast<std::ptrdiff_t>(ends.size()));
}

// The part of the end padding by which it exceeds the begin padding; Paddle's inclusive mean does
// not count this part as elements.
Ints uncounted_end_pads(const Window& w) {
  Ints extra(w.kernel.size());
  for (std::size_t i = 0; i < extra.size(); ++i)
    extra[i] = std::max(w.pads[extra.size() + i] - w.pads[i], std::int64_t{0});
  return extra;
}

// The number of elements along `dim` by which Paddle's inclusive mean divides, for each window;
// `extra` is the end padding that is not counted.
Ints inclusive_mean_divisors_along_dim(const NodeContext& n, const PoolParameters& pool,
                                       const Ints& extra, std::size_t dim) {
  const Window& w = pool.window;
  std::size_t dims = w.kernel.size();
  auto length = pool.image_size[dim] + w.pads[dim] + w.pads[dims + dim];
  Ints counts(require_unrollable_size(n, (length - w.kernel[dim]) / w.strides[dim] + 1,
                                      "the number of windows"));
  for (std::size_t i = 0; i < counts.size(); ++i) {
    auto from = static_cast<std::int64_t>(i) * w.strides[dim];
    counts[i] = std::min(from + w.kernel[dim], length - extra[dim]) - from;
  }
  return counts;
}

Value correct_mean_divisor(NodeContext& n, Value y, const PoolParameters& pool, const Ints& extra) {
  for (std::size_t d = 0; d < extra.size(); ++d) {
    if (extra[d] == 0) continue;
    Floats ratio;
    for (auto count : inclusive_mean_divisors_along_dim(n, pool, extra, d))
      ratio.push_back(static_cast<double>(pool.window.kernel[d]) / static_cast<double>(count));
    Ints shape(extra.size(), 1);
    shape[d] = -1;
    y = n.emit("Mul", {y, n.reshape(n.vector(ratio, n.require_known_dtype(y)), shape)});
  }
  return y;
}

// Fails if a window of ceil mode may begin in the end padding: ONNX Runtime drops such a window,
// Paddle does not.
void reject_ceil_mode_needing_known_size(const NodeContext& n, const PoolParameters& pool) {
  const Window& w = pool.window;
  std::size_t dims = w.kernel.size();
  for (std::size_t i = 0; i < dims; ++i)
    n.require(w.kernel[i] >= w.strides[i] + w.pads[dims + i],
              "ceil_mode of this window needs a known size of the image");
}

NodeContext::Attrs onnx_pool_attrs(const PoolParameters& pool, bool ceil) {
  NodeContext::Attrs attrs{{"kernel_shape", pool.window.kernel}, {"strides", pool.window.strides}};
  if (pool.window.is_same_padding)
    attrs.emplace_back("auto_pad", std::string("SAME_UPPER"));
  else if (std::count(pool.window.pads.begin(), pool.window.pads.end(), 0) !=
           static_cast<std::ptrdiff_t>(pool.window.pads.size()))
    attrs.emplace_back("pads", pool.window.pads);
  if (ceil) attrs.emplace_back("ceil_mode", std::int64_t{1});
  if (!pool.is_max && !pool.is_exclusive) attrs.emplace_back("count_include_pad", std::int64_t{1});
  return attrs;
}

// Pads the spatial dims. begin, end: int64[dims]
Value pad_spatial(NodeContext& n, Value x, Value begin, Value end, double number = 0) {
  n.require_opset(11);
  return n.emit("Pad",
                {x, n.concat({n.int64_vector({0, 0}), begin, n.int64_vector({0, 0}), end}, 0),
                 n.scalar_like(number, x)});
}

double lowest_value(DType dtype) {
  return dtype == DType::float64   ? std::numeric_limits<double>::lowest()
         : dtype == DType::float16 ? -65504
                                   : std::numeric_limits<float>::lowest();
}

// The end padding that the last window of ceil mode needs: the elements by which windows extend
// beyond the image. int64[dims]
Expr emit_total_end_pads_of_ceil_mode(NodeContext& n, Value x, const Window& w) {
  auto dims = static_cast<std::ptrdiff_t>(w.kernel.size());
  Expr image(n, n.slice(n.emit_shape(x), {2}, {dims + 2}, {0})),
      stride(n, n.int64_vector(w.strides)), kernel(n, n.int64_vector(w.kernel));
  Expr begin(n, n.int64_vector({w.pads.begin(), w.pads.begin() + dims})),
      end(n, n.int64_vector({w.pads.begin() + dims, w.pads.end()}));
  auto windows = (image + begin + end - kernel + stride - 1) / stride + 1;
  return max((windows - 1) * stride + kernel - image - begin, end);
}

// The number of elements of each window along `dim` by which a mean divides; 0 or less for a window
// beyond the image, as in Paddle. windows: int64[]; -> [windows]
Expr emit_window_element_counts_along_dim(NodeContext& n, const PoolParameters& pool,
                                          std::size_t dim, const Expr& size, Value windows) {
  const Window& w = pool.window;
  auto stride = static_cast<double>(w.strides[dim]), begin = static_cast<double>(w.pads[dim]);
  auto from = arange(n, windows) * stride - begin, to = from + static_cast<double>(w.kernel[dim]);
  return pool.is_exclusive ? min(to, size) - max(from, 0) : min(to, size + begin) - from;
}

// Pools in ceil mode by padding the image. As in Paddle, the maximum of a window without pixels is
// the lowest number, and its mean is 0 / 0.
Value pool_emulating_ceil_mode(NodeContext& n, Value x, const PoolParameters& pool) {
  auto behind = emit_total_end_pads_of_ceil_mode(n, x, pool.window);
  std::size_t dims = pool.window.kernel.size();
  auto begin = n.int64_vector(
      {pool.window.pads.begin(), pool.window.pads.begin() + static_cast<std::ptrdiff_t>(dims)});
  PoolParameters unpadded_pool = pool;
  unpadded_pool.window.pads.assign(2 * dims, 0);
  auto dtype = n.require_known_dtype(x);
  auto wide = pad_spatial(n, x, begin, behind, pool.is_max ? lowest_value(dtype) : 0);
  Expr y(n, n.emit(pool.is_max ? "MaxPool" : "AveragePool", {wide},
                   onnx_pool_attrs(unpadded_pool, false)));
  if (pool.is_max) return y;
  y = y * static_cast<double>(element_count(pool.window.kernel).value_or(1));
  for (std::size_t d = 0; d < dims; ++d) {
    auto axis = static_cast<std::int64_t>(d) + 2;
    Ints behind_it = all_axes(static_cast<int>(dims - d));
    behind_it.erase(behind_it.begin());
    auto counts = emit_window_element_counts_along_dim(n, pool, d, {n, dim_as_scalar(n, x, axis)},
                                                       dim_as_scalar(n, y, axis));
    y = y / Expr(n, n.unsqueeze(counts.to(dtype), behind_it));
  }
  return y;
}

// Whether a window of ceil mode may begin beyond the image, or whether the mean divides by a number
// of elements that ONNX's AveragePool cannot compute.
bool needs_ceil_mode_emulation(const PoolParameters& pool, bool known) {
  const Window& w = pool.window;
  std::size_t dims = w.kernel.size();
  Ints ends = known ? total_end_pads_of_ceil_mode(pool) : Ints{};
  for (std::size_t i = 0; i < dims; ++i) {
    if (known ? ends[i] >= w.kernel[i] : w.kernel[i] < w.strides[i] + w.pads[dims + i]) return true;
    if (!known && !pool.is_max && !pool.is_exclusive && w.pads[i] != w.pads[dims + i]) return true;
  }
  return false;
}

// Replaces SAME padding of a mean pool: pads the image by half of the total padding at each end. If
// the total is odd, SAME padding has one more element at the end, which ceil mode or uncounted end
// padding adds.
Value pad_image_and_replace_same_padding_of_mean_pool(NodeContext& n, Value x,
                                                      PoolParameters& pool) {
  Window& w = pool.window;
  std::size_t dims = w.kernel.size();
  auto begin = (Expr(n, emit_total_same_padding(n, x, w)) / 2).value();
  w.is_same_padding = false, pool.ceil_mode = true;
  for (std::size_t i = 0; i < dims; ++i)
    w.pads[dims + i] = w.strides[i] == 1 && w.kernel[i] % 2 == 0 ? 1 : 0;
  return pad_spatial(n, x, begin, begin);
}

// Replaces the inclusive mean of an image of unknown size by an equal exclusive mean: the padding
// that the inclusive mean counts becomes part of the image.
Value pad_image_to_make_mean_exclusive(NodeContext& n, Value x, PoolParameters& pool) {
  Window& w = pool.window;
  std::size_t dims = w.kernel.size();
  Ints extra = uncounted_end_pads(w),
       begin(w.pads.begin(), w.pads.begin() + static_cast<std::ptrdiff_t>(dims)), end(dims);
  bool all = !w.is_same_padding && !pool.ceil_mode &&
             std::count(extra.begin(), extra.end(), 0) == static_cast<std::ptrdiff_t>(dims);
  pool.is_exclusive = !all || std::count(w.pads.begin(), w.pads.end(), 0) ==
                                  static_cast<std::ptrdiff_t>(w.pads.size());
  if (all) return x;  // ONNX counts the same, except for images smaller than the window
  if (w.is_same_padding) return pad_image_and_replace_same_padding_of_mean_pool(n, x, pool);
  for (std::size_t i = 0; i < dims; ++i) {
    end[i] = w.pads[dims + i] - extra[i];
    w.pads[i] = 0, w.pads[dims + i] = extra[i];
  }
  return pad_spatial(n, x, n.int64_vector(begin), n.int64_vector(end));
}

// Whether a stride of SAME padding is larger than the window, so that pixels are skipped. ONNX
// Runtime computes negative paddings for such strides.
bool same_padding_skips_pixels(const PoolParameters& pool) {
  const Window& w = pool.window;
  return w.is_same_padding &&
         !std::equal(w.strides.begin(), w.strides.end(), w.kernel.begin(), std::less_equal<>());
}

Value pool_with_same_padding_and_skipped_pixels(NodeContext& n, Value x, PoolParameters pool) {
  Expr around(n, emit_total_same_padding(n, x, pool.window)), begin = around / 2,
                                                              end = around - begin;
  pool.window.is_same_padding = false;
  auto over = [&](Value v, double border) {
    auto wide = pad_spatial(n, v, begin.value(), end.value(), border);
    return Expr(
        n, n.emit(pool.is_max ? "MaxPool" : "AveragePool", {wide}, onnx_pool_attrs(pool, false)));
  };
  if (pool.is_max) return over(x, lowest_value(n.require_known_dtype(x)));
  auto sums = over(x, 0);
  return pool.is_exclusive
             ? sums / over(n.emit("Expand", {n.scalar_like(1, x), n.emit_shape(x)}), 0)
             : sums;
}

// Whether a window may lie entirely in the padding, which ONNX Runtime rejects.
bool has_padding_only_windows(const Window& w) {
  std::size_t dims = w.kernel.size();
  for (std::size_t i = 0; i < dims; ++i)
    if (std::max(w.pads[i], w.pads[dims + i]) >= w.kernel[i]) return true;
  return false;
}

// Pads the image by a Pad node before pooling. For a window entirely in the padding, the mean is 0
// / 0 and the maximum is the lowest number.
Value pad_then_pool(NodeContext& n, Value x, PoolParameters pool) {
  const Window& w = pool.window;
  std::size_t dims = w.kernel.size();
  bool wider = false;  // then Paddle divides by a negative number of elements
  for (std::size_t i = 0; i < dims; ++i)
    wider |= std::max(w.pads[i], w.pads[dims + i]) > w.kernel[i];
  n.require(!pool.ceil_mode && !w.is_same_padding && (pool.is_max || !pool.is_exclusive || !wider),
            "paddings=" + format_shape(w.pads) +
                " as large as the window have no lowering with ceil_mode; larger ones have none "
                "for average pooling");
  auto half = pool.window.pads.begin() + static_cast<std::ptrdiff_t>(pool.window.kernel.size());
  auto begin = n.int64_vector(Ints(pool.window.pads.begin(), half)),
       end = n.int64_vector(Ints(half, pool.window.pads.end()));
  pool.window.pads.assign(pool.window.pads.size(), 0);
  auto over = [&](Value v, double border) {
    auto wide = pad_spatial(n, v, begin, end, border);
    return Expr(
        n, n.emit(pool.is_max ? "MaxPool" : "AveragePool", {wide}, onnx_pool_attrs(pool, false)));
  };
  if (pool.is_max) return over(x, lowest_value(n.require_known_dtype(x)));
  auto sums = over(x, 0);
  return pool.is_exclusive
             ? sums / over(n.emit("Expand", {n.scalar_like(1, x), n.emit_shape(x)}), 0)
             : sums;
}

// Fails if a size of the pooling window is not positive; widens the end padding of an image that is
// smaller than the window.
void check_kernel_and_widen_end_pads(const NodeContext& n, PoolParameters& pool) {
  const Window& w = pool.window;
  std::size_t dims = w.kernel.size();
  for (std::size_t i = 0; i < dims; ++i) {
    n.require(w.kernel[i] > 0, "ksize=" + format_shape(w.kernel) + " is not positive");
  }
  widen_end_pads_or_reject_small_image(n, pool.window, pool.image_size, pool.ceil_mode);
}

Value sliding_pool(NodeContext& n, Value x, PoolParameters pool) {
  drop_dilations_and_resolve_same_padding(pool.window, pool.image_size);
  check_kernel_and_widen_end_pads(n, pool);
  if (has_padding_only_windows(pool.window)) return pad_then_pool(n, x, pool);
  if (same_padding_skips_pixels(pool)) return pool_with_same_padding_and_skipped_pixels(n, x, pool);
  bool known = std::count(pool.image_size.begin(), pool.image_size.end(), -1) == 0 &&
               !pool.window.is_same_padding;
  if (pool.ceil_mode && !pool.window.is_same_padding && needs_ceil_mode_emulation(pool, known))
    return pool_emulating_ceil_mode(n, x, pool);
  if (pool.ceil_mode && known) set_end_pads_for_ceil_mode(n, pool);
  if (pool.ceil_mode && pool.window.is_same_padding)
    reject_ceil_mode_needing_known_size(n, pool), pool.ceil_mode = false;  // no remainder then
  if (!known && !pool.is_max && !pool.is_exclusive)
    x = pad_image_to_make_mean_exclusive(n, x, pool);
  if (pool.ceil_mode && !known) reject_ceil_mode_needing_known_size(n, pool);
  auto y = n.emit(pool.is_max ? "MaxPool" : "AveragePool", {x},
                  onnx_pool_attrs(pool, pool.ceil_mode && !known));
  return pool.is_max || pool.is_exclusive || !known
             ? y
             : correct_mean_divisor(n, y, pool, uncounted_end_pads(pool.window));
}

// An adaptive pool whose output sizes are a tensor, so that they are known only at run time.
Value adaptive_pool_with_size_tensor(NodeContext& n, Value x) {
  n.require(n.attr("adaptive", false),
            "attribute 'ksize' is a tensor, which has no lowering unless it is 'adaptive'");
  return adaptive_pool_with_run_time_sizes(n, x, n.attr("pooling_type", "max") == "max",
                                           read_int_list_as_vector(n, {"ksize", "", ""}));
}

void pool(NodeContext& n) {
  bool last = is_channels_last(n, "data_format");
  auto x = move_channels_first_if(n, n.input("X"), last);
  if (!n.values_of_variable_list_attr("ksize").empty())
    return n.set_output("Out",
                        move_channels_last_if(n, adaptive_pool_with_size_tensor(n, x), last));
  Ints kernel = n.attr("ksize", Ints{});
  PoolParameters pool{n.attr("pooling_type", "max") == "max", n.attr("exclusive", true),
                      n.attr("ceil_mode", false), read_strides_and_paddings(n, kernel),
                      spatial_sizes_or_minus_one(n, x, kernel.size())};
  bool adapts = n.attr("adaptive", false), one = element_count(kernel).value_or(-1) == 1;
  auto y = n.attr("global_pooling", false) || (adapts && one)
               ? global_pool(n, x, pool.is_max, kernel.size())
           : adapts ? adaptive_pool(n, x, pool)
                    : sliding_pool(n, x, pool);
  n.set_output("Out", move_channels_last_if(n, y, last));
}

// Converts the indices of ONNX's MaxPool, which count through the whole tensor, to those of
// Paddle's Mask, which count within one channel of one sample.
Value indices_within_plane(NodeContext& n, Value indices, Value x, std::size_t dims) {
  Value plane = n.slice(n.emit_shape(x), {2}, {static_cast<std::int64_t>(dims) + 2}, {0});
  auto known = n.find_constant_ints(plane);
  plane = known ? n.int64_scalar(element_count(*known).value_or(-1))
                : reduce(n, "ReduceProd", plane, {0}, false);
  auto mask = n.emit("Mod", {indices, plane});
  return n.cast(mask, n.declared_output_dtype("Mask"));
}

void lower_max_pool_with_index_op(NodeContext& n) {
  auto x = n.input("X");
  Ints out = n.attr("ksize", Ints{});
  PoolParameters pool{true, true, n.attr("ceil_mode", false), read_strides_and_paddings(n, out),
                      spatial_sizes_or_minus_one(n, x, out.size())};
  bool adapts = n.attr("adaptive", false);
  if (adapts || n.attr("global_pooling", false)) {
    if (!adapts) out.assign(out.size(), 1);
    bool is_dynamic = std::count(pool.image_size.begin(), pool.image_size.end(), -1) > 0,
         even = !is_dynamic;
    for (std::size_t i = 0; even && i < out.size(); ++i)
      even = out[i] > 0 && pool.image_size[i] % out[i] == 0;
    if (!even && n.is_output_read("Mask")) return set_adaptive_max_pool_and_mask_outputs(n, x, out);
    if (is_dynamic)
      return n.set_output("Out",
                          adaptive_pool_with_run_time_sizes(n, x, true, n.int64_vector(out)));
    check_adaptive_size_limits(n, pool.image_size, out);
    pool.window = {out, out, Ints(out.size(), 1), Ints(2 * out.size(), 0), false};
    if (!even)
      return n.set_output("Out", adaptive_pool_by_slices(n, x, true, pool.image_size, out));
    for (std::size_t i = 0; i < out.size(); ++i)
      pool.window.kernel[i] = pool.window.strides[i] = pool.image_size[i] / out[i];
  }
  n.require(!has_padding_only_windows(pool.window),
            "paddings as large as the window have no lowering with a mask");
  check_kernel_and_widen_end_pads(n, pool);
  bool is_dynamic = std::count(pool.image_size.begin(), pool.image_size.end(), -1) > 0;
  if (pool.ceil_mode)
    is_dynamic ? reject_ceil_mode_needing_known_size(n, pool) : set_end_pads_for_ceil_mode(n, pool);
  auto results =
      n.emit_multi_output(2, "MaxPool", {x}, onnx_pool_attrs(pool, pool.ceil_mode && is_dynamic));
  n.set_output("Out", results[0]);
  n.set_output("Mask", indices_within_plane(n, results[1], x, out.size()));
}

}  // namespace

std::span<const Rule> pool_rules() {
  static const Rule rules[] = {
      {"pool2d", 10, pool},
      {"pool3d", 10, pool},
      {"max_pool2d_with_index", 10, lower_max_pool_with_index_op},
      {"max_pool3d_with_index", 10, lower_max_pool_with_index_op},
  };
  return rules;
}

}  // namespace oarlock
