// Crops of quads, straightened by a perspective transform.
#pragma once
#include "oarlock/pipeline.h"
#include "pipeline/geometry.h"
#include "pipeline/image.h"

namespace oarlock {

/// The smallest rectangle around a quad, cut out of the image with cubic interpolation and rotated
/// by 90 degrees counterclockwise if it is at least 1.5 times as high as wide, as PaddleX crops
/// lines of text. The result is empty if the rectangle is less than a pixel high or wide. Throws
/// Error(input) for an invalid view, and for corners or rectangles beyond the limits.
ByteImage crop_quad(const ImageView& image, const std::array<Point, 4>& quad);

}  // namespace oarlock
