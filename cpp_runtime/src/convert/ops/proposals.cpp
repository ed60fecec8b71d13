// Region proposals: generation from feature maps, distribution to pyramid levels, and collection.
#include <algorithm>
#include <cmath>

#include "convert/lod_sequences.h"
#include "convert/operands.h"
#include "convert/ops/box_geometry.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// ---- generate_proposals ----

// The best candidates of each image. scores [N,K]; boxes, variances, deltas [N,K,4]
struct Candidates {
  Expr scores, anchors, variances, deltas;
};

// [N,A*P,H,W] -> [N,H*W*A,P]; P of 1 is dropped
Value flatten_map(NodeContext& n, Value maps, std::int64_t parts) {
  auto last = n.transpose(maps, {0, 2, 3, 1});
  return n.reshape(last, parts == 1 ? Ints{0, -1} : Ints{0, -1, parts});
}

Candidates top_candidates(NodeContext& n, std::int64_t max_candidates) {
  auto scores = flatten_map(n, n.in("Scores"), 1), all = dim_as_vector(n, scores, 1);
  auto count =
      max_candidates > 0 ? min(Expr{n, all}, static_cast<double>(max_candidates)).value() : all;
  auto best = n.emit_n(2, "TopK", {scores, count}, {{"axis", std::int64_t{1}}});
  auto at = [&](std::string_view slot) {
    return gather_rows({n, n.reshape(n.in(slot), {-1, 4})}, best[1]);
  };
  auto deltas = flatten_map(n, n.in("BboxDeltas"), 4);
  Expr own{n, n.emit("GatherND", {deltas, n.unsqueeze(best[1], {2})},
                     {{"batch_dims", std::int64_t{1}}})};
  return {{n, best[0]}, at("Anchors"), at("Variances"), own};
}

Expr box_half(NodeContext& n, Value boxes, std::int64_t at) {
  return {n, n.slice(boxes, {at}, {at + 2}, {2})};
}

// Decodes boxes from deltas to their anchors. [N,K,4]
Value decode_boxes(NodeContext& n, const Candidates& p, double extra) {
  const double largest = std::log(1000.0 / 16.0);  // limit of the log size
  auto low = box_half(n, p.anchors, 0), size = box_half(n, p.anchors, 2) - low + extra;
  auto moved = p.deltas * p.variances;
  auto middle = box_half(n, moved, 0) * size + low + size / 2;
  auto half = exp(min(box_half(n, moved, 2), largest)) * size / 2;
  return n.concat({middle - half, middle + half - extra}, 2);
}

// Width and height of each image. [N,1,2]
Expr image_size(NodeContext& n, Value image) {
  return {n, n.unsqueeze(n.concat({column(n, image, 1), column(n, image, 0)}, 1), {1})};
}

struct MinBoxSize {
  double size, extra;
  Value scale;  // scale of the image, [N,1,1]; omitted for 1
};

// Whether a box is large enough and, for pixel boxes, its center lies in the image. [N,K]
Value is_large_enough(NodeContext& n, Value boxes, const Expr& image, const MinBoxSize& least) {
  auto low = box_half(n, boxes, 0), length = box_half(n, boxes, 2) - low;
  auto original = least.scale ? length / Expr{n, least.scale} : length;
  auto kept = original + least.extra >= least.size;
  if (least.extra > 0) kept = kept && low + (length + least.extra) / 2 <= image;
  auto whole = n.cast(kept, DType::int64);
  return n.cast(reduce(n, "ReduceMin", whole, {2}, false), DType::boolean);
}

// Appends one box per image that is worse than all others. [N,K,*] -> [N,K+1,*]
Value append_box(NodeContext& n, Value v, double number) {
  Ints pads(2 * static_cast<std::size_t>(n.rank(v)), 0);
  pads[static_cast<std::size_t>(n.rank(v)) + 1] = 1;
  return n.emit("Pad", {v, n.ints(pads), n.scalar_like(number, v)});
}

// Removes that box unless an image has no other. at: image, class, box
Value drop_spare(NodeContext& n, Value at, Value spare, Value num_images) {
  auto real = column(n, at, 2) < Expr{n, spare};
  auto owner = n.squeeze(column(n, at, 0), {1});
  auto others = rows_per_image(n, rows_where(n, owner, n.reshape(real, {-1})), num_images);
  auto alone = unsqueeze_last(gather_rows({n, others}, owner)) == 0;
  return rows_where(n, at, n.reshape(real || alone, {-1}));
}

// Sets the outputs for the proposals of all images, and returns the number of proposals per image.
Value generate(NodeContext& n, Value image, const MinBoxSize& least) {
  bool lowers = n.attr("eta", 1.0f) < 1 && n.attr("nms_thresh", 0.5f) > 0.5f;
  n.require(!lowers, "a threshold that eta lowers has no lowering");
  auto places = top_candidates(n, n.attr("pre_nms_topN", 0));
  auto size = image_size(n, image);
  auto edge = size - least.extra;
  Value boxes = min(max(Expr{n, decode_boxes(n, places, least.extra)}, 0),
                    Expr{n, n.concat({edge, edge}, 2)});
  auto scores = where(Expr{n, is_large_enough(n, boxes, size, least)}, places.scores, kLowest);
  auto spare = dim_as_vector(n, boxes, 1), num_images = dim_as_vector(n, boxes, 0);
  boxes = append_box(n, boxes, 0);
  double iou = n.attr("nms_thresh", 0.5f);
  auto most = n.attr("post_nms_topN", 0);
  auto at = nms_indices(
      n, boxes, n.unsqueeze(append_box(n, scores, kLowest / 4), {1}),
      {iou > 0 ? std::min(iou, 1.0) : 1.0, kLowest / 2, least.extra, most > 0 ? most : kNoLimit});
  at = drop_spare(n, at, spare, num_images);
  auto where_from = n.concat({column(n, at, 0), column(n, at, 2)}, 1);
  n.out("RpnRois", n.emit("GatherND", {boxes, where_from}));
  n.out("RpnRoiProbs",
        n.unsqueeze(n.emit("GatherND", {append_box(n, places.scores, 0), where_from}), {1}));
  auto counts = rows_per_image(n, n.squeeze(column(n, at, 0), {1}), num_images);
  n.out("RpnRoisNum", counts);
  return counts;
}

// Row splits of the images.
Value row_splits_from_counts(NodeContext& n, Value counts) {
  return sequences_from_lengths(Expr{n, n.cast(counts, DType::int64)}).row_splits;
}

void generate_proposals_v2(NodeContext& n) {
  generate(n, n.in("ImShape"),
           {std::max<double>(n.attr("min_size", 0.1f), 1.0),
            n.attr("pixel_offset", true) ? 1.0 : 0.0,
            {}});
}

// The op generate_proposals (version 1) compares box sizes with min_size in the original image.
void generate_proposals(NodeContext& n) {
  auto info = n.in("ImInfo");
  auto counts = generate(
      n, info,
      {std::max<double>(n.attr("min_size", 0.1f), 1.0), 1, n.unsqueeze(column(n, info, 2), {1})});
  auto offsets = row_splits_from_counts(n, counts);
  n.set_row_splits("RpnRois", offsets);
  n.set_row_splits("RpnRoiProbs", offsets);
}

// ---- pyramid levels ----

// Each level is for regions of twice the size of the previous one. int64[R,1]
Expr pyramid_levels(NodeContext& n, Value rois, std::int64_t first, std::int64_t last) {
  double extra = n.attr("pixel_offset", true) ? 1 : 0;
  auto refer = n.attr("refer_level", 0), scale = n.attr("refer_scale", 0);
  n.require(first >= -32 && last <= 32 && refer >= -32 && refer <= 32 && scale > 0,
            "levels are out of range");
  auto wide = column(n, rois, 2) - column(n, rois, 0),
       high = column(n, rois, 3) - column(n, rois, 1);
  auto area = where(wide < 0 || high < 0, 0, (wide + extra) * (high + extra));
  Floats bounds;
  for (auto level = first + 1; level <= last; ++level)
    bounds.push_back(std::exp2(static_cast<double>(level - refer)));
  if (bounds.empty())
    return {n, n.emit("Mul", {n.cast(column(n, rois, 0), DType::int64), n.int_scalar(0)})};
  auto reached = sqrt(area) / static_cast<double>(scale) + 1e-6 >=
                 Expr{n, n.floats(bounds, n.require_dtype(rois))};
  return {n, reduce(n, "ReduceSum", reached.to(DType::int64), {1}, true)};
}

void distribute_fpn_proposals(NodeContext& n) {
  auto rois = n.in("FpnRois"), count = dim_as_vector(n, rois, 0);
  n.require(n.require_rank(rois) == 2, "FpnRois has no two dims");
  auto first = n.attr("min_level", 0), last = n.attr("max_level", 0);
  n.require(last >= first, "max_level is below min_level");
  auto level = pyramid_levels(n, rois, first, last);
  bool packed = !n.has("RoisNum") && bool(n.row_splits("FpnRois"));
  Value counts = n.has("RoisNum") ? n.in("RoisNum")
                 : packed         ? input_sequences(n, "FpnRois").lengths().value()
                                  : count;
  Value owner = image_of_rows(n, counts, count), number = arange(n, count);
  Values parts, numbers, sizes;
  for (std::int64_t i = 0; i <= last - first; ++i) {
    auto here = n.reshape(level == static_cast<double>(i), {-1});
    parts.push_back(rows_where(n, rois, here)), numbers.push_back(rows_where(n, number, here));
    sizes.push_back(rows_per_image(n, rows_where(n, owner, here), dim_as_vector(n, counts, 0)));
    if (packed)
      n.set_row_splits("MultiFpnRois", row_splits_from_counts(n, sizes.back()),
                       static_cast<std::size_t>(i));
  }
  n.outs("MultiFpnRois", parts);
  n.out("RestoreIndex",
        n.cast(n.unsqueeze(sort_indices(n, n.concat(numbers, 0), false), {1}), DType::int32));
  if (n.has_output("MultiLevelRoIsNum")) n.outs("MultiLevelRoIsNum", sizes);
}

// The number of rows per image in a level.
Value rois_per_image(NodeContext& n, std::string_view slot, std::size_t level) {
  auto offsets = n.row_splits(slot, level);
  n.require(bool(offsets), "a level holds no packed sequences (LoD)");
  return Sequences{{n, offsets}}.lengths();
}

// The best regions of all levels, by image.
void collect_fpn_proposals(NodeContext& n) {
  bool packed = !n.has("MultiLevelRoIsNum") && bool(n.row_splits("MultiLevelRois"));
  auto rois = require_inputs(n, "MultiLevelRois"),
       counts = packed ? Values{} : require_inputs(n, "MultiLevelRoIsNum");
  for (std::size_t i = 0; packed && i < rois.size(); ++i)
    counts.push_back(rois_per_image(n, "MultiLevelRois", i));
  n.require(rois.size() == counts.size(), "the lists differ in length");
  Values owner, score;
  for (std::size_t i = 0; i < rois.size(); ++i)
    owner.push_back(image_of_rows(n, counts[i], dim_as_vector(n, rois[i], 0)));
  for (Value v : require_inputs(n, "MultiLevelScores")) score.push_back(n.reshape(v, {-1}));
  auto scores = n.concat(score, 0), owned = n.concat(owner, 0);
  auto most = Expr{n, n.ints({static_cast<std::int64_t>(
                          require_unroll_size(n, n.attr("post_nms_topN", 0), "'post_nms_topN'"))})};
  auto best = n.emit_n(2, "TopK", {scores, min(Expr{n, n.shape_of(scores)}, most)})[1];
  auto order = gather_rows({n, best}, sort_indices(n, gather_rows({n, owned}, best), false));
  n.out("FpnRois", gather_rows({n, n.concat(rois, 0)}, order));
  auto found = rows_per_image(n, gather_rows({n, owned}, order), dim_as_vector(n, counts[0], 0));
  if (n.has_output("RoisNum")) n.out("RoisNum", found);
  if (packed) n.set_row_splits("FpnRois", row_splits_from_counts(n, found));
}

}  // namespace

std::span<const Rule> proposals_rules() {
  static const Rule rules[] = {
      {"generate_proposals_v2", 12, generate_proposals_v2, {.lod = OpTraits::none}},
      {"generate_proposals", 12, generate_proposals, {.lod = OpTraits::none}},
      {"distribute_fpn_proposals", 12, distribute_fpn_proposals, {.lod = OpTraits::none}},
      {"collect_fpn_proposals",
       12,
       collect_fpn_proposals,
       {.ignore_declared_shape = true, .lod = OpTraits::none}},
  };
  return rules;
}

}  // namespace oarlock
