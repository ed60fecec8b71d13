// Sliding-window geometry shared by convolutions and pools.
#pragma once
#include "convert/node_context.h"

namespace oarlock {

/// pads: ONNX's order, all begins, then all ends; is_same_padding: SAME padding that is not
/// resolved to `pads`.
struct Window {
  Ints kernel, strides, dilations, pads;
  bool is_same_padding = false;
};

/// The sizes of the last `dims` axes of [N,C,*]; -1 where they are unknown.
Ints spatial_sizes_or_minus_one(const NodeContext& n, Value v, std::size_t dims);

/// The strides and paddings of the op; dilations are 1.
Window read_strides_and_paddings(const NodeContext& n, const Ints& kernel);

/// Fails unless a size fits 32 bits, so that sums and products do not overflow.
void check_int32_size(const NodeContext& n, std::int64_t size, const char* what);

/// Resolves SAME padding for known sizes. Sets dilations to 1 for SAME padding of any size, because
/// Paddle ignores them. image: per dim, -1 if unknown.
void drop_dilations_and_resolve_same_padding(Window& w, const Ints& image);

/// If the padded image is smaller than the window by less than a stride, Paddle computes one
/// window, because its division rounds toward 0.  Adds the missing size as end padding; fails if a
/// stride or more is missing, with `ceil` if more than 2 * stride - 2 is. image: -1 if unknown
void widen_end_pads_or_reject_small_image(const NodeContext& n, Window& w, const Ints& image,
                                          bool ceil = false);

/// The total SAME padding of an image of unknown size. x [N,C,*] -> int64[dims]
Value emit_total_same_padding(NodeContext& n, Value x, const Window& w);

}  // namespace oarlock
