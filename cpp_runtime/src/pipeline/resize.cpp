#include "pipeline/resize.h"

#include <cmath>

namespace oarlock {
namespace {

constexpr float kWeightScale = 2048;  // weights are integers of 11 bits

// How the pixels of one axis are computed: `count` source pixels with weights for each of them.
struct AxisWeights {
  int count = 2;
  std::vector<int> index;             // clamped to the axis
  std::vector<std::int16_t> weights;  // sum to 2048
};

std::int16_t to_fixed_point(float weight) {
  return static_cast<std::int16_t>(std::nearbyint(weight * kWeightScale));
}

// is_horizontal: OpenCV replaces weights outside of the image along rows only; along columns it
// repeats the edge pixel with both weights, which rounds differently.
AxisWeights axis_weights(int source, int target, Interpolation interpolation, bool is_horizontal) {
  AxisWeights axis;
  axis.count = interpolation == Interpolation::cubic ? 4 : 2;
  double inverse_scale = static_cast<double>(target) / source, scale = 1 / inverse_scale;
  for (int i = 0; i < target; ++i) {
    float fraction;
    int first;
    if (interpolation == Interpolation::area) {
      first = static_cast<int>(std::floor(i * scale));
      fraction = static_cast<float>((i + 1) - (first + 1) * inverse_scale);
      fraction = fraction <= 0 ? 0 : fraction - std::floor(fraction);
    } else {
      fraction = static_cast<float>((i + 0.5) * scale - 0.5);
      first = static_cast<int>(std::floor(fraction));
      fraction -= static_cast<float>(first);
    }
    std::array<float, 4> weights = cubic_weights(fraction);
    if (axis.count == 2) {
      if (is_horizontal && (first < 0 || first >= source - 1)) fraction = 0;
      if (is_horizontal) first = std::clamp(first, 0, source - 1);
      weights = {1 - fraction, fraction, 0, 0};
    }
    for (int k = 0; k < axis.count; ++k) {
      axis.index.push_back(std::clamp(first - (axis.count / 2 - 1) + k, 0, source - 1));
      axis.weights.push_back(to_fixed_point(weights[static_cast<std::size_t>(k)]));
    }
  }
  return axis;
}

// One row of weighted sums along the row; three values per target pixel.
void interpolate_row(const std::uint8_t* row, const AxisWeights& axis, std::vector<int>& sums) {
  std::size_t count = static_cast<std::size_t>(axis.count);
  for (std::size_t x = 0; x < sums.size() / 3; ++x)
    for (std::size_t c = 0; c < 3; ++c) {
      int sum = 0;
      for (std::size_t k = 0; k < count; ++k)
        sum += axis.weights[x * count + k] *
               row[3 * static_cast<std::size_t>(axis.index[x * count + k]) + c];
      sums[3 * x + c] = sum;
    }
}

std::uint8_t combine_linear(int upper, int lower, int upper_weight, int lower_weight) {
  int sum = ((upper_weight * (upper >> 4)) >> 16) + ((lower_weight * (lower >> 4)) >> 16);
  return static_cast<std::uint8_t>(std::clamp((sum + 2) >> 2, 0, 255));
}

ByteImage interpolate(const ByteImage& source, int height, int width, Interpolation interpolation) {
  AxisWeights columns = axis_weights(source.width, width, interpolation, true);
  AxisWeights rows = axis_weights(source.height, height, interpolation, false);
  std::size_t count = static_cast<std::size_t>(rows.count);
  // The interpolated source rows that a target row needs are consecutive: slot = row % count.
  std::vector<std::vector<int>> cache(count, std::vector<int>(3 * static_cast<std::size_t>(width)));
  std::vector<int> cached_row(count, -1);
  ByteImage result(height, width);
  for (int y = 0; y < height; ++y) {
    std::array<const int*, 4> sums{};
    std::array<int, 4> weights{};
    for (std::size_t k = 0; k < count; ++k) {
      int row = rows.index[static_cast<std::size_t>(y) * count + k];
      std::size_t slot = static_cast<std::size_t>(row) % count;
      if (cached_row[slot] != row) interpolate_row(source.row(row), columns, cache[slot]);
      cached_row[slot] = row;
      sums[k] = cache[slot].data();
      weights[k] = rows.weights[static_cast<std::size_t>(y) * count + k];
    }
    std::uint8_t* target = result.row(y);
    for (std::size_t i = 0; i < 3 * static_cast<std::size_t>(width); ++i) {
      if (count == 2) {
        target[i] = combine_linear(sums[0][i], sums[1][i], weights[0], weights[1]);
        continue;
      }
      float sum = 0;
      for (std::size_t k = 4; k-- > 0;)
        sum += static_cast<float>(sums[k][i]) *
               (static_cast<float>(weights[k]) / (kWeightScale * kWeightScale));
      target[i] = round_to_byte(sum);
    }
  }
  return result;
}

// Means of blocks of `rows` x `columns` pixels.
ByteImage average_blocks(const ByteImage& source, int rows, int columns) {
  ByteImage result(source.height / rows, source.width / columns);
  float scale = 1.0f / static_cast<float>(rows * columns);
  for (int y = 0; y < result.height; ++y)
    for (int x = 0; x < result.width; ++x)
      for (int c = 0; c < 3; ++c) {
        int sum = 0;
        for (int i = 0; i < rows; ++i)
          for (int j = 0; j < columns; ++j)
            sum += source.row(y * rows + i)[3 * (x * columns + j) + c];
        result.row(y)[3 * x + c] = rows == 2 && columns == 2
                                       ? static_cast<std::uint8_t>((sum + 2) >> 2)
                                       : round_to_byte(static_cast<float>(sum) * scale);
      }
  return result;
}

struct Overlap {
  int index;
  float weight;
};

// For each target pixel: the source pixels that it covers, with the covered fractions.
std::vector<std::vector<Overlap>> axis_overlaps(int source, int target) {
  constexpr double kSmallest = 1e-3;  // OpenCV ignores smaller overlaps
  double scale = 1 / (static_cast<double>(target) / source);
  std::vector<std::vector<Overlap>> overlaps(static_cast<std::size_t>(target));
  for (int i = 0; i < target; ++i) {
    std::vector<Overlap>& pixel = overlaps[static_cast<std::size_t>(i)];
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

ByteImage average_areas(const ByteImage& source, int height, int width) {
  auto rows = axis_overlaps(source.height, height), columns = axis_overlaps(source.width, width);
  std::vector<float> row_sums(3 * static_cast<std::size_t>(width)), sums(row_sums.size());
  ByteImage result(height, width);
  for (int y = 0; y < height; ++y) {
    std::fill(sums.begin(), sums.end(), 0.0f);
    for (const Overlap& row : rows[static_cast<std::size_t>(y)]) {
      std::fill(row_sums.begin(), row_sums.end(), 0.0f);
      for (std::size_t x = 0; x < columns.size(); ++x)
        for (const Overlap& column : columns[x])
          for (std::size_t c = 0; c < 3; ++c)
            row_sums[3 * x + c] += static_cast<float>(source.row(
                                       row.index)[3 * static_cast<std::size_t>(column.index) + c]) *
                                   column.weight;
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += row.weight * row_sums[i];
    }
    for (std::size_t i = 0; i < sums.size(); ++i) result.row(y)[i] = round_to_byte(sums[i]);
  }
  return result;
}

ByteImage pick_nearest(const ByteImage& source, int height, int width) {
  double row_scale = 1 / (static_cast<double>(height) / source.height);
  double column_scale = 1 / (static_cast<double>(width) / source.width);
  ByteImage result(height, width);
  for (int y = 0; y < height; ++y) {
    const std::uint8_t* row =
        source.row(std::min(static_cast<int>(y * row_scale), source.height - 1));
    for (int x = 0; x < width; ++x)
      std::copy_n(row + 3 * std::min(static_cast<int>(x * column_scale), source.width - 1), 3,
                  result.row(y) + 3 * x);
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
  // OpenCV computes an exact halving by the mean of four pixels also if `linear` is requested.
  if (interpolation == Interpolation::linear && in_blocks && source.height == 2 * height &&
      source.width == 2 * width)
    interpolation = Interpolation::area;
  if (interpolation == Interpolation::nearest) return pick_nearest(source, height, width);
  if (interpolation == Interpolation::area && in_blocks)
    return average_blocks(source, source.height / height, source.width / width);
  if (interpolation == Interpolation::area && shrinks) return average_areas(source, height, width);
  return interpolate(source, height, width, interpolation);
}

}  // namespace oarlock
