// Prior boxes around every position of a feature map, from the sizes of map and image.
#include <algorithm>
#include <cmath>
#include <limits>

#include "convert/operands.h"
#include "convert/ops/box_geometry.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// Appends the corners of a box (left, top, right, bottom), relative to a grid position, to
// `corners` [P*4]. x, y: the center of the box relative to that position
void append_box_corners(Floats& corners, double x, double y, double wide, double high) {
  corners.insert(corners.end(), {x - wide / 2, y - high / 2, x + wide / 2, y + high / 2});
}

struct GridCenters {
  Expr x, y;  // [1,W,1,1] and [H,1,1,1]
};

// The corners of the P prior boxes at all grid positions. [H,W,P,4]
Expr boxes_at_centers(NodeContext& n, const GridCenters& at, const Floats& corners, DType dtype) {
  Expr across{n, n.vector({1, 0, 1, 0}, dtype)}, down{n, n.vector({0, 1, 0, 1}, dtype)};
  return at.x * across + at.y * down + Expr{n, n.reshape(n.vector(corners, dtype), {-1, 4})};
}

Value emit_expanded_variances(NodeContext& n, const Expr& boxes) {
  auto values = n.attr("variances", Floats{});
  n.require(values.size() == 4, "'variances' are not four numbers");
  return n.emit("Expand", {n.vector(values, n.require_known_dtype(boxes)), n.emit_shape(boxes)});
}

// ---- normalized to the image ----

struct ImageSizeAndStepAlongAxis {
  Expr size, step;  // float[1]
};

ImageSizeAndStepAlongAxis read_image_size_and_step(NodeContext& n, std::int64_t axis,
                                                   std::string_view step) {
  auto map = n.input("Input");
  auto dtype = n.require_known_dtype(map);
  Expr image{n, n.cast(dim_as_vector(n, n.input("Image"), axis), dtype)};
  auto step_attr = n.attr(step, 0.0f);
  return {image, step_attr > 0 ? image.scalar_like(step_attr)
                               : image / Expr{n, n.cast(dim_as_vector(n, map, axis), dtype)}};
}

// The coordinates of the grid centers along an axis; neighboring centers are `step` apart.
Expr axis_centers(NodeContext& n, std::int64_t axis, const Expr& step) {
  auto map = n.input("Input");
  auto at = (arange(n, dim_as_vector(n, map, axis)).to(n.require_known_dtype(map)) +
             n.attr("offset", 0.5f)) *
            step;
  return {n, n.unsqueeze(at, axis == 3 ? Ints{0, 2, 3} : Ints{1, 2, 3})};
}

Expr normalized_prior_boxes_at_grid_centers(NodeContext& n, const Floats& corners) {
  auto wide = read_image_size_and_step(n, 3, "step_w"),
       high = read_image_size_and_step(n, 2, "step_h");
  auto boxes = boxes_at_centers(n, {axis_centers(n, 3, wide.step), axis_centers(n, 2, high.step)},
                                corners, n.require_known_dtype(n.input("Input")));
  return boxes / Expr{n, n.concat({wide.size, high.size, wide.size, high.size}, 0)};
}

Expr clip_to_unit(const Expr& boxes) { return min(max(boxes, 0), 1); }

// The aspect ratios of the boxes: 1, then each of `ratios` that is new, and with `flip` its
// inverse.
Floats expand_aspect_ratios(const Floats& ratios, bool flip) {
  Floats expanded{1};
  for (double r : ratios) {
    if (std::any_of(expanded.begin(), expanded.end(),
                    [&](double f) { return std::abs(r - f) < 1e-6; }))
      continue;
    expanded.push_back(r);
    if (flip) expanded.push_back(1 / r);
  }
  return expanded;
}

void prior_box(NodeContext& n) {
  auto low = n.attr("min_sizes", Floats{}), high = n.attr("max_sizes", Floats{});
  auto ratios = expand_aspect_ratios(n.attr("aspect_ratios", Floats{}), n.attr("flip", true));
  n.require(!low.empty(), "min_sizes is empty");
  n.require(high.empty() || high.size() == low.size(), "min_sizes and max_sizes differ in number");
  bool square_second = n.attr("min_max_aspect_ratios_order", false);
  Floats corners;
  for (std::size_t i = 0; i < low.size(); ++i) {
    auto square = [&] {
      append_box_corners(corners, 0, 0, std::sqrt(low[i] * high[i]), std::sqrt(low[i] * high[i]));
    };
    for (std::size_t r = 0; r < ratios.size(); ++r) {
      append_box_corners(corners, 0, 0, low[i] * std::sqrt(ratios[r]),
                         low[i] / std::sqrt(ratios[r]));
      if (r == 0 && square_second && !high.empty()) square();
    }
    if (!square_second && !high.empty()) square();
  }
  auto boxes = normalized_prior_boxes_at_grid_centers(n, corners);
  if (n.attr("clip", true)) boxes = clip_to_unit(boxes);
  n.set_output("Boxes", boxes);
  n.set_output("Variances", emit_expanded_variances(n, boxes));
}

// ---- density_prior_box: several boxes of one size, shifted ----

// The mean of the vertical and the horizontal step, truncated to an integer.
std::int64_t truncated_mean_step(const NodeContext& n) {
  double steps = 0;
  for (std::int64_t axis : {2, 3}) {
    auto step = n.attr(axis == 3 ? "step_w" : "step_h", 0.0f);
    auto image = n.dim(n.input("Image"), axis), map = n.dim(n.input("Input"), axis);
    n.require(step > 0 || (image > 0 && map > 0), "needs the sizes of Input and Image to be known");
    steps += step > 0 ? step : static_cast<double>(image) / static_cast<double>(map);
  }
  return static_cast<std::int64_t>(steps * 0.5);
}

Floats density_corner_offsets(const NodeContext& n) {
  auto sizes = n.attr("fixed_sizes", Floats{}), ratios = n.attr("fixed_ratios", Floats{});
  auto densities = n.attr("densities", Ints{});
  n.require(!sizes.empty(), "fixed_sizes is empty");
  n.require(sizes.size() == densities.size(), "fixed_sizes and densities differ in number");
  auto step = truncated_mean_step(n);
  Floats corners;
  for (std::size_t s = 0; s < sizes.size(); ++s)
    for (double ratio : ratios) {
      auto count = densities[s];
      n.require(count >= 1 && count <= 64, "a density is " + std::to_string(count));
      std::int64_t whole_shift = step / count;  // Paddle uses whole pixels
      auto shift = static_cast<double>(whole_shift),
           first = shift / 2 - static_cast<double>(step) / 2;
      for (std::int64_t i = 0, row = 0; i < count * count; ++i, row = i / count)
        append_box_corners(corners, first + static_cast<double>(i % count) * shift,
                           first + static_cast<double>(row) * shift, sizes[s] * std::sqrt(ratio),
                           sizes[s] / std::sqrt(ratio));
    }
  return corners;
}

// The op density_prior_box clips the low corners of boxes at 0 and the high corners at 1, even if
// attribute `clip` is false.
void density_prior_box(NodeContext& n) {
  constexpr double all = std::numeric_limits<float>::max();
  auto boxes = normalized_prior_boxes_at_grid_centers(n, density_corner_offsets(n));
  auto dtype = n.require_known_dtype(boxes);
  boxes = max(boxes, Expr{n, n.vector({0, 0, -all, -all}, dtype)});
  boxes = min(boxes, Expr{n, n.vector({all, all, 1, 1}, dtype)});
  if (n.attr("clip", true)) boxes = clip_to_unit(boxes);
  auto variances = emit_expanded_variances(n, boxes);
  bool flat = n.attr("flatten_to_2d", false);
  n.set_output("Boxes", flat ? n.reshape(boxes, {-1, 4}) : boxes.value());
  n.set_output("Variances", flat ? n.reshape(variances, {-1, 4}) : variances);
}

// ---- anchor_generator: in pixels, with integer sizes ----

void anchor_generator(NodeContext& n) {
  auto map = n.input("Input");
  auto sizes = n.attr("anchor_sizes", Floats{}), ratios = n.attr("aspect_ratios", Floats{});
  auto stride = n.attr("stride", Floats{16, 16});
  n.require(stride.size() == 2 && !sizes.empty() && !ratios.empty(),
            "'stride' is not two numbers, or there are no sizes");
  double offset = n.attr("offset", 0.5f);
  Floats corners;
  for (double ratio : ratios)
    for (double size : sizes) {
      double wide = std::round(std::sqrt(stride[0] * stride[1] / ratio)),
             high = std::round(wide * ratio);
      append_box_corners(corners, 0, 0, size / stride[0] * wide - 1, size / stride[1] * high - 1);
    }
  auto dtype = n.require_known_dtype(map);
  auto at = [&](std::int64_t axis, double by) {
    auto positions = arange(n, dim_as_vector(n, map, axis)).to(dtype) * by + offset * (by - 1);
    return Expr{n, n.unsqueeze(positions, axis == 3 ? Ints{0, 2, 3} : Ints{1, 2, 3})};
  };
  auto boxes = boxes_at_centers(n, {at(3, stride[0]), at(2, stride[1])}, corners, dtype);
  n.set_output("Anchors", boxes);
  n.set_output("Variances", emit_expanded_variances(n, boxes));
}

}  // namespace

std::span<const Rule> prior_boxes_rules() {
  static const Rule rules[] = {
      {"prior_box", 11, prior_box},
      {"density_prior_box", 11, density_prior_box},
      {"anchor_generator", 11, anchor_generator},
  };
  return rules;
}

}  // namespace oarlock
