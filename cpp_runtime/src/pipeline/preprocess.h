// From a decoded image to the input of a network.
#pragma once
#include "pipeline/settings.h"

namespace oarlock {

/// The bytes from one row to the next.  Throws Error(input) for an invalid view.
std::int64_t require_valid_image_stride(const ImageView& view);

/// Copies an image with its channels in `order`.  Throws Error(input) for an invalid view.
ByteImage copy_image_in_pixel_order(const ImageView& view, PixelOrder order);

/// Throws Error(input) if the image is smaller than CropImage's size, larger than Pad's, or would
/// be resized beyond 2^26 (67,108,864) pixels.
PreparedImage preprocess_image(const PipelineSettings& settings, const ImageView& view);

}  // namespace oarlock
