// Image resizing with the results of OpenCV's `resize` for 8-bit images.
#pragma once
#include "pipeline/image.h"

namespace oarlock {

enum class Interpolation { nearest, linear, cubic, area };

/// Resizes an image of at least one pixel to `height` x `width`, both positive.  The result is that
/// of OpenCV on x86-64.  Single values of `cubic` may differ by 1, as they do between OpenCV's
/// processors: it computes `cubic` with weights of 11 bits for images with a side below 4 pixels.
ByteImage resize(const ByteImage& source, int height, int width, Interpolation interpolation);

/// The four weights of Keys' cubic kernel with a = -0.75 for the pixels -1, 0, 1, 2 at 0 <= t < 1.
std::array<float, 4> cubic_weights(float t);

}  // namespace oarlock
