// What pools that slide and pools that adapt share.
#pragma once
#include "convert/ops/conv_pool_geometry.h"

namespace oarlock {

struct Pool {
  bool max = true, exclusive = true, ceil = false;
  Window window;
  Ints image;  // spatial sizes, -1 where unknown
};

/// A pool whose windows come from the sizes of image and result; `window.kernel` is the latter.
Value adaptive(Node& n, const Value& x, const Pool& pool);
/// The same where sizes are not known.   out: int64[dims]
Value adaptive_open(Node& n, Value x, bool max, const Value& out);
/// The same slice by slice.   image, out: known sizes, which check_adaptive has seen
Value adaptive_by_slices(Node& n, Value x, bool max, const Ints& image, const Ints& out);
/// Fails for sizes that cannot be written out window by window.
void check_adaptive(const Node& n, const Ints& in, const Ints& out);
/// The largest elements and where they are: the results `Out` and `Mask`.
void adaptive_with_mask(Node& n, const Value& x, const Ints& out);

}  // namespace oarlock
