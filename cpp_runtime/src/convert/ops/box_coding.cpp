// Boxes of detectors: coded, compared, and read from the maps of a network.
#include <algorithm>

#include "convert/operands.h"
#include "convert/ops/box_geometry.h"
#include "convert/ops/conv_pool_geometry.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// ---- yolo_box ----

// The maps of a YOLO head.   all: [N,S,5+K,H,W]
struct Maps {
  Value all, image;  // image: height and width of each, [N,2]
  Ints anchors;      // widths and heights by turns
  Value sizes[2];    // of the maps, width and height: int64[1]
  double scale, downsample;
};

Expr map_of(Node& n, const Maps& m, std::int64_t from, std::int64_t to) {
  return {n, n.slice(m.all, {from}, {to}, {2})};
}

struct Edges {
  Expr low, high;
};

// Along one axis, 0 for x.   both [N,S,1,H,W]
Edges edges(Node& n, const Maps& m, std::int64_t axis, bool clip) {
  auto dtype = n.need_dtype(m.all);
  Floats sizes;
  for (auto i = static_cast<std::size_t>(axis); i < m.anchors.size(); i += 2)
    sizes.push_back(static_cast<double>(m.anchors[i]));
  Expr anchors{n, n.reshape(n.floats(sizes, dtype), {-1, 1, 1, 1})};
  Expr image{n, n.unsqueeze(column(n, n.cast(m.image, dtype), 1 - axis), {2, 3, 4})};
  Expr count{n, n.cast(m.sizes[axis], dtype)};
  auto cells = counted(n, m.sizes[axis]).to(dtype);
  if (axis == 1) cells = {n, n.unsqueeze(cells, {1})};
  auto centre = (cells + sigmoid(map_of(n, m, axis, axis + 1)) * m.scale - 0.5 * (m.scale - 1)) *
                image / count;
  auto half = exp(map_of(n, m, axis + 2, axis + 3)) * anchors * image / (count * m.downsample) / 2;
  auto low = centre - half, high = centre + half;
  return clip ? Edges{max(low, 0), min(high, image - 1)} : Edges{low, high};
}

// [N,S,P,H,W] -> [N,S*H*W,P], with zeros where a box is not sure enough
Value listed(Node& n, const Expr& maps, const Expr& kept, std::int64_t count) {
  return n.reshape(n.transpose(where(kept, maps, 0), {0, 1, 3, 4, 2}), {0, -1, count});
}

Value grouped(Node& n, const Value& x, std::int64_t boxes, std::int64_t maps) {
  return reshaped(n, x, {n.ints({0, boxes, maps}), sizes_from(n, x, 2)});
}

Maps read_maps(Node& n, const Value& x, std::int64_t boxes, std::int64_t classes) {
  auto size = [&](std::int64_t axis) { return size_along(n, x, axis); };
  return {grouped(n, x, boxes, 5 + classes), n.in("ImgSize"),
          n.attr("anchors", Ints{}),         {size(3), size(2)},
          n.attr("scale_x_y", 1.0f),         static_cast<double>(n.attr("downsample_ratio", 32))};
}

void yolo_box(Node& n) {
  constexpr std::int64_t end = std::int64_t{1} << 40;
  auto x = n.in("X");
  n.require(n.need_rank(x) == 4, "X has no four dims");
  auto numbers = n.attr("anchors", Ints{}).size();
  auto boxes = static_cast<std::int64_t>(numbers / 2), classes = n.attr("class_num", 1);
  n.require(numbers % 2 == 0, "'anchors' are not pairs of numbers");
  written_size(n, boxes, "the number of anchors"), written_size(n, classes, "'class_num'");
  bool aware = n.attr("iou_aware", false);
  Maps m = read_maps(n, aware ? n.slice(x, {boxes}, {end}, {1}) : x, boxes, classes);
  auto sure = sigmoid(map_of(n, m, 4, 5));
  if (aware) {
    double share = n.attr("iou_aware_factor", 0.5f);
    auto fit = sigmoid(Expr{n, grouped(n, n.slice(x, {0}, {boxes}, {1}), boxes, 1)});
    sure = sure.emit("Pow", {sure.number(1 - share)}) * fit.emit("Pow", {fit.number(share)});
  }
  auto kept = !(sure < n.attr("conf_thresh", 0.01f));
  bool clip = n.attr("clip_bbox", true);
  auto across = edges(n, m, 0, clip), down = edges(n, m, 1, clip);
  Expr corners{n, n.concat({across.low, down.low, across.high, down.high}, 2)};
  n.out("Boxes", listed(n, corners, kept, 4));
  n.out("Scores", listed(n, sure * sigmoid(map_of(n, m, 5, 5 + classes)), kept, classes));
}

// ---- box_coder ----

struct Centred {
  Expr middle, size;  // both [..,2]
};

Expr corner(Node& n, const Value& boxes, std::int64_t at) {
  return {n, n.slice(boxes, {at}, {at + 2}, {n.need_rank(boxes) - 1})};
}

Centred centred(Node& n, const Value& boxes, double extra) {
  auto size = corner(n, boxes, 2) - corner(n, boxes, 0) + extra;
  return {corner(n, boxes, 0) + size / 2, size};
}

// By what offsets are divided: four numbers, or as many for each prior box.   "" for ones
Value spread_of(Node& n, const Value& like, std::int64_t axis) {
  auto given = n.attr("variance", Floats{});
  n.require(given.empty() || given.size() == 4, "'variance' is not four numbers");
  if (!given.empty()) return n.floats(given, n.need_dtype(like));
  if (!n.has("PriorBoxVar")) return "";
  auto spread = n.in("PriorBoxVar");
  return n.need_rank(spread) == 1 ? spread : n.unsqueeze(spread, {axis});
}

void encode(Node& n, double extra) {
  auto target = n.unsqueeze(n.in("TargetBox"), {1});
  auto prior = centred(n, n.in("PriorBox"), extra);
  auto middle = (corner(n, target, 0) + corner(n, target, 2)) / 2;
  auto size = centred(n, target, extra).size;
  Expr coded{n, n.concat({(middle - prior.middle) / prior.size, log(abs(size / prior.size))}, 2)};
  auto spread = spread_of(n, target, 0);
  n.out("OutputBox", spread.empty() ? coded : coded / Expr{n, spread});
}

void decode(Node& n, double extra) {
  auto target = in(n, "TargetBox");
  auto axis = n.attr("axis", 0);
  n.require(n.need_rank(target) == 3 && (axis == 0 || axis == 1),
            "TargetBox has three dims, and axis is 0 or 1");
  auto prior = centred(n, n.unsqueeze(n.in("PriorBox"), {axis}), extra);
  auto spread = spread_of(n, target, axis);
  auto offsets = spread.empty() ? target : target * Expr{n, spread};
  auto middle = corner(n, offsets, 0) * prior.size + prior.middle;
  auto half = exp(corner(n, offsets, 2)) * prior.size / 2;
  n.out("OutputBox", n.concat({middle - half, middle + half - extra}, 2));
}

void box_coder(Node& n) {
  double extra = n.attr("box_normalized", true) ? 0 : 1;
  auto type = n.attr("code_type", "encode_center_size");
  if (type == "encode_center_size") return encode(n, extra);
  n.require(type == "decode_center_size", "code_type '" + type + "' has no lowering");
  decode(n, extra);
}

void iou_similarity(Node& n) {
  n.out("Out", overlaps(n, n.in("X"), n.in("Y"), n.attr("box_normalized", true) ? 0 : 1, true));
}

}  // namespace

std::span<const Rule> detection_rules() {
  static const Rule rules[] = {
      {"yolo_box", 9, yolo_box},
      {"box_coder", 9, box_coder},
      {"iou_similarity", 9, iou_similarity},
  };
  return rules;
}

}  // namespace oarlock
