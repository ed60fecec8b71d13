// Regions of pictures pooled to one size.
#include "convert/lod_sequences.h"
#include "convert/operands.h"
#include "convert/ops/box_geometry.h"
#include "convert/ops/roi_geometry.h"
#include "convert/registry.h"

namespace oarlock {

Value pictures_of(Node& n, const Value& rois) {
  n.require(n.need_rank(rois) == 2, "ROIs has no two dims");
  auto count = size_along(n, rois, 0);
  if (n.dim(n.in("X"), 0) == 1) return n.emit("Expand", {n.ints({0}), count});
  if (!n.has("RoisNum") && !n.offsets("ROIs").empty())
    return sequence_numbers(sequences_of(n, "ROIs"));
  if (!n.has("RoisNum") && n.has("RoisLod"))  // until 2.0
    return sequence_numbers(checked({{n, n.cast(n.in("RoisLod"), DType::int64)}}, {n, count}));
  n.require(n.has("RoisNum"),
            "without RoisNum it needs the number of pictures to be known, and one");
  return owners(n, n.in("RoisNum"), count);
}

std::int64_t pooled_size(const Node& n, std::string_view name) {
  return static_cast<std::int64_t>(written_size(n, n.attr(name, 1), name));
}

namespace {

void roi_align(Node& n) {
  auto x = n.in("X"), rois = n.in("ROIs");
  bool aligned = n.attr("aligned", false);
  auto ratio = n.attr("sampling_ratio", -1);
  n.require(ratio <= 1 << 10,
            "attribute 'sampling_ratio' is " + std::to_string(ratio) + ", larger than 1024");
  Node::Attrs attrs{{"output_height", pooled_size(n, "pooled_height")},
                    {"output_width", pooled_size(n, "pooled_width")},
                    {"spatial_scale", n.attr("spatial_scale", 1.0f)},
                    {"sampling_ratio", ratio > 0 ? ratio : 0}};
  if (aligned) n.need_opset(16);
  if (n.opset() >= 16)
    attrs.emplace_back("coordinate_transformation_mode",
                       std::string(aligned ? "half_pixel" : "output_half_pixel"));
  n.out("Out", n.emit("RoiAlign", {x, rois, pictures_of(n, rois)}, attrs));
}

void roi_pool(Node& n) {
  auto x = n.in("X"), rois = n.in("ROIs");
  auto owner = n.cast(n.unsqueeze(pictures_of(n, rois), {1}), n.need_dtype(rois));
  auto scale = n.attr("spatial_scale", 1.0f);
  n.require(scale > 0 && scale < 1 << 20, "'spatial_scale' is " + std::to_string(scale));
  Ints size{pooled_size(n, "pooled_height"), pooled_size(n, "pooled_width")};
  n.out("Out", n.emit("MaxRoiPool", {x, n.concat({owner, rois}, 1)},
                      {{"pooled_shape", size}, {"spatial_scale", scale}}));
}

}  // namespace

std::span<const Rule> roi_rules() {
  static const Rule rules[] = {
      {"roi_align", 11, roi_align},
      {"roi_pool", 11, roi_pool},
  };
  return rules;
}

}  // namespace oarlock
