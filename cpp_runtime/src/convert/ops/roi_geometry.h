// Regions of pictures: rows x1, y1, x2, y2 of ROIs, of which RoisNum says how many each picture
// has, or the sequences that they are.
#pragma once
#include "convert/node_context.h"

namespace oarlock {

/// Which picture each region is of.   int64[R]
Value pictures_of(Node& n, const Value& rois);
/// An attribute that is a size.
std::int64_t pooled_size(const Node& n, std::string_view name);

}  // namespace oarlock
