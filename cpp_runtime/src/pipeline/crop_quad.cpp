#include "pipeline/crop_quad.h"

#include <cmath>

#include "pipeline/preprocess.h"
#include "pipeline/resize.h"

namespace oarlock {
namespace {

constexpr std::int64_t kMaxCoordinate = 1 << 24;
constexpr int kPositions = 32;  // positions between two pixels at which weights are tabulated
constexpr int kCubicWeightScale = 1 << 15;  // weights are integers of 15 bits

// The coefficients a, b, c, d, e, f, g, h, 1 of a perspective transform: (x, y) -> ((a x + b y + c)
// / w, (d x + e y + f) / w), w = g x + h y + 1
using Transform = std::array<double, 9>;

// The perspective transform that maps the corners of a rectangle at the origin to those of `quad`,
// computed by Gaussian elimination.
Transform perspective_transform_to_quad(double width, double height, const Quad& quad) {
  const double x[] = {0, width, width, 0}, y[] = {0, 0, height, height};
  std::array<std::array<double, 9>, 8> system{};
  for (std::size_t i = 0; i < 4; ++i) {
    double u = quad[i].x, v = quad[i].y;
    system[i] = {x[i], y[i], 1, 0, 0, 0, -x[i] * u, -y[i] * u, u};
    system[i + 4] = {0, 0, 0, x[i], y[i], 1, -x[i] * v, -y[i] * v, v};
  }
  for (std::size_t i = 0; i < 8; ++i) {
    std::size_t pivot = i;
    for (std::size_t k = i + 1; k < 8; ++k)
      if (std::fabs(system[k][i]) > std::fabs(system[pivot][i])) pivot = k;
    std::swap(system[i], system[pivot]);
    for (std::size_t k = 0; k < 8; ++k) {
      if (k == i) continue;
      double factor = system[k][i] / system[i][i];
      for (std::size_t j = i; j < 9; ++j) system[k][j] -= factor * system[i][j];
    }
  }
  Transform transform{};
  for (std::size_t i = 0; i < 8; ++i) transform[i] = system[i][8] / system[i][i];
  transform[8] = 1;
  return transform;
}

using Weights = std::array<int, 16>;

// The integer weights of 4 x 4 pixels for bicubic interpolation. The sum of the weights is
// `kCubicWeightScale`: as in OpenCV, the rounding error is added to the largest or subtracted from
// the smallest of the last four central weights.
Weights integer_bicubic_weights_of_4x4_pixels(int x, int y) {
  auto horizontal = cubic_weights(static_cast<float>(x) / kPositions);
  auto vertical = cubic_weights(static_cast<float>(y) / kPositions);
  Weights weights{};
  int sum = 0;
  for (std::size_t i = 0; i < 16; ++i) {
    weights[i] =
        static_cast<int>(std::nearbyint(vertical[i / 4] * horizontal[i % 4] * kCubicWeightScale));
    sum += weights[i];
  }
  std::size_t smallest = 10, largest = 10;
  for (std::size_t i : {10u, 11u, 14u, 15u}) {
    if (weights[i] < weights[smallest])
      smallest = i;
    else if (weights[i] > weights[largest])
      largest = i;
  }
  weights[sum < kCubicWeightScale ? largest : smallest] -= sum - kCubicWeightScale;
  return weights;
}

std::vector<Weights> build_bicubic_weight_table() {
  std::vector<Weights> table;
  for (int i = 0; i < kPositions * kPositions; ++i)
    table.push_back(integer_bicubic_weights_of_4x4_pixels(i % kPositions, i / kPositions));
  return table;
}

// Writes the weighted sum of 4 x 4 pixels around (x, y) to `target`; pixels outside of the image
// are those at its edge.
void interpolate_pixel(const ImageView& image, std::int64_t x, std::int64_t y,
                       const Weights& weights, std::uint8_t* target) {
  std::array<int, 3> sums{};
  for (std::int64_t i = 0; i < 4; ++i) {
    const std::uint8_t* row =
        image.data + std::clamp<std::int64_t>(y - 1 + i, 0, image.height - 1) * image.stride;
    for (std::int64_t j = 0; j < 4; ++j) {
      const std::uint8_t* pixel = row + 3 * std::clamp<std::int64_t>(x - 1 + j, 0, image.width - 1);
      for (std::size_t c = 0; c < 3; ++c)
        sums[c] += pixel[c] * weights[static_cast<std::size_t>(4 * i + j)];
    }
  }
  for (std::size_t c = 0; c < 3; ++c)
    target[c] =
        static_cast<std::uint8_t>(std::clamp((sums[c] + kCubicWeightScale / 2) >> 15, 0, 255));
}

ByteImage warp_perspective(const ImageView& image, const Transform& t, int height, int width) {
  static const std::vector<Weights> table = build_bicubic_weight_table();
  constexpr double limit = 1 << 30;
  ByteImage result(height, width);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      double w = t[6] * x + t[7] * y + t[8], scale = w != 0 ? kPositions / w : 0;
      auto position = [&](std::size_t i) {
        double value = (t[i] * x + t[i + 1] * y + t[i + 2]) * scale;
        if (std::isnan(value)) value = 0;
        return static_cast<std::int64_t>(std::nearbyint(std::clamp(value, -limit, limit)));
      };
      std::int64_t u = position(0), v = position(3);
      std::size_t entry =
          static_cast<std::size_t>((v & (kPositions - 1)) * kPositions + (u & (kPositions - 1)));
      interpolate_pixel(image, u >> 5, v >> 5, table[entry], result.pixel(y, x));
    }
  return result;
}

ByteImage rotate_counterclockwise(const ByteImage& image) {
  ByteImage result(image.width, image.height);
  for (int y = 0; y < result.height; ++y)
    for (int x = 0; x < result.width; ++x)
      std::copy_n(image.pixel(x, image.width - 1 - y), 3, result.pixel(y, x));
  return result;
}

float distance(PointF p, PointF q) {
  float dx = p.x - q.x, dy = p.y - q.y;
  return std::sqrt(dx * dx + dy * dy);
}

}  // namespace

ByteImage crop_quad(const ImageView& image, const std::array<Point, 4>& quad) {
  ImageView view = image;
  view.stride = require_valid_image_stride(image);
  for (Point corner : quad)
    if (std::max(std::abs(corner.x), std::abs(corner.y)) > kMaxCoordinate)
      throw Error(ErrorCode::input, "crop_text: a corner has a coordinate beyond +-" +
                                        std::to_string(kMaxCoordinate));
  Quad box = min_area_rectangle({quad.begin(), quad.end()}).corners;
  float top = std::max(distance(box[0], box[1]), distance(box[2], box[3]));
  float side = std::max(distance(box[0], box[3]), distance(box[1], box[2]));
  if (static_cast<double>(top) * side > kMaxPixels)
    throw Error(ErrorCode::input, "crop_text: the box has more than " +
                                      std::to_string(static_cast<int>(kMaxPixels)) + " pixels");
  int width = static_cast<int>(top), height = static_cast<int>(side);
  if (width == 0 || height == 0) return {};
  ByteImage result =
      warp_perspective(view, perspective_transform_to_quad(width, height, box), height, width);
  return 2 * height >= 3 * width ? rotate_counterclockwise(result) : result;
}

}  // namespace oarlock
