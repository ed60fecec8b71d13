// A window that slides over an image: what convolutions and pools share.
#pragma once
#include "convert/node_context.h"

namespace oarlock {

/// pads: ONNX's order, all begins and then all ends; same: padding SAME that is not resolved to
/// `pads`.
struct Window {
  Ints kernel, strides, dilations, pads;
  bool same = false;
};

/// Strides and paddings as the op has them; dilations are ones.
Window read_window(const Node& n, const Ints& kernel);

/// A size within what 32 bits hold: sums and products of such do not overflow.   Fails otherwise.
void check_size(const Node& n, std::int64_t size, const char* what);

/// Padding SAME becomes numbers where the sizes are known.   image: per dim, -1 where unknown.
void resolve_same(Window& w, const Ints& image);

/// Paddle rounds the number of windows towards 0: there is one where less than a stride is missing,
/// which becomes padding at the end.   Fails where more is missing; image: -1 where unknown
void pad_small_images(const Node& n, Window& w, const Ints& image, bool ceil = false);

/// How much padding SAME adds to an image in all, where it is not known before.   x [N,C,*] ->
/// int64[dims]
Value same_padding(Node& n, const Value& x, const Window& w);

}  // namespace oarlock
