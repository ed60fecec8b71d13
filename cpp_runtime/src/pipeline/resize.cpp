#include "pipeline/resize.h"

#include <cmath>

namespace oarlock {
namespace {

constexpr float kLinearWeightScale = 2048;  // linear weights are integers of 11 bits

// Interpolation along one axis: each target pixel is the sum of `count` weighted source pixels.
template <class Weight>
struct AxisWeights {
  std::size_t count;
  std::vector<int> index;  // clamped to the axis
  std::vector<Weight> weights;
};

// A position between two source pixels: the index of the first one, and the fraction of the
// distance to the next one.
struct SourcePosition {
  int first;
  float fraction;
};

SourcePosition linear_source_position(int i, double scale) {
  auto position = static_cast<float>((i + 0.5) * scale - 0.5);
  int first = static_cast<int>(std::floor(position));
  return {first, position - static_cast<float>(first)};
}

// The source position in OpenCV's area interpolation if it enlarges: the result is constant within
// a source pixel and linear across its edge.
SourcePosition enlarged_area_source_position(int i, double scale) {
  int first = static_cast<int>(std::floor(i * scale));
  auto fraction = static_cast<float>((i + 1) - (first + 1) / scale);
  return {first, fraction <= 0 ? 0 : fraction - std::floor(fraction)};
}

// is_horizontal: OpenCV replaces weights outside of the image along rows only; along columns it
// repeats the edge pixel with both weights, which rounds differently.
AxisWeights<int> linear_or_area_axis_weights(int source, int target, Interpolation interpolation,
                                             bool is_horizontal) {
  AxisWeights<int> axis{2, {}, {}};
  double scale = 1 / (static_cast<double>(target) / source);
  for (int i = 0; i < target; ++i) {
    auto [first, fraction] = interpolation == Interpolation::area
                                 ? enlarged_area_source_position(i, scale)
                                 : linear_source_position(i, scale);
    if (is_horizontal && (first < 0 || first >= source - 1)) {
      first = std::clamp(first, 0, source - 1);
      fraction = 0;
    }
    for (int k = 0; k < 2; ++k) {
      axis.index.push_back(std::clamp(first + k, 0, source - 1));
      axis.weights.push_back(
          static_cast<int>(std::nearbyint((k ? fraction : 1 - fraction) * kLinearWeightScale)));
    }
  }
  return axis;
}

AxisWeights<float> cubic_axis_weights(int source, int target) {
  AxisWeights<float> axis{4, {}, {}};
  double scale = static_cast<double>(source) / target;
  for (int i = 0; i < target; ++i) {
    double position = (i + 0.5) * scale - 0.5, first = std::floor(position);
    std::array<float, 4> weights = cubic_weights(static_cast<float>(position - first));
    for (int k = 0; k < 4; ++k) {
      axis.index.push_back(std::clamp(static_cast<int>(first) - 1 + k, 0, source - 1));
      axis.weights.push_back(weights[static_cast<std::size_t>(k)]);
    }
  }
  return axis;
}

std::uint8_t interpolate_byte_between_rows(const std::array<const int*, 4>& rows,
                                           const int* weights, std::size_t i) {
  int sum = ((weights[0] * (rows[0][i] >> 4)) >> 16) + ((weights[1] * (rows[1][i] >> 4)) >> 16);
  return static_cast<std::uint8_t>(std::clamp((sum + 2) >> 2, 0, 255));
}

std::uint8_t interpolate_byte_between_rows(const std::array<const float*, 4>& rows,
                                           const float* weights, std::size_t i) {
  return round_to_byte(rows[0][i] * weights[0] + rows[1][i] * weights[1] + rows[2][i] * weights[2] +
                       rows[3][i] * weights[3]);
}

// Interpolates one row of pixels along the row; `sums` gets three values (channels) per target
// pixel.
template <class Weight>
void interpolate_row(const std::uint8_t* row, const AxisWeights<Weight>& axis,
                     std::vector<Weight>& sums) {
  for (std::size_t x = 0; x < sums.size() / 3; ++x)
    for (std::size_t c = 0; c < 3; ++c) {
      Weight sum = 0;
      for (std::size_t k = x * axis.count; k < (x + 1) * axis.count; ++k)
        sum += axis.weights[k] * row[3 * static_cast<std::size_t>(axis.index[k]) + c];
      sums[3 * x + c] = sum;
    }
}

template <class Weight>
ByteImage interpolate(const ByteImage& source, const AxisWeights<Weight>& rows,
                      const AxisWeights<Weight>& columns) {
  std::size_t count = rows.count;
  ByteImage result(static_cast<int>(rows.index.size() / count),
                   static_cast<int>(columns.index.size() / count));
  // The cache of interpolated source rows: a target row needs `count` consecutive ones, so row r is
  // kept in slot r % count.
  std::vector<std::vector<Weight>> cache(
      count, std::vector<Weight>(3 * static_cast<std::size_t>(result.width)));
  std::vector<int> cached_row(count, -1);
  for (int y = 0; y < result.height; ++y) {
    std::size_t first = static_cast<std::size_t>(y) * count;
    std::array<const Weight*, 4> sums{};
    for (std::size_t k = 0; k < count; ++k) {
      int row = rows.index[first + k];
      std::size_t slot = static_cast<std::size_t>(row) % count;
      if (cached_row[slot] != row) interpolate_row(source.row(row), columns, cache[slot]);
      cached_row[slot] = row;
      sums[k] = cache[slot].data();
    }
    for (std::size_t i = 0; i < 3 * static_cast<std::size_t>(result.width); ++i)
      result.row(y)[i] = interpolate_byte_between_rows(sums, &rows.weights[first], i);
  }
  return result;
}

// Shrinks an image: each result pixel is the mean of a block of `rows` x `columns` source pixels.
ByteImage shrink_by_block_average(const ByteImage& source, int rows, int columns) {
  ByteImage result(source.height / rows, source.width / columns);
  float scale = 1.0f / static_cast<float>(rows * columns);
  for (int y = 0; y < result.height; ++y)
    for (int x = 0; x < result.width; ++x)
      for (int c = 0; c < 3; ++c) {
        int sum = 0;
        for (int i = 0; i < rows; ++i)
          for (int j = 0; j < columns; ++j) sum += source.pixel(y * rows + i, x * columns + j)[c];
        result.pixel(y, x)[c] = rows == 2 && columns == 2
                                    ? static_cast<std::uint8_t>((sum + 2) >> 2)
                                    : round_to_byte(static_cast<float>(sum) * scale);
      }
  return result;
}

struct SourcePixelWeight {
  int index;
  float weight;
};

// For each target pixel along an axis: the source pixels that it covers, each with the covered
// fraction as its weight.
std::vector<std::vector<SourcePixelWeight>> source_pixel_weights_along_axis(int source,
                                                                            int target) {
  constexpr double kSmallest = 1e-3;  // OpenCV ignores smaller overlaps
  double scale = 1 / (static_cast<double>(target) / source);
  std::vector<std::vector<SourcePixelWeight>> overlaps(static_cast<std::size_t>(target));
  for (int i = 0; i < target; ++i) {
    std::vector<SourcePixelWeight>& pixel = overlaps[static_cast<std::size_t>(i)];
    double begin = i * scale, end = begin + scale, length = std::min(scale, source - begin);
    int last = std::min(static_cast<int>(std::floor(end)), source - 1);
    int first = std::min(static_cast<int>(std::ceil(begin)), last);
    if (first - begin > kSmallest)
      pixel.push_back({first - 1, static_cast<float>((first - begin) / length)});
    for (int k = first; k < last; ++k) pixel.push_back({k, static_cast<float>(1 / length)});
    if (end - last > kSmallest)
      pixel.push_back(
          {last, static_cast<float>(std::min(std::min(end - last, 1.0), length) / length)});
  }
  return overlaps;
}

ByteImage resize_by_area_average(const ByteImage& source, int height, int width) {
  auto rows = source_pixel_weights_along_axis(source.height, height),
       columns = source_pixel_weights_along_axis(source.width, width);
  std::vector<float> row_sums(3 * static_cast<std::size_t>(width)), sums(row_sums.size());
  ByteImage result(height, width);
  for (int y = 0; y < height; ++y) {
    std::fill(sums.begin(), sums.end(), 0.0f);
    for (const SourcePixelWeight& row : rows[static_cast<std::size_t>(y)]) {
      std::fill(row_sums.begin(), row_sums.end(), 0.0f);
      for (std::size_t x = 0; x < columns.size(); ++x)
        for (const SourcePixelWeight& column : columns[x])
          for (std::size_t c = 0; c < 3; ++c)
            row_sums[3 * x + c] +=
                static_cast<float>(source.pixel(row.index, column.index)[c]) * column.weight;
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += row.weight * row_sums[i];
    }
    for (std::size_t i = 0; i < sums.size(); ++i) result.row(y)[i] = round_to_byte(sums[i]);
  }
  return result;
}

ByteImage resize_nearest(const ByteImage& source, int height, int width) {
  double row_scale = 1 / (static_cast<double>(height) / source.height);
  double column_scale = 1 / (static_cast<double>(width) / source.width);
  ByteImage result(height, width);
  for (int y = 0; y < height; ++y) {
    int row = std::min(static_cast<int>(y * row_scale), source.height - 1);
    for (int x = 0; x < width; ++x) {
      int column = std::min(static_cast<int>(x * column_scale), source.width - 1);
      std::copy_n(source.pixel(row, column), 3, result.pixel(y, x));
    }
  }
  return result;
}

}  // namespace

std::uint8_t round_to_byte(float value) {
  return static_cast<std::uint8_t>(std::nearbyint(std::clamp(value, 0.0f, 255.0f)));
}

std::array<float, 4> cubic_weights(float t) {
  constexpr float a = -0.75f;
  float u = 1 - t;
  float before = ((a * (t + 1) - 5 * a) * (t + 1) + 8 * a) * (t + 1) - 4 * a;
  float at = ((a + 2) * t - (a + 3)) * t * t + 1;
  float after = ((a + 2) * u - (a + 3)) * u * u + 1;
  return {before, at, after, 1 - before - at - after};
}

ByteImage resize(const ByteImage& source, int height, int width, Interpolation interpolation) {
  if (height == source.height && width == source.width) return source;
  bool shrinks = source.height >= height && source.width >= width;
  bool in_blocks = shrinks && source.height % height == 0 && source.width % width == 0;
  // If height and width are halved exactly, OpenCV computes means of four pixels even if `linear`
  // is requested.
  if (interpolation == Interpolation::linear && in_blocks && source.height == 2 * height &&
      source.width == 2 * width)
    interpolation = Interpolation::area;
  if (interpolation == Interpolation::nearest) return resize_nearest(source, height, width);
  if (interpolation == Interpolation::area && in_blocks)
    return shrink_by_block_average(source, source.height / height, source.width / width);
  if (interpolation == Interpolation::area && shrinks)
    return resize_by_area_average(source, height, width);
  if (interpolation == Interpolation::cubic)
    return interpolate(source, cubic_axis_weights(source.height, height),
                       cubic_axis_weights(source.width, width));
  return interpolate(source,
                     linear_or_area_axis_weights(source.height, height, interpolation, false),
                     linear_or_area_axis_weights(source.width, width, interpolation, true));
}

}  // namespace oarlock
