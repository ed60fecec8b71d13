// Position-sensitive ROI pooling: mean of each bin in its own channel, from an integral image.
#include "convert/operands.h"
#include "convert/ops/box_geometry.h"
#include "convert/ops/roi_inputs.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// Start and end of the bins of every region along one axis. int64[R,bins]
struct AxisBinEdges {
  Expr low, high;
};

// Rounds halves away from zero.
Expr round_half_away_from_zero(const Expr& x) { return sign(x) * floor(abs(x) + 0.5); }

AxisBinEdges emit_axis_bin_edges(NodeContext& n, const Expr& rois, std::int64_t axis, Value size,
                                 std::int64_t bins, double scale) {
  auto dtype = n.require_known_dtype(rois);
  auto start = round_half_away_from_zero(slice_column(n, rois, axis)) * scale,
       end = (round_half_away_from_zero(slice_column(n, rois, axis + 2)) + 1) * scale;
  auto step = max(end - start, 0.1) / static_cast<double>(bins);
  auto number = arange(n, n.int64_vector({bins})).to(dtype);
  auto inside = [&](const Expr& x) {
    return min(max(x, 0), Expr{n, n.cast(size, dtype)}).to(DType::int64);
  };
  return {inside(floor(number * step + start)), inside(ceil((number + 1) * step + start))};
}

// Integral image in float64. [N,C,H+1,W+1], flattened
Value integral_image(NodeContext& n, Value x) {
  Value sums = n.emit("Pad", {n.cast(x, DType::float64), n.int64_vector({0, 0, 1, 1, 0, 0, 0, 0})});
  for (std::int64_t axis : {2, 3}) sums = n.emit("CumSum", {sums, n.int64_scalar(axis)});
  return n.reshape(sums, {-1});
}

void psroi_pool(NodeContext& n) {
  auto x = n.input("X");
  auto rois = input_expr(n, "ROIs");
  if (n.dtype(rois) == DType::float16) rois = rois.to(DType::float32);
  n.require(n.require_known_rank(x) == 4, "X has no four dims");
  auto high = require_unrollable_size_attr(n, "pooled_height"),
       wide = require_unrollable_size_attr(n, "pooled_width");
  auto channels = require_unrollable_size_attr(n, "output_channels"),
       all = static_cast<std::int64_t>(
           require_unrollable_size(n, channels * high * wide, "the number of channels"));
  double scale = n.attr("spatial_scale", 1.0f);
  auto rows = emit_axis_bin_edges(n, rois, 1, dim_as_vector(n, x, 2), high, scale);
  auto columns = emit_axis_bin_edges(n, rois, 0, dim_as_vector(n, x, 3), wide, scale);
  auto owner = Expr{n, n.unsqueeze(image_id_per_roi(n, rois), {1, 2, 3})};
  Expr channel{n, n.reshape(arange(n, n.int64_vector({all})), {1, channels, high, wide})};
  auto plane = owner * static_cast<double>(all) + channel;
  auto sums = integral_image(n, x);
  auto sum = [&](const Expr& row, const Expr& column) {
    Expr y{n, n.unsqueeze(row, {1, 3})}, across{n, n.unsqueeze(column, {1, 2})};
    auto at = (plane * (Expr{n, dim_as_vector(n, x, 2)} + 1) + y) *
                  (Expr{n, dim_as_vector(n, x, 3)} + 1) +
              across;
    return gather_rows({n, sums}, at);
  };
  auto total = sum(rows.high, columns.high) - sum(rows.low, columns.high) -
               sum(rows.high, columns.low) + sum(rows.low, columns.low);
  Expr lengths{n, n.unsqueeze(rows.high - rows.low, {1, 3})},
      widths{n, n.unsqueeze(columns.high - columns.low, {1, 2})};
  n.set_output("Out",
               (total / max(lengths * widths, 1).to(DType::float64)).to(n.require_known_dtype(x)));
}

}  // namespace

std::span<const Rule> psroi_pool_rules() {
  static const Rule rules[] = {
      {"psroi_pool", 12, psroi_pool},
  };
  return rules;
}

}  // namespace oarlock
