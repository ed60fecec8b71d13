// Image resizing with the results of OpenCV's `resize` for 8-bit images.
#pragma once
#include "pipeline/image.h"

namespace oarlock {

enum class Interpolation { nearest, linear, cubic, area };

/// Resizes an image of at least one pixel to `height` x `width`, both positive.  The result is that
/// of OpenCV, which computes `linear` and `cubic` with weights of 11 bits; single values of `cubic`
/// and `area` may differ by 1.
ByteImage resize(const ByteImage& source, int height, int width, Interpolation interpolation);

/// The four weights of Keys' cubic kernel with a = -0.75 for the pixels -1, 0, 1, 2 at 0 <= t < 1.
std::array<float, 4> cubic_weights(float t);

}  // namespace oarlock
