// Regions of images: rows x1, y1, x2, y2; RoisNum has the number per image, or they are packed
// sequences.
#pragma once
#include "convert/node_context.h"

namespace oarlock {

/// The image of each region. int64[R]
Value image_id_per_roi(NodeContext& n, Value rois);
/// The size attribute `name`, default 1. Throws Error unless require_unrollable_size() accepts the
/// size.
std::int64_t require_unrollable_size_attr(const NodeContext& n, std::string_view name);

}  // namespace oarlock
