// Regions that a network proposes: read from its maps, shared out to the levels of a pyramid, and
// collected again.
#include <algorithm>
#include <cmath>

#include "convert/lod_sequences.h"
#include "convert/operands.h"
#include "convert/ops/box_geometry.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// ---- generate_proposals ----

// The best places of each picture.   scores [N,K]; boxes, spread, deltas [N,K,4]
struct Places {
  Expr scores, anchors, spread, deltas;
};

// [N,A*P,H,W] -> [N,H*W*A,P]; P of 1 is left out
Value by_place(Node& n, const Value& maps, std::int64_t parts) {
  auto last = n.transpose(maps, {0, 2, 3, 1});
  return n.reshape(last, parts == 1 ? Ints{0, -1} : Ints{0, -1, parts});
}

Places best_places(Node& n, std::int64_t most) {
  auto scores = by_place(n, n.in("Scores"), 1), all = size_along(n, scores, 1);
  auto count = most > 0 ? min(Expr{n, all}, static_cast<double>(most)).value() : all;
  auto best = n.emit_n(2, "TopK", {scores, count}, {{"axis", std::int64_t{1}}});
  auto at = [&](std::string_view slot) {
    return rows_at({n, n.reshape(n.in(slot), {-1, 4})}, best[1]);
  };
  auto deltas = by_place(n, n.in("BboxDeltas"), 4);
  Expr own{n, n.emit("GatherND", {deltas, n.unsqueeze(best[1], {2})},
                     {{"batch_dims", std::int64_t{1}}})};
  return {{n, best[0]}, at("Anchors"), at("Variances"), own};
}

Expr half_of(Node& n, const Value& boxes, std::int64_t at) {
  return {n, n.slice(boxes, {at}, {at + 2}, {2})};
}

// Boxes at the deltas from their anchors.   [N,K,4]
Value decoded(Node& n, const Places& p, double extra) {
  const double largest = std::log(1000.0 / 16.0);  // of the logarithm of a size
  auto low = half_of(n, p.anchors, 0), size = half_of(n, p.anchors, 2) - low + extra;
  auto moved = p.deltas * p.spread;
  auto middle = half_of(n, moved, 0) * size + low + size / 2;
  auto half = exp(min(half_of(n, moved, 2), largest)) * size / 2;
  return n.concat({middle - half, middle + half - extra}, 2);
}

// Width and height of each image.   [N,1,2]
Expr image_of(Node& n, const Value& image) {
  return {n, n.unsqueeze(n.concat({column(n, image, 1), column(n, image, 0)}, 1), {1})};
}

struct Least {
  double size, extra;
  Value scale;  // by which the image was resized, [N,1,1]; "" for 1
};

// Whether a box is large enough, and of pixels whether its middle lies in the image.   [N,K]
Value large_enough(Node& n, const Value& boxes, const Expr& image, const Least& least) {
  auto low = half_of(n, boxes, 0), length = half_of(n, boxes, 2) - low;
  auto original = least.scale.empty() ? length : length / Expr{n, least.scale};
  auto kept = original + least.extra >= least.size;
  if (least.extra > 0) kept = kept && low + (length + least.extra) / 2 <= image;
  auto whole = n.cast(kept, DType::int64);
  return n.cast(reduce(n, "ReduceMin", whole, {2}, false), DType::boolean);
}

// One box more for each picture, worse than all others.   [N,K,*] -> [N,K+1,*]
Value with_one_more(Node& n, const Value& v, double number) {
  Ints pads(2 * static_cast<std::size_t>(n.rank(v)), 0);
  pads[static_cast<std::size_t>(n.rank(v)) + 1] = 1;
  return n.emit("Pad", {v, n.ints(pads), n.scalar_like(number, v)});
}

// That box counts where a picture has no other.   at: picture, class, box
Value without_spare(Node& n, const Value& at, const Value& spare, const Value& pictures) {
  auto real = column(n, at, 2) < Expr{n, spare};
  auto owner = n.squeeze(column(n, at, 0), {1});
  auto others = counts_of(n, rows_where(n, owner, n.reshape(real, {-1})), pictures);
  auto alone = as_column(rows_at({n, others}, owner)) == 0;
  return rows_where(n, at, n.reshape(real || alone, {-1}));
}

// How many each picture has.
Value propose(Node& n, const Value& image, const Least& least) {
  bool lowers = n.attr("eta", 1.0f) < 1 && n.attr("nms_thresh", 0.5f) > 0.5f;
  n.require(!lowers, "a threshold that eta lowers has no lowering");
  auto places = best_places(n, n.attr("pre_nms_topN", 0));
  auto size = image_of(n, image);
  auto edge = size - least.extra;
  Value boxes =
      min(max(Expr{n, decoded(n, places, least.extra)}, 0), Expr{n, n.concat({edge, edge}, 2)});
  auto scores = where(Expr{n, large_enough(n, boxes, size, least)}, places.scores, kLowest);
  auto spare = size_along(n, boxes, 1), pictures = size_along(n, boxes, 0);
  boxes = with_one_more(n, boxes, 0);
  double iou = n.attr("nms_thresh", 0.5f);
  auto most = n.attr("post_nms_topN", 0);
  auto at = thinned(
      n, boxes, n.unsqueeze(with_one_more(n, scores, kLowest / 4), {1}),
      {iou > 0 ? std::min(iou, 1.0) : 1.0, kLowest / 2, least.extra, most > 0 ? most : kAll});
  at = without_spare(n, at, spare, pictures);
  auto where_from = n.concat({column(n, at, 0), column(n, at, 2)}, 1);
  n.out("RpnRois", n.emit("GatherND", {boxes, where_from}));
  n.out("RpnRoiProbs",
        n.unsqueeze(n.emit("GatherND", {with_one_more(n, places.scores, 0), where_from}), {1}));
  auto counts = counts_of(n, n.squeeze(column(n, at, 0), {1}), pictures);
  n.out("RpnRoisNum", counts);
  return counts;
}

// Where the rows of each picture begin.
Value offsets_from(Node& n, const Value& counts) {
  return of_lengths(Expr{n, n.cast(counts, DType::int64)}).offsets;
}

void generate_proposals_v2(Node& n) {
  propose(n, n.in("ImShape"),
          {std::max<double>(n.attr("min_size", 0.1f), 1.0),
           n.attr("pixel_offset", true) ? 1.0 : 0.0, ""});
}

// The first form measures boxes in the image before it was resized.
void generate_proposals(Node& n) {
  auto info = n.in("ImInfo");
  auto counts = propose(
      n, info,
      {std::max<double>(n.attr("min_size", 0.1f), 1.0), 1, n.unsqueeze(column(n, info, 2), {1})});
  auto offsets = offsets_from(n, counts);
  n.out_offsets("RpnRois", offsets);
  n.out_offsets("RpnRoiProbs", offsets);
}

// ---- levels of a pyramid ----

// A level is for regions of twice the size of the one before.   int64[R,1]
Expr levels(Node& n, const Value& rois, std::int64_t first, std::int64_t last) {
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
                 Expr{n, n.floats(bounds, n.need_dtype(rois))};
  return {n, reduce(n, "ReduceSum", reached.to(DType::int64), {1}, true)};
}

void distribute_fpn_proposals(Node& n) {
  auto rois = n.in("FpnRois"), count = size_along(n, rois, 0);
  n.require(n.need_rank(rois) == 2, "FpnRois has no two dims");
  auto first = n.attr("min_level", 0), last = n.attr("max_level", 0);
  n.require(last >= first, "max_level is below min_level");
  auto level = levels(n, rois, first, last);
  bool packed = !n.has("RoisNum") && !n.offsets("FpnRois").empty();
  Value counts = n.has("RoisNum") ? n.in("RoisNum")
                 : packed         ? sequences_of(n, "FpnRois").lengths().value()
                                  : count;
  Value owner = owners(n, counts, count), number = counted(n, count);
  Values parts, numbers, sizes;
  for (std::int64_t i = 0; i <= last - first; ++i) {
    auto here = n.reshape(level == static_cast<double>(i), {-1});
    parts.push_back(rows_where(n, rois, here)), numbers.push_back(rows_where(n, number, here));
    sizes.push_back(counts_of(n, rows_where(n, owner, here), size_along(n, counts, 0)));
    if (packed)
      n.out_offsets("MultiFpnRois", offsets_from(n, sizes.back()), static_cast<std::size_t>(i));
  }
  n.outs("MultiFpnRois", parts);
  n.out("RestoreIndex",
        n.cast(n.unsqueeze(sorted_by(n, n.concat(numbers, 0), false), {1}), DType::int32));
  if (n.has_out("MultiLevelRoIsNum")) n.outs("MultiLevelRoIsNum", sizes);
}

// How many rows each picture has in a level.
Value lengths_at(Node& n, std::string_view slot, std::size_t level) {
  auto offsets = n.offsets(slot, level);
  n.require(!offsets.empty(), "a level holds no packed sequences (LoD)");
  return Sequences{{n, offsets}}.lengths();
}

// The best of all levels, picture by picture.
void collect_fpn_proposals(Node& n) {
  bool packed = !n.has("MultiLevelRoIsNum") && !n.offsets("MultiLevelRois").empty();
  auto rois = need_values(n, "MultiLevelRois"),
       counts = packed ? Values{} : need_values(n, "MultiLevelRoIsNum");
  for (std::size_t i = 0; packed && i < rois.size(); ++i)
    counts.push_back(lengths_at(n, "MultiLevelRois", i));
  n.require(rois.size() == counts.size(), "the lists differ in length");
  Values owner, score;
  for (std::size_t i = 0; i < rois.size(); ++i)
    owner.push_back(owners(n, counts[i], size_along(n, rois[i], 0)));
  for (const Value& v : need_values(n, "MultiLevelScores")) score.push_back(n.reshape(v, {-1}));
  auto scores = n.concat(score, 0), owned = n.concat(owner, 0);
  auto most = Expr{n, n.ints({static_cast<std::int64_t>(
                          written_size(n, n.attr("post_nms_topN", 0), "'post_nms_topN'"))})};
  auto best = n.emit_n(2, "TopK", {scores, min(Expr{n, n.shape_of(scores)}, most)})[1];
  auto order = rows_at({n, best}, sorted_by(n, rows_at({n, owned}, best), false));
  n.out("FpnRois", rows_at({n, n.concat(rois, 0)}, order));
  auto found = counts_of(n, rows_at({n, owned}, order), size_along(n, counts[0], 0));
  if (n.has_out("RoisNum")) n.out("RoisNum", found);
  if (packed) n.out_offsets("FpnRois", offsets_from(n, found));
}

}  // namespace

std::span<const Rule> proposals_rules() {
  static const Rule rules[] = {
      {"generate_proposals_v2", 12, generate_proposals_v2, {.offsets = Facts::none}},
      {"generate_proposals", 12, generate_proposals, {.offsets = Facts::none}},
      {"distribute_fpn_proposals", 12, distribute_fpn_proposals, {.offsets = Facts::none}},
      {"collect_fpn_proposals",
       12,
       collect_fpn_proposals,
       {.careless = true, .offsets = Facts::none}},
  };
  return rules;
}

}  // namespace oarlock
