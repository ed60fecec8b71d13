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

// The best candidates of each image. scores [N,K]; anchors, variances, deltas [N,K,4]
struct AnchorCandidates {
  Expr scores, anchors, variances, deltas;
};

// [N,A*P,H,W] -> [N,H*W*A,P]; P of 1 is dropped
Value flatten_map(NodeContext& n, Value maps, std::int64_t parts) {
  auto last = n.transpose(maps, {0, 2, 3, 1});
  return n.reshape(last, parts == 1 ? Ints{0, -1} : Ints{0, -1, parts});
}

AnchorCandidates top_anchor_candidates(NodeContext& n, std::int64_t max_candidates) {
  auto scores = flatten_map(n, n.input("Scores"), 1), all = dim_as_vector(n, scores, 1);
  auto count =
      max_candidates > 0 ? min(Expr{n, all}, static_cast<double>(max_candidates)).value() : all;
  auto best = n.emit_multi_output(2, "TopK", {scores, count}, {{"axis", std::int64_t{1}}});
  auto at = [&](std::string_view slot) {
    return gather_rows({n, n.reshape(n.input(slot), {-1, 4})}, best[1]);
  };
  auto deltas = flatten_map(n, n.input("BboxDeltas"), 4);
  Expr own{n, n.emit("GatherND", {deltas, n.unsqueeze(best[1], {2})},
                     {{"batch_dims", std::int64_t{1}}})};
  return {{n, best[0]}, at("Anchors"), at("Variances"), own};
}

// Decodes boxes from their deltas relative to anchors. [N,K,4]
Value decode_boxes(NodeContext& n, const AnchorCandidates& p, double pixel_offset) {
  const double largest = std::log(1000.0 / 16.0);  // limit of the log size
  auto low = slice_box_corner(n, p.anchors, 0),
       size = slice_box_corner(n, p.anchors, 2) - low + pixel_offset;
  auto moved = p.deltas * p.variances;
  auto middle = slice_box_corner(n, moved, 0) * size + low + size / 2;
  auto half = exp(min(slice_box_corner(n, moved, 2), largest)) * size / 2;
  return n.concat({middle - half, middle + half - pixel_offset}, 2);
}

// Width and height of each image, from rows that begin with height and width. [N,1,2]
Expr image_widths_and_heights(NodeContext& n, Value image) {
  return {n, n.unsqueeze(n.concat({slice_column(n, image, 1), slice_column(n, image, 0)}, 1), {1})};
}

struct MinBoxSize {
  double size, pixel_offset;
  Value scale;  // scale of the image, [N,1,1]; omitted for 1
};

// Whether a box is large enough and, for pixel boxes, its center lies in the image. [N,K]
Value large_and_inside_image_mask(NodeContext& n, Value boxes, const Expr& image,
                                  const MinBoxSize& min_size) {
  auto low = slice_box_corner(n, boxes, 0), length = slice_box_corner(n, boxes, 2) - low;
  auto original = min_size.scale ? length / Expr{n, min_size.scale} : length;
  auto is_large = original + min_size.pixel_offset >= min_size.size;
  if (min_size.pixel_offset > 0)
    is_large = is_large && low + (length + min_size.pixel_offset) / 2 <= image;
  auto whole = n.cast(is_large, DType::int64);
  return n.cast(reduce(n, "ReduceMin", whole, {2}, false), DType::boolean);
}

// Appends one element `number` per image along axis 1, so that each image has one more box, which
// is worse than all others. [N,K,*] -> [N,K+1,*]
Value append_dummy_box(NodeContext& n, Value v, double number) {
  Ints pads(2 * static_cast<std::size_t>(n.rank(v)), 0);
  pads[static_cast<std::size_t>(n.rank(v)) + 1] = 1;
  return n.emit("Pad", {v, n.int64_vector(pads), n.scalar_like(number, v)});
}

// Removes the selected box that append_dummy_box() added from each image that has another selected
// box. at: image, class, box
Value drop_unneeded_dummy_boxes(NodeContext& n, Value indices, Value dummy_box, Value num_images) {
  auto real = slice_column(n, indices, 2) < Expr{n, dummy_box};
  auto owner = n.squeeze(slice_column(n, indices, 0), {1});
  auto others = row_counts_from_image_ids(n, select_rows_by_mask(n, owner, n.reshape(real, {-1})),
                                          num_images);
  auto alone = unsqueeze_last(gather_rows({n, others}, owner)) == 0;
  return select_rows_by_mask(n, indices, n.reshape(real || alone, {-1}));
}

// Sets the outputs for the proposals of all images, and returns the number of proposals per image.
Value emit_proposals_and_set_outputs(NodeContext& n, Value image, const MinBoxSize& min_size) {
  bool lowers = n.attr("eta", 1.0f) < 1 && n.attr("nms_thresh", 0.5f) > 0.5f;
  n.require(!lowers, "a threshold that eta lowers has no lowering");
  auto candidates = top_anchor_candidates(n, n.attr("pre_nms_topN", 0));
  auto size = image_widths_and_heights(n, image);
  auto edge = size - min_size.pixel_offset;
  Value boxes = min(max(Expr{n, decode_boxes(n, candidates, min_size.pixel_offset)}, 0),
                    Expr{n, n.concat({edge, edge}, 2)});
  auto scores = where(Expr{n, large_and_inside_image_mask(n, boxes, size, min_size)},
                      candidates.scores, kLowest);
  auto dummy_box = dim_as_vector(n, boxes, 1), num_images = dim_as_vector(n, boxes, 0);
  boxes = append_dummy_box(n, boxes, 0);
  double iou = n.attr("nms_thresh", 0.5f);
  auto max_proposals = n.attr("post_nms_topN", 0);
  auto indices = nms_indices(n, boxes, n.unsqueeze(append_dummy_box(n, scores, kLowest / 4), {1}),
                             {iou > 0 ? std::min(iou, 1.0) : 1.0, kLowest / 2,
                              min_size.pixel_offset, max_proposals > 0 ? max_proposals : kNoLimit});
  indices = drop_unneeded_dummy_boxes(n, indices, dummy_box, num_images);
  auto box_indices = n.concat({slice_column(n, indices, 0), slice_column(n, indices, 2)}, 1);
  n.set_output("RpnRois", n.emit("GatherND", {boxes, box_indices}));
  n.set_output(
      "RpnRoiProbs",
      n.unsqueeze(n.emit("GatherND", {append_dummy_box(n, candidates.scores, 0), box_indices}),
                  {1}));
  auto counts =
      row_counts_from_image_ids(n, n.squeeze(slice_column(n, indices, 0), {1}), num_images);
  n.set_output("RpnRoisNum", counts);
  return counts;
}

// The row splits of packed sequences, one per image, with `counts` rows each.
Value row_splits_from_counts(NodeContext& n, Value counts) {
  return row_partition_from_lengths(Expr{n, n.cast(counts, DType::int64)}).row_splits;
}

void generate_proposals_v2(NodeContext& n) {
  emit_proposals_and_set_outputs(n, n.input("ImShape"),
                                 {std::max<double>(n.attr("min_size", 0.1f), 1.0),
                                  n.attr("pixel_offset", true) ? 1.0 : 0.0,
                                  {}});
}

// The op generate_proposals (version 1) compares `min_size` with the size of a box in the original
// image, before the image was scaled.
void generate_proposals(NodeContext& n) {
  auto info = n.input("ImInfo");
  auto counts = emit_proposals_and_set_outputs(n, info,
                                               {std::max<double>(n.attr("min_size", 0.1f), 1.0), 1,
                                                n.unsqueeze(slice_column(n, info, 2), {1})});
  auto offsets = row_splits_from_counts(n, counts);
  n.set_row_splits("RpnRois", offsets);
  n.set_row_splits("RpnRoiProbs", offsets);
}

// ---- pyramid levels ----

// The level of each region, counted from the first one. Each level is for regions of twice the size
// of the previous one. int64[R,1]
Expr pyramid_level_per_roi(NodeContext& n, Value rois, std::int64_t first, std::int64_t last) {
  double pixel_offset = n.attr("pixel_offset", true) ? 1 : 0;
  auto refer = n.attr("refer_level", 0), scale = n.attr("refer_scale", 0);
  n.require(first >= -32 && last <= 32 && refer >= -32 && refer <= 32 && scale > 0,
            "levels are out of range");
  auto wide = slice_column(n, rois, 2) - slice_column(n, rois, 0),
       high = slice_column(n, rois, 3) - slice_column(n, rois, 1);
  auto area = where(wide < 0 || high < 0, 0, (wide + pixel_offset) * (high + pixel_offset));
  Floats bounds;
  for (auto level = first + 1; level <= last; ++level)
    bounds.push_back(std::exp2(static_cast<double>(level - refer)));
  if (bounds.empty())
    return {n, n.emit("Mul", {n.cast(slice_column(n, rois, 0), DType::int64), n.int64_scalar(0)})};
  auto reached = sqrt(area) / static_cast<double>(scale) + 1e-6 >=
                 Expr{n, n.vector(bounds, n.require_known_dtype(rois))};
  return {n, reduce(n, "ReduceSum", reached.to(DType::int64), {1}, true)};
}

void distribute_fpn_proposals(NodeContext& n) {
  auto rois = n.input("FpnRois"), count = dim_as_vector(n, rois, 0);
  n.require(n.require_known_rank(rois) == 2, "FpnRois has no two dims");
  auto first = n.attr("min_level", 0), last = n.attr("max_level", 0);
  n.require(last >= first, "max_level is below min_level");
  auto level = pyramid_level_per_roi(n, rois, first, last);
  bool packed = !n.has_input("RoisNum") && bool(n.row_splits("FpnRois"));
  Value counts = n.has_input("RoisNum") ? n.input("RoisNum")
                 : packed ? require_input_row_partition(n, "FpnRois").lengths().value()
                          : count;
  Value owner = image_ids_from_row_counts(n, counts, count), number = arange(n, count);
  Values parts, numbers, sizes;
  for (std::int64_t i = 0; i <= last - first; ++i) {
    auto here = n.reshape(level == static_cast<double>(i), {-1});
    parts.push_back(select_rows_by_mask(n, rois, here)),
        numbers.push_back(select_rows_by_mask(n, number, here));
    sizes.push_back(row_counts_from_image_ids(n, select_rows_by_mask(n, owner, here),
                                              dim_as_vector(n, counts, 0)));
    if (packed)
      n.set_row_splits("MultiFpnRois", row_splits_from_counts(n, sizes.back()),
                       static_cast<std::size_t>(i));
  }
  n.set_outputs("MultiFpnRois", parts);
  n.set_output(
      "RestoreIndex",
      n.cast(n.unsqueeze(emit_argsort(n, n.concat(numbers, 0), false), {1}), DType::int32));
  if (n.has_output("MultiLevelRoIsNum")) n.set_outputs("MultiLevelRoIsNum", sizes);
}

// The number of regions of each image in one level of the feature pyramid.
Value roi_counts_per_image_in_level(NodeContext& n, std::string_view slot, std::size_t level) {
  auto offsets = n.row_splits(slot, level);
  n.require(bool(offsets), "a level holds no packed sequences (LoD)");
  return RowPartition{{n, offsets}}.lengths();
}

// The regions with the best scores among all levels, ordered by image.
void collect_fpn_proposals(NodeContext& n) {
  bool packed = !n.has_input("MultiLevelRoIsNum") && bool(n.row_splits("MultiLevelRois"));
  auto rois = require_one_or_more_inputs(n, "MultiLevelRois"),
       counts = packed ? Values{} : require_one_or_more_inputs(n, "MultiLevelRoIsNum");
  for (std::size_t i = 0; packed && i < rois.size(); ++i)
    counts.push_back(roi_counts_per_image_in_level(n, "MultiLevelRois", i));
  n.require(rois.size() == counts.size(), "the lists differ in length");
  Values owner, score;
  for (std::size_t i = 0; i < rois.size(); ++i)
    owner.push_back(image_ids_from_row_counts(n, counts[i], dim_as_vector(n, rois[i], 0)));
  for (Value v : require_one_or_more_inputs(n, "MultiLevelScores"))
    score.push_back(n.reshape(v, {-1}));
  auto scores = n.concat(score, 0), image_ids = n.concat(owner, 0);
  auto most = Expr{n, n.int64_vector({static_cast<std::int64_t>(require_unrollable_size(
                          n, n.attr("post_nms_topN", 0), "'post_nms_topN'"))})};
  auto best = n.emit_multi_output(2, "TopK", {scores, min(Expr{n, n.emit_shape(scores)}, most)})[1];
  auto order = gather_rows({n, best}, emit_argsort(n, gather_rows({n, image_ids}, best), false));
  n.set_output("FpnRois", gather_rows({n, n.concat(rois, 0)}, order));
  auto counts_per_image = row_counts_from_image_ids(n, gather_rows({n, image_ids}, order),
                                                    dim_as_vector(n, counts[0], 0));
  if (n.has_output("RoisNum")) n.set_output("RoisNum", counts_per_image);
  if (packed) n.set_row_splits("FpnRois", row_splits_from_counts(n, counts_per_image));
}

}  // namespace

std::span<const Rule> proposals_rules() {
  static const Rule rules[] = {
      {"generate_proposals_v2", 12, generate_proposals_v2, {.lod = OutputTraits::none}},
      {"generate_proposals", 12, generate_proposals, {.lod = OutputTraits::none}},
      {"distribute_fpn_proposals", 12, distribute_fpn_proposals, {.lod = OutputTraits::none}},
      {"collect_fpn_proposals",
       12,
       collect_fpn_proposals,
       {.ignore_declared_shape = true, .lod = OutputTraits::none}},
  };
  return rules;
}

}  // namespace oarlock
