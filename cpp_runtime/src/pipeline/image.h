// Images with three channels, interleaved by pixel.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace oarlock {

/// The largest number of pixels of a resized, padded or cropped image.
constexpr double kMaxPixels = 1 << 26;

/// `height` rows of `width` pixels of three values.
template <class T>
struct Image {
  int height = 0, width = 0;
  std::vector<T> values;

  Image() = default;
  Image(int rows, int columns)
      : height(rows),
        width(columns),
        values(3 * static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns)) {}
  T* row(int y) { return pixel(y, 0); }
  const T* row(int y) const { return pixel(y, 0); }
  T* pixel(int y, int x) { return values.data() + offset(y, x); }
  const T* pixel(int y, int x) const { return values.data() + offset(y, x); }

 private:
  std::size_t offset(int y, int x) const {
    return 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                static_cast<std::size_t>(x));
  }
};

using ByteImage = Image<std::uint8_t>;
using FloatImage = Image<float>;

/// Copies `source` to `target` with its first pixel at (`top`, `left`).
template <class S, class T>
void paste(const Image<S>& source, Image<T>& target, int top, int left) {
  for (int y = 0; y < source.height; ++y)
    std::copy_n(source.row(y), 3 * static_cast<std::size_t>(source.width),
                target.pixel(y + top, left));
}

/// Copies the rectangle of `source` whose first pixel is (`top`, `left`).
inline ByteImage crop(const ByteImage& source, int top, int left, int height, int width) {
  ByteImage result(height, width);
  for (int y = 0; y < height; ++y)
    std::copy_n(source.pixel(y + top, left), 3 * static_cast<std::size_t>(width), result.row(y));
  return result;
}

/// The three values repeated for every pixel.
template <class T>
Image<T> make_filled_image(int height, int width, std::array<T, 3> color) {
  Image<T> result(height, width);
  for (std::size_t i = 0; i < result.values.size(); ++i) result.values[i] = color[i % 3];
  return result;
}

/// The nearest integer, from 0 to 255; halves are rounded to even, as OpenCV rounds.
std::uint8_t round_to_byte(float value);

}  // namespace oarlock
