#include "convert/ops/conv_pool_geometry.h"

#include <algorithm>

#include "convert/expression.h"

namespace oarlock {

Ints spatial_sizes_or_minus_one(const NodeContext& n, Value v, std::size_t dims) {
  auto shape = n.shape(v);
  if (!shape || shape->size() != dims + 2) return Ints(dims, -1);
  return Ints(shape->begin() + 2, shape->end());
}

void check_int32_size(const NodeContext& n, std::int64_t size, const char* what) {
  constexpr std::int64_t limit = std::int64_t{1} << 31;
  n.require(size > -limit && size < limit,
            std::string("a number in '") + what + "' is " + std::to_string(size));
}

// Fails if a stride, padding or other window parameter exceeds 2**20, the same limit as in Python
// (core/result_size_limit.py).
static void check_window_parameter_magnitude(const NodeContext& n, std::int64_t size,
                                             const char* what) {
  constexpr std::int64_t limit = std::int64_t{1} << 20;
  n.require(size >= -limit && size <= limit, std::string(what) + " of " + std::to_string(size) +
                                                 " is larger than " + std::to_string(limit));
}

Window read_strides_and_paddings(const NodeContext& n, const Ints& kernel) {
  std::size_t dims = kernel.size();
  Window w{kernel, n.attr("strides", Ints(dims, 1)), Ints(dims, 1), Ints(2 * dims, 0), false};
  Ints paddings = n.attr("paddings", Ints(dims, 0));
  auto algorithm = n.attr("padding_algorithm", "EXPLICIT");
  w.is_same_padding = algorithm == "SAME";
  n.require(dims > 0 && w.strides.size() == dims &&
                (paddings.size() == dims || paddings.size() == 2 * dims),
            "strides or paddings do not fit " + std::to_string(dims) + " dims");
  for (auto k : kernel) check_window_parameter_magnitude(n, k, "ksize");
  for (auto p : paddings) check_window_parameter_magnitude(n, p, "paddings");
  for (auto s : w.strides)
    check_int32_size(n, s, "strides"), n.require(s > 0, "a stride is " + std::to_string(s));
  if (algorithm != "EXPLICIT") return w;
  bool pairs = paddings.size() == 2 * dims;
  for (std::size_t i = 0; i < dims; ++i) {
    w.pads[i] = paddings[pairs ? 2 * i : i];
    w.pads[dims + i] = paddings[pairs ? 2 * i + 1 : i];
  }
  return w;
}

// Paddle ignores dilations for SAME padding.
void drop_dilations_and_resolve_same_padding(Window& w, const Ints& image) {
  if (!w.is_same_padding) return;
  std::size_t dims = w.kernel.size();
  w.dilations.assign(dims, 1);
  if (std::count(image.begin(), image.end(), -1) ||
      std::count(w.kernel.begin(), w.kernel.end(), -1))
    return;
  for (std::size_t i = 0; i < dims; ++i) {
    auto out = (image[i] + w.strides[i] - 1) / w.strides[i];
    auto sum = std::max((out - 1) * w.strides[i] + w.kernel[i] - image[i], std::int64_t{0});
    w.pads[i] = sum / 2;
    w.pads[dims + i] = sum - sum / 2;
  }
  w.is_same_padding = false;
}

void widen_end_pads_or_reject_small_image(const NodeContext& n, Window& w, const Ints& image,
                                          bool ceil) {
  std::size_t dims = w.kernel.size();
  for (std::size_t i = 0; i < dims && !w.is_same_padding; ++i) {
    if (image[i] < 0 || w.kernel[i] < 0) continue;
    auto reach = w.dilations[i] * (w.kernel[i] - 1) + 1,
         missing = reach - image[i] - w.pads[i] - w.pads[dims + i];
    auto most = ceil ? 2 * w.strides[i] - 2 : w.strides[i] - 1;
    n.require(missing <= std::max(most, std::int64_t{0}),
              "a window of " + std::to_string(reach) + " does not fit into " +
                  std::to_string(image[i]) + " padded by " +
                  format_shape(Ints{w.pads[i], w.pads[dims + i]}));
    w.pads[dims + i] += std::max(missing, std::int64_t{0});
  }
}

Value emit_total_same_padding(NodeContext& n, Value x, const Window& w) {
  auto rank = static_cast<std::int64_t>(w.kernel.size()) + 2;
  Expr image(n, n.slice(n.emit_shape(x), {2}, {rank}, {0})), stride(n, n.int64_vector(w.strides)),
      kernel(n, n.int64_vector(w.kernel));
  auto windows = (image + stride - 1) / stride;
  return max((windows - 1) * stride + kernel - image, 0);
}

}  // namespace oarlock
