// Detector boxes: decoding, encoding, IoU, and YOLO heads.
#include <algorithm>

#include "convert/operands.h"
#include "convert/ops/box_geometry.h"
#include "convert/ops/conv_pool_geometry.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// ---- yolo_box ----

// The input maps, image sizes and attributes of a YOLO head. all: [N,S,5+K,H,W]
struct YoloBoxInputsAndAttrs {
  Value all, image;  // image: height and width of each image, [N,2]
  Ints anchors;      // widths and heights, alternating
  Value sizes[2];    // width and height of the maps: int64[1]
  double scale, downsample;
};

Expr slice_channels(NodeContext& n, const YoloBoxInputsAndAttrs& m, std::int64_t from,
                    std::int64_t to) {
  return {n, n.slice(m.all, {from}, {to}, {2})};
}

// The low and high edges of decoded YOLO boxes along `axis` (0: x, 1: y), [N,S,1,H,W] each.
BoxEdgesAlongAxis yolo_edges_along_axis(NodeContext& n, const YoloBoxInputsAndAttrs& m,
                                        std::int64_t axis, bool clip) {
  auto dtype = n.require_known_dtype(m.all);
  Floats sizes;
  for (auto i = static_cast<std::size_t>(axis); i < m.anchors.size(); i += 2)
    sizes.push_back(static_cast<double>(m.anchors[i]));
  Expr anchors{n, n.reshape(n.vector(sizes, dtype), {-1, 1, 1, 1})};
  Expr image{n, n.unsqueeze(slice_column(n, n.cast(m.image, dtype), 1 - axis), {2, 3, 4})};
  Expr count{n, n.cast(m.sizes[axis], dtype)};
  auto cells = arange(n, m.sizes[axis]).to(dtype);
  if (axis == 1) cells = {n, n.unsqueeze(cells, {1})};
  auto center =
      (cells + sigmoid(slice_channels(n, m, axis, axis + 1)) * m.scale - 0.5 * (m.scale - 1)) *
      image / count;
  auto half =
      exp(slice_channels(n, m, axis + 2, axis + 3)) * anchors * image / (count * m.downsample) / 2;
  auto low = center - half, high = center + half;
  return clip ? BoxEdgesAlongAxis{max(low, 0), min(high, image - 1)} : BoxEdgesAlongAxis{low, high};
}

// Flattens the maps of a YOLO head to one row per box, with zeros where the mask is false:
// [N,S,P,H,W] -> [N,S*H*W,P]
Value mask_and_flatten_maps(NodeContext& n, const Expr& maps, const Expr& mask,
                            std::int64_t count) {
  return n.reshape(n.transpose(where(mask, maps, 0), {0, 1, 3, 4, 2}), {0, -1, count});
}

Value split_maps_by_anchor(NodeContext& n, Value x, std::int64_t boxes, std::int64_t maps) {
  return reshape_to_shape_parts(n, x, {n.int64_vector({0, boxes, maps}), shape_from_axis(n, x, 2)});
}

YoloBoxInputsAndAttrs read_yolo_box_inputs_and_attrs(NodeContext& n, Value x, std::int64_t boxes,
                                                     std::int64_t classes) {
  auto size = [&](std::int64_t axis) { return dim_as_vector(n, x, axis); };
  return {split_maps_by_anchor(n, x, boxes, 5 + classes),
          n.input("ImgSize"),
          n.attr("anchors", Ints{}),
          {size(3), size(2)},
          n.attr("scale_x_y", 1.0f),
          static_cast<double>(n.attr("downsample_ratio", 32))};
}

void yolo_box(NodeContext& n) {
  constexpr std::int64_t end = std::int64_t{1} << 40;
  auto x = n.input("X");
  n.require(n.require_known_rank(x) == 4, "X has no four dims");
  auto numbers = n.attr("anchors", Ints{}).size();
  auto boxes = static_cast<std::int64_t>(numbers / 2), classes = n.attr("class_num", 1);
  n.require(numbers % 2 == 0, "'anchors' are not pairs of numbers");
  require_unrollable_size(n, boxes, "the number of anchors"),
      require_unrollable_size(n, classes, "'class_num'");
  bool iou_aware = n.attr("iou_aware", false);
  YoloBoxInputsAndAttrs m = read_yolo_box_inputs_and_attrs(
      n, iou_aware ? n.slice(x, {boxes}, {end}, {1}) : x, boxes, classes);
  auto objectness = sigmoid(slice_channels(n, m, 4, 5));
  if (iou_aware) {
    double share = n.attr("iou_aware_factor", 0.5f);
    auto fit = sigmoid(Expr{n, split_maps_by_anchor(n, n.slice(x, {0}, {boxes}, {1}), boxes, 1)});
    objectness = objectness.emit("Pow", {objectness.scalar_like(1 - share)}) *
                 fit.emit("Pow", {fit.scalar_like(share)});
  }
  auto mask = !(objectness < n.attr("conf_thresh", 0.01f));
  bool clip = n.attr("clip_bbox", true);
  auto across = yolo_edges_along_axis(n, m, 0, clip), down = yolo_edges_along_axis(n, m, 1, clip);
  Expr corners{n, n.concat({across.low, down.low, across.high, down.high}, 2)};
  n.set_output("Boxes", mask_and_flatten_maps(n, corners, mask, 4));
  n.set_output("Scores",
               mask_and_flatten_maps(n, objectness * sigmoid(slice_channels(n, m, 5, 5 + classes)),
                                     mask, classes));
}

// ---- box_coder ----

struct CenterSize {
  Expr center, size;  // both [..,2]
};

CenterSize to_center_size(NodeContext& n, Value boxes, double pixel_offset) {
  auto size = slice_box_corner(n, boxes, 2) - slice_box_corner(n, boxes, 0) + pixel_offset;
  return {slice_box_corner(n, boxes, 0) + size / 2, size};
}

// The variances of box_coder (attribute or input), by which encoding divides the offsets and
// decoding multiplies them. The variances are four numbers, or four per prior box; Value{} if all
// are 1.
Value read_box_variances(NodeContext& n, Value like, std::int64_t axis) {
  auto variance = n.attr("variance", Floats{});
  n.require(variance.empty() || variance.size() == 4, "'variance' is not four numbers");
  if (!variance.empty()) return n.vector(variance, n.require_known_dtype(like));
  if (!n.has_input("PriorBoxVar")) return {};
  auto variance_input = n.input("PriorBoxVar");
  return n.require_known_rank(variance_input) == 1 ? variance_input
                                                   : n.unsqueeze(variance_input, {axis});
}

void encode_boxes_and_set_output(NodeContext& n, double pixel_offset) {
  auto target = n.unsqueeze(n.input("TargetBox"), {1});
  auto prior = to_center_size(n, n.input("PriorBox"), pixel_offset);
  auto middle = (slice_box_corner(n, target, 0) + slice_box_corner(n, target, 2)) / 2;
  auto size = to_center_size(n, target, pixel_offset).size;
  Expr offsets{n, n.concat({(middle - prior.center) / prior.size, log(abs(size / prior.size))}, 2)};
  auto variance = read_box_variances(n, target, 0);
  n.set_output("OutputBox", variance ? offsets / Expr{n, variance} : offsets);
}

void decode_boxes(NodeContext& n, double pixel_offset) {
  auto target = input_expr(n, "TargetBox");
  auto axis = n.attr("axis", 0);
  n.require(n.require_known_rank(target) == 3 && (axis == 0 || axis == 1),
            "TargetBox has three dims, and axis is 0 or 1");
  auto prior = to_center_size(n, n.unsqueeze(n.input("PriorBox"), {axis}), pixel_offset);
  auto variance = read_box_variances(n, target, axis);
  auto offsets = variance ? target * Expr{n, variance} : target;
  auto middle = slice_box_corner(n, offsets, 0) * prior.size + prior.center;
  auto half = exp(slice_box_corner(n, offsets, 2)) * prior.size / 2;
  n.set_output("OutputBox", n.concat({middle - half, middle + half - pixel_offset}, 2));
}

void box_coder(NodeContext& n) {
  double pixel_offset = n.attr("box_normalized", true) ? 0 : 1;
  auto type = n.attr("code_type", "encode_center_size");
  if (type == "encode_center_size") return encode_boxes_and_set_output(n, pixel_offset);
  n.require(type == "decode_center_size", "code_type '" + type + "' has no lowering");
  decode_boxes(n, pixel_offset);
}

void iou_similarity(NodeContext& n) {
  n.set_output("Out",
               iou(n, n.input("X"), n.input("Y"), n.attr("box_normalized", true) ? 0 : 1, true));
}

}  // namespace

std::span<const Rule> box_coder_iou_and_yolo_box_rules() {
  static const Rule rules[] = {
      {"yolo_box", 9, yolo_box},
      {"box_coder", 9, box_coder},
      {"iou_similarity", 9, iou_similarity},
  };
  return rules;
}

}  // namespace oarlock
