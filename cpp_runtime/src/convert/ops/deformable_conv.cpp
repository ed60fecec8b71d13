// Deformable convolutions: sampling at offset positions, then a product with the filter.
#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/ops/conv_pool_geometry.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// The inputs and attributes of a deformable_conv. window: of the filter; offset_groups: channel
// groups with own offsets; num_taps: filter positions
struct DeformableConvInputsAndAttrs {
  Window window;
  std::int64_t offset_groups, num_taps;
  Value x, offset;  // offset: [N,groups*taps*2,OH,OW], y before x
};

// The positions of filter taps along one axis without offsets. [taps,OH,1] or [taps,1,OW]
Expr kernel_base_positions_along_axis(NodeContext& n, const DeformableConvInputsAndAttrs& d,
                                      std::size_t axis) {
  auto dtype = n.require_known_dtype(d.x);
  Floats starts;
  auto columns = d.window.kernel[1];
  for (std::int64_t tap = 0; tap < d.num_taps; ++tap) {
    auto along = axis == 0 ? tap / columns : tap % columns;
    starts.push_back(static_cast<double>(along * d.window.dilations[axis] - d.window.pads[axis]));
  }
  auto count = dim_as_vector(n, d.offset, static_cast<std::int64_t>(axis) + 2);
  auto step = arange(n, count).to(dtype);
  Expr spread{n, n.unsqueeze(step * static_cast<double>(d.window.strides[axis]),
                             axis == 0 ? Ints{1} : Ints{0})};
  return Expr{n, n.reshape(n.vector(starts, dtype), {-1, 1, 1})} + spread;
}

// The sampling positions along one axis, in the coordinates of GridSample without align_corners: -1
// and 1 are the outer edges of the border pixels. [N*groups,taps,OH,OW,1]
Expr sample_positions_along_axis(NodeContext& n, const DeformableConvInputsAndAttrs& d,
                                 Value offsets, std::size_t axis) {
  auto dtype = n.require_known_dtype(d.x);
  auto at = static_cast<std::int64_t>(axis);
  Expr offset{n, n.squeeze(n.slice(offsets, {at}, {at + 1}, {2}), {2})};
  Expr size{n, n.cast(dim_as_vector(n, d.x, at + 2), dtype)};
  return {n,
          n.unsqueeze(((offset + kernel_base_positions_along_axis(n, d, axis)) * 2 + 1) / size - 1,
                      {4})};
}

// The sizes to which the sampled values are reshaped, int64[1] each.
struct SampleReshapeSizeValues {
  Value channels, rows, columns, positions;  // rows: of all taps, stacked
};

SampleReshapeSizeValues emit_sample_reshape_sizes(NodeContext& n,
                                                  const DeformableConvInputsAndAttrs& d) {
  Expr high{n, dim_as_vector(n, d.offset, 2)}, wide{n, dim_as_vector(n, d.offset, 3)};
  return {dim_as_vector(n, d.x, 1), high * static_cast<double>(d.num_taps), wide, high * wide};
}

// The columns of im2col with sampling at offset positions: per image, the sample of each filter tap
// at each output position. [N,C,taps,OH*OW]
Value sampled_im2col_columns(NodeContext& n, const DeformableConvInputsAndAttrs& d,
                             const SampleReshapeSizeValues& s) {
  auto offsets = reshape_to_shape_parts(
      n, d.offset, {n.int64_vector({-1, d.num_taps, 2}), shape_from_axis(n, d.offset, 2)});
  auto grid = n.concat({sample_positions_along_axis(n, d, offsets, 1),
                        sample_positions_along_axis(n, d, offsets, 0)},
                       4);
  grid = reshape_to_shape_parts(n, grid,
                                {n.int64_vector({-1}), s.rows, s.columns, n.int64_vector({2})});
  auto each = Expr{n, s.channels} / static_cast<double>(d.offset_groups);
  auto x = reshape_to_shape_parts(n, d.x, {n.int64_vector({-1}), each, shape_from_axis(n, d.x, 2)});
  Expr samples{n, n.emit("GridSample", {x, grid},
                         {{"mode", std::string(n.opset() >= 20 ? "linear" : "bilinear")}})};
  if (n.has_input("Mask"))
    samples =
        samples * Expr{n, reshape_to_shape_parts(n, n.input("Mask"),
                                                 {n.int64_vector({-1, 1}), s.rows, s.columns})};
  return reshape_to_shape_parts(
      n, samples, {n.int64_vector({-1}), s.channels, n.int64_vector({d.num_taps}), s.positions});
}

DeformableConvInputsAndAttrs read_deformable_conv_inputs_and_attrs(NodeContext& n, Value filter) {
  auto shape = n.shape(filter);
  n.require(shape && shape->size() == 4 && (*shape)[2] > 0 && (*shape)[3] > 0,
            "needs the size of its filter to be known");
  Window window = read_strides_and_paddings(n, {(*shape)[2], (*shape)[3]});
  window.dilations = n.attr("dilations", Ints{1, 1});
  n.require(window.dilations.size() == 2, "dilations do not fit two dims");
  for (auto v : window.dilations) check_int32_size(n, v, "dilations");
  auto taps = (*shape)[2] * (*shape)[3];
  require_unrollable_size(n, taps, "the size of the filter");
  auto groups = static_cast<std::int64_t>(
      require_unrollable_size(n, n.attr("deformable_groups", 1), "'deformable_groups'"));
  return {window, groups, taps, n.input("Input"), n.input("Offset")};
}

void deformable_conv(NodeContext& n) {
  auto filter = n.input("Filter");
  DeformableConvInputsAndAttrs d = read_deformable_conv_inputs_and_attrs(n, filter);
  n.require(n.require_known_rank(d.x) == 4 && n.require_known_rank(d.offset) == 4,
            "Input and Offset have no four dims");
  auto groups =
           static_cast<std::int64_t>(require_unrollable_size(n, n.attr("groups", 1), "'groups'")),
       filters = n.dim(filter, 0);
  n.require(filters > 0 && filters % groups == 0,
            "needs the number of its filters to be known, and as many a group");
  auto s = emit_sample_reshape_sizes(n, d);
  auto parts = reshape_to_shape_parts(n, sampled_im2col_columns(n, d, s),
                                      {n.int64_vector({0, groups, -1}), s.positions});
  auto y = n.emit("MatMul", {n.reshape(filter, {groups, filters / groups, -1}), parts});
  n.set_output("Output",
               reshape_to_shape_parts(
                   n, y, {n.int64_vector({0, filters}), shape_from_axis(n, d.offset, 2)}));
}

}  // namespace

std::span<const Rule> deformable_conv_rules() {
  static const Rule rules[] = {
      {"deformable_conv", 16, deformable_conv},
      {"deformable_conv_v1", 16, deformable_conv},
  };
  return rules;
}

}  // namespace oarlock
