// Sampling of images at grid positions.  Coordinates run from -1 to 1 along each axis.
#include <algorithm>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// The coordinates of the centers of `size` pixels; -1 and 1 are the edges of the image or, with
// `corners`, the centers of the first and the last pixel. float[size]
Expr normalized_coordinates_of_axis_pixels(NodeContext& n, Value size, bool corners, DType dtype) {
  auto at = arange(n, size).to(dtype);
  Expr count{n, n.cast(size, dtype)};
  return corners ? at * 2 / max(count - 1, 1) - 1
                 : (at * 2 + 1) / count - 1;  // a single pixel is at -1
}

// The sampling positions: sums of pixel coordinates times the columns of Theta, computed by
// broadcasting.
void affine_grid(NodeContext& n) {
  auto theta = n.input("Theta");
  auto shape = read_int_list_as_vector(n, {"output_shape", "OutputShape", ""});
  auto dims = n.dim(shape, 0) - 2;
  n.require(n.require_known_rank(theta) == 3, "Theta has no three dims");
  if (dims < 0) dims = n.dim(theta, 1);
  n.require(dims == 2 || dims == 3, "needs the number of dims to be known, and two or three");
  bool corners = n.attr("align_corners", true);
  auto column = [&](std::int64_t i) {
    auto theta_column = n.emit("Gather", {theta, n.int64_scalar(i)}, {{"axis", std::int64_t{2}}});
    return Expr{n, n.unsqueeze(theta_column, dims == 2 ? Ints{1, 2} : Ints{1, 2, 3})};
  };
  Expr grid = column(dims);
  for (std::int64_t i = 0; i < dims; ++i) {
    auto along = normalized_coordinates_of_axis_pixels(n, n.slice(shape, {2 + i}, {3 + i}, {0}),
                                                       corners, n.require_known_dtype(theta));
    Ints others;
    for (std::int64_t k = 0; k < dims + 2; ++k)
      if (k != i + 1) others.push_back(k);
    grid = column(dims - 1 - i) * Expr{n, n.unsqueeze(along, others)} + grid;
  }
  n.set_output("Output", grid);
}

// Moves each position to the nearest pixel. A position midway between two pixels moves to the pixel
// whose index is farther from 0; ONNX Runtime would choose the even index.
Expr snap_to_pixels(NodeContext& n, Value x, const Expr& grid, bool corners) {
  Expr count{n,
             n.cast(n.slice(n.emit_shape(x), {-1}, {1}, {0}, {-1}), n.require_known_dtype(grid))};
  auto span = corners ? max(count - 1, 1) : count;
  auto at = round_half_away(corners ? (grid + 1) * span * 0.5 : (grid + 1) * span * 0.5 - 0.5);
  return (corners ? at * 2 : at * 2 + 1) / span - 1;
}

void grid_sampler(NodeContext& n) {
  auto x = n.input("X");
  if (n.require_known_rank(x) == 5) n.require_opset(20);
  auto mode = n.attr("mode", "bilinear"), padding = n.attr("padding_mode", "zeros");
  n.require(mode == "bilinear" || mode == "nearest", "mode '" + mode + "' has no lowering");
  n.require(padding == "zeros" || padding == "border" || padding == "reflection",
            "padding_mode '" + padding + "' has no lowering");
  if (n.opset() >= 20 && mode == "bilinear") mode = "linear";
  bool corners = n.attr("align_corners", true);
  auto grid = input_expr(n, "Grid");
  if (mode == "nearest") grid = snap_to_pixels(n, x, grid, corners);
  n.set_output("Output", n.emit("GridSample", {x, grid},
                                {{"mode", mode},
                                 {"padding_mode", padding},
                                 {"align_corners", std::int64_t{corners}}}));
}

}  // namespace

std::span<const Rule> grid_sample_rules() {
  static const Rule rules[] = {
      {"affine_grid", 11, affine_grid},
      {"grid_sampler", 16, grid_sampler},
  };
  return rules;
}

}  // namespace oarlock
