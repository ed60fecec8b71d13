// Convolutions that look where offsets say: the pictures at these places, and a product with the
// filter.
#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/ops/conv_pool_geometry.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// window: of the filter; groups: of channels with offsets of their own; taps: places of the filter
struct Deformed {
  Window window;
  std::int64_t groups, taps;
  Value x, offset;  // offset: [N,groups*taps*2,OH,OW], y before x
};

// Where each place of the filter looks along one axis without offsets.   [taps,OH,1] or [taps,1,OW]
Expr regular(Node& n, const Deformed& d, std::size_t axis) {
  auto dtype = n.need_dtype(d.x);
  Floats starts;
  auto columns = d.window.kernel[1];
  for (std::int64_t tap = 0; tap < d.taps; ++tap) {
    auto along = axis == 0 ? tap / columns : tap % columns;
    starts.push_back(static_cast<double>(along * d.window.dilations[axis] - d.window.pads[axis]));
  }
  auto count = size_along(n, d.offset, static_cast<std::int64_t>(axis) + 2);
  auto step = counted(n, count).to(dtype);
  Expr spread{n, n.unsqueeze(step * static_cast<double>(d.window.strides[axis]),
                             axis == 0 ? Ints{1} : Ints{0})};
  return Expr{n, n.reshape(n.floats(starts, dtype), {-1, 1, 1})} + spread;
}

// Places of all looks along one axis, from -1 to 1 over the edges of the picture.
// [N*groups,taps,OH,OW,1]
Expr looks(Node& n, const Deformed& d, const Value& offsets, std::size_t axis) {
  auto dtype = n.need_dtype(d.x);
  auto at = static_cast<std::int64_t>(axis);
  Expr moved{n, n.squeeze(n.slice(offsets, {at}, {at + 1}, {2}), {2})};
  Expr size{n, n.cast(size_along(n, d.x, at + 2), dtype)};
  return {n, n.unsqueeze(((moved + regular(n, d, axis)) * 2 + 1) / size - 1, {4})};
}

// Sizes that pictures are regrouped by, int64[1] each.
struct Sizes {
  Value channels, rows, columns, places;  // rows: those of all taps, one below the other
};

Sizes sizes_of(Node& n, const Deformed& d) {
  Expr high{n, size_along(n, d.offset, 2)}, wide{n, size_along(n, d.offset, 3)};
  return {size_along(n, d.x, 1), high * static_cast<double>(d.taps), wide, high * wide};
}

// What is seen, picture by picture.   [N,C,taps,OH*OW]
Value seen(Node& n, const Deformed& d, const Sizes& s) {
  auto offsets = reshaped(n, d.offset, {n.ints({-1, d.taps, 2}), sizes_from(n, d.offset, 2)});
  auto grid = n.concat({looks(n, d, offsets, 1), looks(n, d, offsets, 0)}, 4);
  grid = reshaped(n, grid, {n.ints({-1}), s.rows, s.columns, n.ints({2})});
  auto each = Expr{n, s.channels} / static_cast<double>(d.groups);
  auto x = reshaped(n, d.x, {n.ints({-1}), each, sizes_from(n, d.x, 2)});
  Expr found{n, n.emit("GridSample", {x, grid},
                       {{"mode", std::string(n.opset() >= 20 ? "linear" : "bilinear")}})};
  if (n.has("Mask"))
    found = found * Expr{n, reshaped(n, n.in("Mask"), {n.ints({-1, 1}), s.rows, s.columns})};
  return reshaped(n, found, {n.ints({-1}), s.channels, n.ints({d.taps}), s.places});
}

Deformed read_deformed(Node& n, const Value& filter) {
  auto shape = n.shape(filter);
  n.require(shape && shape->size() == 4 && (*shape)[2] > 0 && (*shape)[3] > 0,
            "needs the size of its filter to be known");
  Window window = read_window(n, {(*shape)[2], (*shape)[3]});
  window.dilations = n.attr("dilations", Ints{1, 1});
  n.require(window.dilations.size() == 2, "dilations do not fit two dims");
  for (auto v : window.dilations) check_size(n, v, "dilations");
  auto taps = (*shape)[2] * (*shape)[3];
  written_size(n, taps, "the size of the filter");
  auto groups = static_cast<std::int64_t>(
      written_size(n, n.attr("deformable_groups", 1), "'deformable_groups'"));
  return {window, groups, taps, n.in("Input"), n.in("Offset")};
}

void deformable_conv(Node& n) {
  auto filter = n.in("Filter");
  Deformed d = read_deformed(n, filter);
  n.require(n.need_rank(d.x) == 4 && n.need_rank(d.offset) == 4,
            "Input and Offset have no four dims");
  auto groups = static_cast<std::int64_t>(written_size(n, n.attr("groups", 1), "'groups'")),
       filters = n.dim(filter, 0);
  n.require(filters > 0 && filters % groups == 0,
            "needs the number of its filters to be known, and as many a group");
  auto s = sizes_of(n, d);
  auto parts = reshaped(n, seen(n, d, s), {n.ints({0, groups, -1}), s.places});
  auto y = n.emit("MatMul", {n.reshape(filter, {groups, filters / groups, -1}), parts});
  n.out("Output", reshaped(n, y, {n.ints({0, filters}), sizes_from(n, d.offset, 2)}));
}

}  // namespace

std::span<const Rule> deform_rules() {
  static const Rule rules[] = {
      {"deformable_conv", 16, deformable_conv},
      {"deformable_conv_v1", 16, deformable_conv},
  };
  return rules;
}

}  // namespace oarlock
