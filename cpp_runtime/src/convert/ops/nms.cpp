// Boxes that cover each other thinned out.
#include "convert/lod_sequences.h"
#include "convert/operands.h"
#include "convert/ops/box_geometry.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// What detectors find.   boxes [N,M,4], scores [N,C,M]; at: picture, class and box, int64[K,3].
// Where each class has boxes of its own they are [C,M,4] and the scores [C,N,M]: picture and class
// change places.
struct Found {
  Value boxes, scores, at;
  Value pictures;  // how many, int64[1]
  std::int64_t picture = 0;
};

Value picture_of(Node& n, const Found& f) { return n.squeeze(column(n, f.at, f.picture), {1}); }

Value score_of(Node& n, const Found& f) { return n.emit("GatherND", {f.scores, f.at}); }

Value read_boxes(Node& n, int scores) {
  auto boxes = n.in("BBoxes");
  n.require(n.need_rank(boxes) == 3 && n.need_rank(n.in("Scores")) == scores,
            "dims of boxes and scores do not fit");
  auto numbers = n.dim(boxes, 2);
  n.require(numbers < 0 || numbers == 4, "boxes of more than four numbers have no lowering");
  return numbers == 4
             ? boxes
             : n.reshape(boxes, {0, 0, 4});  // polygons fail in a run, and are not taken for boxes
}

// Scores without those of a class, and the number that is added back to the classes behind it.
Value without_class(Node& n, const Value& scores, std::int64_t background) {
  if (background < 0) return scores;
  auto behind = n.slice(scores, {background + 1}, {kAll}, {1});
  return background == 0 ? behind : n.concat({n.slice(scores, {0}, {background}, {1}), behind}, 1);
}

Expr class_of(Node& n, const Found& f, std::int64_t background) {
  Expr number{n, column(n, f.at, 1 - f.picture)};
  if (background < 0) return number;
  return background == 0 ? number + 1
                         : number + (number >= static_cast<double>(background)).to(DType::int64);
}

Found by_picture(Node& n, std::int64_t background) {
  auto boxes = read_boxes(n, 3);
  return {boxes, without_class(n, n.in("Scores"), background), "", size_along(n, boxes, 0)};
}

// Boxes [M,C,4] and scores [M,C] of all pictures, one behind the other.   A box has no score in
// another picture.
Found by_class(Node& n, std::int64_t background) {
  auto boxes = n.transpose(without_class(n, read_boxes(n, 2), background), {1, 0, 2});
  auto scores = n.unsqueeze(n.transpose(without_class(n, n.in("Scores"), background), {1, 0}), {1});
  auto counts = n.has("RoisNum") ? n.in("RoisNum") : sequences_of(n, "BBoxes").lengths().value();
  auto pictures = size_along(n, counts, 0);
  Expr owner{n, n.unsqueeze(owners(n, counts, size_along(n, boxes, 1)), {0})};
  auto own = owner == Expr{n, n.unsqueeze(counted(n, pictures), {1})};
  return {boxes, where(own, Expr{n, scores}, kLowest), "", pictures, 1};
}

// Only the best scores of each class stay what they are.
Value best_scores(Node& n, const Value& scores, std::int64_t most) {
  auto boxes = n.dim(scores, 2);
  if (most < 0 || (boxes >= 0 && boxes <= most)) return scores;
  auto count =
      boxes >= 0 ? n.ints({most}) : n.emit("Min", {size_along(n, scores, 2), n.ints({most})});
  auto best = n.emit_n(2, "TopK", {scores, count}, {{"axis", std::int64_t{2}}});
  auto none = n.emit("Expand", {n.scalar_like(kLowest, scores), n.shape_of(scores)});
  return n.emit("ScatterElements", {none, best[1], best[0]}, {{"axis", std::int64_t{2}}});
}

// The best rows of each picture, in the order that they have.
void keep_best(Node& n, Found& f, std::int64_t most) {
  if (most < 0) return;
  auto best = best_of_each(n, score_of(n, f), picture_of(n, f), f.pictures, most);
  f.at = rows_at({n, f.at}, rows_at({n, best}, sorted_by(n, best, false)));
}

// Picture by picture, class by class, in the order of the boxes: Paddle's where each class has its
// own.
void order_by_box(Node& n, Found& f) {
  Expr classes{n, size_along(n, f.boxes, 0)}, boxes{n, size_along(n, f.boxes, 1)};
  auto group = column(n, f.at, 1) * classes + column(n, f.at, 0);
  f.at =
      rows_at({n, f.at}, sorted_by(n, n.squeeze(group * boxes + column(n, f.at, 2), {1}), false));
}

// [K, 6]: class, score, box
Value detections(Node& n, const Found& f, const Value& scores, std::int64_t background) {
  auto boxes = n.emit("GatherND", {f.boxes, n.concat({column(n, f.at, 0), column(n, f.at, 2)}, 1)});
  auto classes = class_of(n, f, background).to(n.need_dtype(f.boxes));
  return n.concat({classes, n.unsqueeze(scores, {1}), boxes}, 1);
}

// Where a row was among all boxes, those of the background's class included.
Expr position(Node& n, const Found& f, std::int64_t background) {
  auto box = column(n, f.at, 2);
  if (f.picture == 0) return column(n, f.at, 0) * Expr{n, size_along(n, f.boxes, 1)} + box;
  return box * Expr{n, size_along(n, n.in("Scores"), 1)} + class_of(n, f, background);
}

void out_positions(Node& n, const Found& f, std::int64_t background, std::string_view counts) {
  n.out("Index", position(n, f, background).to(DType::int32));
  if (n.has_out(counts)) n.out(counts, counts_of(n, picture_of(n, f), f.pictures));
}

Found find(Node& n, std::int64_t background) {
  bool lowers = n.attr("nms_eta", 1.0f) < 1 &&
                n.attr("nms_threshold", 0.3f) > 0.5f;  // never to less than a half
  n.require(!lowers, "a threshold that nms_eta lowers has no lowering");
  bool own = n.has("RoisNum") || n.rank(n.in("Scores")) == 2;  // each class has boxes of its own
  auto f = own ? by_class(n, background) : by_picture(n, background);
  auto candidates = best_scores(n, f.scores, n.attr("nms_top_k", 0));
  f.at = thinned(n, f.boxes, candidates,
                 {n.attr("nms_threshold", 0.3f), n.attr("score_threshold", 0.0f),
                  n.attr("normalized", true) ? 0.0 : 1.0});
  keep_best(n, f, n.attr("keep_top_k", 0));
  if (f.picture != 0) order_by_box(n, f);
  return f;
}

void multiclass_nms(Node& n) {
  auto background = n.attr("background_label", 0);
  auto f = find(n, background);
  n.out("Out", detections(n, f, score_of(n, f), background));
  out_positions(n, f, background, "NmsRoisNum");
}

// Where the rows of each picture begin.   int64[pictures + 1]
Expr begins_of(Node& n, const Found& f) {
  return of_lengths(Expr{n, n.cast(counts_of(n, picture_of(n, f), f.pictures), DType::int64)})
      .offsets;
}

// Pictures are sequences of what is found.
void multiclass_nms_v2(Node& n) {
  auto background = n.attr("background_label", 0);
  auto f = find(n, background);
  n.out("Out", detections(n, f, score_of(n, f), background));
  n.out("Index", position(n, f, background).to(DType::int32));
  for (const char* slot : {"Out", "Index"}) n.out_offsets(slot, begins_of(n, f));
}

// The first form has a row [-1] where nothing is found, which then is a sequence.
void multiclass_nms_v1(Node& n) {
  auto background = n.attr("background_label", 0);
  auto f = find(n, background);
  auto rows = detections(n, f, score_of(n, f), background);
  auto empty = n.emit("Expand", {n.scalar_like(-1, rows), n.ints({1, 6})});
  Expr count{n, size_along(n, rows, 0)};
  Expr wide{n, n.emit("Where", {count == 0, n.ints({1}), n.ints({6})})};
  auto ends = n.concat({max(count, 1), wide}, 0);
  n.out("Out", n.emit("Slice", {n.concat({rows, empty}, 0), n.ints({0, 0}), ends, n.ints({0, 1})}));
  auto begins = begins_of(n, f);
  Expr known{n, size_along(n, begins, 0)};
  auto first = where(count == 0, known, 0), last = where(count == 0, known + 2, known);
  n.out_offsets("Out", n.emit("Slice", {n.concat({begins, n.ints({0, 1})}, 0), first, last}));
}

// Boxes come the best first.
void nms(Node& n) {
  auto boxes = n.unsqueeze(n.in("Boxes"), {0});
  auto order = -counted(n, size_along(n, boxes, 1)).to(DType::float32);
  auto at =
      thinned(n, boxes, n.unsqueeze(order, {0, 1}), {n.attr("iou_threshold", 1.0f), kLowest, 0});
  n.out("KeepBoxesIdxs", n.squeeze(column(n, at, 2), {1}));
}

// ---- matrix_nms: scores lowered by all better boxes of the class at once ----

// Every score above the threshold, the best first.
Value above(Node& n, const Value& scores, double threshold) {
  auto at = n.transpose(n.emit("NonZero", {Expr{n, scores} > threshold}), {1, 0});
  n.declare(at, DType::int64, Ints{-1, 3});
  return rows_at({n, at}, sorted_by(n, n.emit("GatherND", {scores, at}), true));
}

// Whether row j is of the class and picture of row i, and better.   [K,K]
Expr better(Node& n, const Found& f) {
  Expr group{n, column(n, f.at, 0) * Expr{n, size_along(n, f.scores, 1)} + column(n, f.at, 1)};
  Expr number{n, n.unsqueeze(counted(n, size_along(n, f.at, 0)), {1})};
  auto across = [&](const Expr& v) { return Expr{n, n.swap_last(v)}; };
  return group == across(group) && number > across(number);
}

Expr lowered(Node& n, const Found& f) {
  auto boxes = n.emit("GatherND", {f.boxes, n.concat({column(n, f.at, 0), column(n, f.at, 2)}, 1)});
  n.declare(boxes, n.dtype(f.boxes), Ints{-1, 4});
  auto over = better(n, f);
  auto shared = where(over, overlaps(n, boxes, boxes, n.attr("normalized", true) ? 0 : 1), 0);
  Expr most{n, n.swap_last(reduce(n, "ReduceMax", shared, {1}, true))};
  double sigma = n.attr("gaussian_sigma", 2.0f);
  auto decay = n.attr("use_gaussian", false) ? exp((most * most - shared * shared) * sigma)
                                             : (1 - shared) / (1 - most);
  Expr least{n, reduce(n, "ReduceMin", where(over, decay, 1), {1}, false)};
  return Expr{n, score_of(n, f)} * min(least, 1);
}

void matrix_nms(Node& n) {
  auto background = n.attr("background_label", 0);
  auto f = by_picture(n, background);
  f.at =
      above(n, best_scores(n, f.scores, n.attr("nms_top_k", 0)), n.attr("score_threshold", 0.0f));
  Value scores = lowered(n, f);
  auto kept = Expr{n, scores} > n.attr("post_threshold", 0.0f);
  f.at = rows_where(n, f.at, kept), scores = rows_where(n, scores, kept);
  auto best = best_of_each(n, scores, picture_of(n, f), f.pictures, n.attr("keep_top_k", 0));
  f.at = rows_at({n, f.at}, best), scores = rows_at({n, scores}, best);
  auto pictures = sorted_by(n, picture_of(n, f), false);
  f.at = rows_at({n, f.at}, pictures);
  n.out("Out", detections(n, f, rows_at({n, scores}, pictures), background));
  out_positions(n, f, background, "RoisNum");
}

}  // namespace

std::span<const Rule> nms_rules() {
  static const Rule rules[] = {
      {"multiclass_nms", 12, multiclass_nms_v1, {.careless = true, .offsets = Facts::none}},
      {"multiclass_nms2", 12, multiclass_nms_v2, {.careless = true, .offsets = Facts::none}},
      {"multiclass_nms3",
       12,
       multiclass_nms,
       {.careless = true, .offsets = Facts::none, .from_zero = "Index"}},
      {"matrix_nms",
       12,
       matrix_nms,
       {.careless = true, .offsets = Facts::none, .from_zero = "Index"}},
      {"nms", 12, nms},
  };
  return rules;
}

}  // namespace oarlock
