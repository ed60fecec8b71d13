// Declarations shared by sliding and adaptive pools.
#pragma once
#include "convert/ops/conv_pool_geometry.h"

namespace oarlock {

struct PoolParameters {
  bool is_max = true, is_exclusive = true, ceil_mode = false;
  Window window;
  Ints image_size;  // spatial sizes, -1 if unknown
};

/// An adaptive pool; `window.kernel` is the output size.
Value adaptive_pool(NodeContext& n, Value x, const PoolParameters& pool);
/// An adaptive pool whose image size or output size is known at run time only. out: int64[dims]
Value adaptive_pool_with_run_time_sizes(NodeContext& n, Value x, bool max, Value out);
/// An adaptive pool with one slice of the image per window. image, out: known sizes, checked by
/// check_adaptive_size_limits
Value adaptive_pool_by_slices(NodeContext& n, Value x, bool max, const Ints& image,
                              const Ints& out);
/// Fails for sizes that cannot be unrolled window by window.
void check_adaptive_size_limits(const NodeContext& n, const Ints& in, const Ints& out);
/// Sets the outputs `Out` and `Mask`: maxima and their indices.
void set_adaptive_max_pool_and_mask_outputs(NodeContext& n, Value x, const Ints& out);

}  // namespace oarlock
