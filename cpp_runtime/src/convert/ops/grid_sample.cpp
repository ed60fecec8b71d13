// Places in a picture, and what is seen there.   A coordinate runs from -1 to 1 along each axis.
#include <algorithm>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// Along an axis of `size` pixels: their middles, or with `corners` from the first to the last one.
// float[size]
Expr coordinates(Node& n, const Value& size, bool corners, DType dtype) {
  auto at = counted(n, size).to(dtype);
  Expr count{n, n.cast(size, dtype)};
  return corners ? at * 2 / max(count - 1, 1) - 1
                 : (at * 2 + 1) / count - 1;  // a single one lies at -1
}

// Each coordinate times its column of Theta, which meet by broadcasting.
void affine_grid(Node& n) {
  auto theta = n.in("Theta");
  auto shape = int_list(n, {"output_shape", "OutputShape", ""});
  auto dims = n.dim(shape, 0) - 2;
  n.require(n.need_rank(theta) == 3, "Theta has no three dims");
  if (dims < 0) dims = n.dim(theta, 1);
  n.require(dims == 2 || dims == 3, "needs the number of dims to be known, and two or three");
  bool corners = n.attr("align_corners", true);
  auto column = [&](std::int64_t i) {
    auto taken = n.emit("Gather", {theta, n.int_scalar(i)}, {{"axis", std::int64_t{2}}});
    return Expr{n, n.unsqueeze(taken, dims == 2 ? Ints{1, 2} : Ints{1, 2, 3})};
  };
  Expr grid = column(dims);
  for (std::int64_t i = 0; i < dims; ++i) {
    auto along =
        coordinates(n, n.slice(shape, {2 + i}, {3 + i}, {0}), corners, n.need_dtype(theta));
    Ints others;
    for (std::int64_t k = 0; k < dims + 2; ++k)
      if (k != i + 1) others.push_back(k);
    grid = column(dims - 1 - i) * Expr{n, n.unsqueeze(along, others)} + grid;
  }
  n.out("Output", grid);
}

// Places between two pixels moved to the one farther from 0, where the engine takes the even one.
Expr on_pixels(Node& n, const Value& x, const Expr& grid, bool corners) {
  Expr count{n, n.cast(n.slice(n.shape_of(x), {-1}, {1}, {0}, {-1}), n.need_dtype(grid))};
  auto span = corners ? max(count - 1, 1) : count;
  auto at = round_half_away(corners ? (grid + 1) * span * 0.5 : (grid + 1) * span * 0.5 - 0.5);
  return (corners ? at * 2 : at * 2 + 1) / span - 1;
}

void grid_sampler(Node& n) {
  auto x = n.in("X");
  if (n.need_rank(x) == 5) n.need_opset(20);
  auto mode = n.attr("mode", "bilinear"), padding = n.attr("padding_mode", "zeros");
  n.require(mode == "bilinear" || mode == "nearest", "mode '" + mode + "' has no lowering");
  n.require(padding == "zeros" || padding == "border" || padding == "reflection",
            "padding_mode '" + padding + "' has no lowering");
  if (n.opset() >= 20 && mode == "bilinear") mode = "linear";
  bool corners = n.attr("align_corners", true);
  auto grid = in(n, "Grid");
  if (mode == "nearest") grid = on_pixels(n, x, grid, corners);
  n.out("Output",
        n.emit(
            "GridSample", {x, grid},
            {{"mode", mode}, {"padding_mode", padding}, {"align_corners", std::int64_t{corners}}}));
}

}  // namespace

std::span<const Rule> grid_rules() {
  static const Rule rules[] = {
      {"affine_grid", 11, affine_grid},
      {"grid_sampler", 16, grid_sampler},
  };
  return rules;
}

}  // namespace oarlock
