// Pooling of image regions to one size.
#include "convert/lod_sequences.h"
#include "convert/operands.h"
#include "convert/ops/box_geometry.h"
#include "convert/ops/roi_inputs.h"
#include "convert/registry.h"

namespace oarlock {

Value image_id_per_roi(NodeContext& n, Value rois) {
  n.require(n.require_known_rank(rois) == 2, "ROIs has no two dims");
  auto count = dim_as_vector(n, rois, 0);
  if (n.dim(n.input("X"), 0) == 1) return n.emit("Expand", {n.int64_vector({0}), count});
  if (!n.has_input("RoisNum") && n.row_splits("ROIs"))
    return sequence_id_per_row(require_input_row_partition(n, "ROIs"));
  if (!n.has_input("RoisNum") && n.has_input("RoisLod"))  // Paddle before 2.0
    return sequence_id_per_row(
        assert_row_splits_at_run_time({{n, n.cast(n.input("RoisLod"), DType::int64)}}, {n, count}));
  n.require(n.has_input("RoisNum"), "without RoisNum, the number of images must be known to be 1");
  return image_ids_from_row_counts(n, n.input("RoisNum"), count);
}

std::int64_t require_unrollable_size_attr(const NodeContext& n, std::string_view name) {
  return static_cast<std::int64_t>(require_unrollable_size(n, n.attr(name, 1), name));
}

namespace {

void roi_align(NodeContext& n) {
  auto x = n.input("X"), rois = n.input("ROIs");
  bool aligned = n.attr("aligned", false);
  auto ratio = n.attr("sampling_ratio", -1);
  n.require(ratio <= 1 << 10,
            "attribute 'sampling_ratio' is " + std::to_string(ratio) + ", larger than 1024");
  NodeContext::Attrs attrs{{"output_height", require_unrollable_size_attr(n, "pooled_height")},
                           {"output_width", require_unrollable_size_attr(n, "pooled_width")},
                           {"spatial_scale", n.attr("spatial_scale", 1.0f)},
                           {"sampling_ratio", ratio > 0 ? ratio : 0}};
  if (aligned) n.require_opset(16);
  if (n.opset() >= 16)
    attrs.emplace_back("coordinate_transformation_mode",
                       std::string(aligned ? "half_pixel" : "output_half_pixel"));
  n.set_output("Out", n.emit("RoiAlign", {x, rois, image_id_per_roi(n, rois)}, attrs));
}

void roi_pool(NodeContext& n) {
  auto x = n.input("X"), rois = n.input("ROIs");
  auto owner = n.cast(n.unsqueeze(image_id_per_roi(n, rois), {1}), n.require_known_dtype(rois));
  auto scale = n.attr("spatial_scale", 1.0f);
  n.require(scale > 0 && scale < 1 << 20, "'spatial_scale' is " + std::to_string(scale));
  Ints size{require_unrollable_size_attr(n, "pooled_height"),
            require_unrollable_size_attr(n, "pooled_width")};
  n.set_output("Out", n.emit("MaxRoiPool", {x, n.concat({owner, rois}, 1)},
                             {{"pooled_shape", size}, {"spatial_scale", scale}}));
}

}  // namespace

std::span<const Rule> roi_pooling_rules() {
  static const Rule rules[] = {
      {"roi_align", 11, roi_align},
      {"roi_pool", 11, roi_pool},
  };
  return rules;
}

}  // namespace oarlock
