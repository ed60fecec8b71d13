// Non-maximum suppression.
#include "convert/lod_sequences.h"
#include "convert/operands.h"
#include "convert/ops/box_geometry.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// The boxes and scores of all candidates of an NMS, and the indices of the selected ones. boxes
// [N,M,4], scores [N,C,M]; indices: image, class and box, int64[K,3]. If each class has its own
// boxes, boxes are [C,M,4] and scores [C,N,M]: the axes of image and class are exchanged.
struct CandidatesAndSelectedIndices {
  Value boxes, scores, indices;
  Value num_images;  // number of images, int64[1]
  std::int64_t image_axis = 0;
};

Value image_id_per_detection(NodeContext& n, const CandidatesAndSelectedIndices& f) {
  return n.squeeze(slice_column(n, f.indices, f.image_axis), {1});
}

Value detection_scores(NodeContext& n, const CandidatesAndSelectedIndices& f) {
  return n.emit("GatherND", {f.scores, f.indices});
}

Value read_boxes_requiring_scores_rank(NodeContext& n, int scores) {
  auto boxes = n.input("BBoxes");
  n.require(n.require_known_rank(boxes) == 3 && n.require_known_rank(n.input("Scores")) == scores,
            "dims of boxes and scores do not fit");
  auto numbers = n.dim(boxes, 2);
  n.require(numbers < 0 || numbers == 4, "boxes of more than four numbers have no lowering");
  return numbers == 4
             ? boxes
             : n.reshape(boxes,
                         {0, 0, 4});  // polygons fail at run time instead of being misread as boxes
}

// Removes the background class, if there is one, from axis 1 of the scores.
Value drop_background_class(NodeContext& n, Value scores, std::int64_t background) {
  if (background < 0) return scores;
  auto behind = n.slice(scores, {background + 1}, {kNoLimit}, {1});
  return background == 0 ? behind : n.concat({n.slice(scores, {0}, {background}, {1}), behind}, 1);
}

Expr class_id_per_detection(NodeContext& n, const CandidatesAndSelectedIndices& f,
                            std::int64_t background) {
  Expr number{n, slice_column(n, f.indices, 1 - f.image_axis)};
  if (background < 0) return number;
  return background == 0 ? number + 1
                         : number + (number >= static_cast<double>(background)).to(DType::int64);
}

CandidatesAndSelectedIndices read_detections_with_shared_boxes(NodeContext& n,
                                                               std::int64_t background) {
  auto boxes = read_boxes_requiring_scores_rank(n, 3);
  return {boxes,
          drop_background_class(n, n.input("Scores"), background),
          {},
          dim_as_vector(n, boxes, 0)};
}

// Boxes [M,C,4] and scores [M,C] of all images, concatenated. Each box belongs to one image; its
// score in other images is kLowest.
CandidatesAndSelectedIndices read_detections_with_class_boxes(NodeContext& n,
                                                              std::int64_t background) {
  auto boxes = n.transpose(
      drop_background_class(n, read_boxes_requiring_scores_rank(n, 2), background), {1, 0, 2});
  auto scores = n.unsqueeze(
      n.transpose(drop_background_class(n, n.input("Scores"), background), {1, 0}), {1});
  auto counts = n.has_input("RoisNum") ? n.input("RoisNum")
                                       : require_input_row_partition(n, "BBoxes").lengths().value();
  auto num_images = dim_as_vector(n, counts, 0);
  Expr owner{n, n.unsqueeze(image_ids_from_row_counts(n, counts, dim_as_vector(n, boxes, 1)), {0})};
  auto own = owner == Expr{n, n.unsqueeze(arange(n, num_images), {1})};
  return {boxes, where(own, Expr{n, scores}, kLowest), {}, num_images, 1};
}

// Sets all but the `max_scores` best scores of each class to kLowest.
Value mask_all_but_top_scores(NodeContext& n, Value scores, std::int64_t max_scores) {
  auto boxes = n.dim(scores, 2);
  if (max_scores < 0 || (boxes >= 0 && boxes <= max_scores)) return scores;
  auto count = boxes >= 0
                   ? n.int64_vector({max_scores})
                   : n.emit("Min", {dim_as_vector(n, scores, 2), n.int64_vector({max_scores})});
  auto best = n.emit_multi_output(2, "TopK", {scores, count},
                                  {{"axis", std::int64_t{2}}, {"sorted", std::int64_t{0}}});
  auto none = n.emit("Expand", {n.scalar_like(kLowest, scores), n.emit_shape(scores)});
  return n.emit("ScatterElements", {none, best[1], best[0]}, {{"axis", std::int64_t{2}}});
}

// Keeps the `max_rows` best detections of each image, in their order.
void limit_rows_per_image(NodeContext& n, CandidatesAndSelectedIndices& f, std::int64_t max_rows) {
  if (max_rows < 0) return;
  auto best = top_row_indices_per_image(n, detection_scores(n, f), image_id_per_detection(n, f),
                                        f.num_images, max_rows);
  f.indices = gather_rows({n, f.indices}, gather_rows({n, best}, emit_argsort(n, best, false)));
}

// Sorts the selected indices by image, class and box, as Paddle does if each class has its own
// boxes.
void sort_by_image_class_box(NodeContext& n, CandidatesAndSelectedIndices& f) {
  Expr classes{n, dim_as_vector(n, f.boxes, 0)}, boxes{n, dim_as_vector(n, f.boxes, 1)};
  auto group = slice_column(n, f.indices, 1) * classes + slice_column(n, f.indices, 0);
  f.indices = gather_rows(
      {n, f.indices},
      emit_argsort(n, n.squeeze(group * boxes + slice_column(n, f.indices, 2), {1}), false));
}

// The rows [K, 6] of the detections: class, score and box.
Value concat_detection_rows(NodeContext& n, const CandidatesAndSelectedIndices& f, Value scores,
                            std::int64_t background) {
  auto boxes = n.emit(
      "GatherND",
      {f.boxes, n.concat({slice_column(n, f.indices, 0), slice_column(n, f.indices, 2)}, 1)});
  auto classes = class_id_per_detection(n, f, background).to(n.require_known_dtype(f.boxes));
  return n.concat({classes, n.unsqueeze(scores, {1}), boxes}, 1);
}

// The index of the box of each detection among all input boxes, which include those of the
// background class.
Expr flat_box_indices(NodeContext& n, const CandidatesAndSelectedIndices& f,
                      std::int64_t background) {
  auto box = slice_column(n, f.indices, 2);
  if (f.image_axis == 0)
    return slice_column(n, f.indices, 0) * Expr{n, dim_as_vector(n, f.boxes, 1)} + box;
  return box * Expr{n, dim_as_vector(n, n.input("Scores"), 1)} +
         class_id_per_detection(n, f, background);
}

void set_index_and_count_outputs(NodeContext& n, const CandidatesAndSelectedIndices& f,
                                 std::int64_t background, std::string_view counts) {
  n.set_output("Index", flat_box_indices(n, f, background).to(DType::int32));
  if (n.has_output(counts))
    n.set_output(counts, row_counts_from_image_ids(n, image_id_per_detection(n, f), f.num_images));
}

CandidatesAndSelectedIndices emit_nms(NodeContext& n, std::int64_t background) {
  bool lowers =
      n.attr("nms_eta", 1.0f) < 1 && n.attr("nms_threshold", 0.3f) > 0.5f;  // never below one half
  n.require(!lowers, "a threshold that nms_eta lowers has no lowering");
  bool own =
      n.has_input("RoisNum") || n.rank(n.input("Scores")) == 2;  // each class has its own boxes
  auto f = own ? read_detections_with_class_boxes(n, background)
               : read_detections_with_shared_boxes(n, background);
  auto candidates = mask_all_but_top_scores(n, f.scores, n.attr("nms_top_k", 0));
  auto max_rows = n.attr("keep_top_k", 0);
  // More boxes of one class cannot be among the best boxes of the image. NonMaxSuppression compares
  // each box with all selected boxes of its class, so the limit also saves most of the time.
  f.indices =
      nms_indices(n, f.boxes, candidates,
                  {n.attr("nms_threshold", 0.3f), n.attr("score_threshold", 0.0f),
                   n.attr("normalized", true) ? 0.0 : 1.0, max_rows < 0 ? kNoLimit : max_rows});
  limit_rows_per_image(n, f, max_rows);
  if (f.image_axis != 0) sort_by_image_class_box(n, f);
  return f;
}

void multiclass_nms_v3(NodeContext& n) {
  auto background = n.attr("background_label", 0);
  auto f = emit_nms(n, background);
  n.set_output("Out", concat_detection_rows(n, f, detection_scores(n, f), background));
  set_index_and_count_outputs(n, f, background, "NmsRoisNum");
}

// The row splits of the detections, with one sequence per image. int64[images + 1]
Expr image_row_splits(NodeContext& n, const CandidatesAndSelectedIndices& f) {
  return row_partition_from_lengths(
             Expr{n,
                  n.cast(row_counts_from_image_ids(n, image_id_per_detection(n, f), f.num_images),
                         DType::int64)})
      .row_splits;
}

// The outputs are packed sequences (LoD), one sequence per image.
void multiclass_nms_v2(NodeContext& n) {
  auto background = n.attr("background_label", 0);
  auto f = emit_nms(n, background);
  n.set_output("Out", concat_detection_rows(n, f, detection_scores(n, f), background));
  n.set_output("Index", flat_box_indices(n, f, background).to(DType::int32));
  for (const char* slot : {"Out", "Index"}) n.set_row_splits(slot, image_row_splits(n, f));
}

// The op multiclass_nms (version 1) outputs one row [-1] if nothing is found.
void multiclass_nms_v1(NodeContext& n) {
  auto background = n.attr("background_label", 0);
  auto f = emit_nms(n, background);
  auto rows = concat_detection_rows(n, f, detection_scores(n, f), background);
  auto empty = n.emit("Expand", {n.scalar_like(-1, rows), n.int64_vector({1, 6})});
  Expr count{n, dim_as_vector(n, rows, 0)};
  Expr wide{n, n.emit("Where", {count == 0, n.int64_vector({1}), n.int64_vector({6})})};
  auto ends = n.concat({max(count, 1), wide}, 0);
  n.set_output("Out", n.emit("Slice", {n.concat({rows, empty}, 0), n.int64_vector({0, 0}), ends,
                                       n.int64_vector({0, 1})}));
  auto begins = image_row_splits(n, f);
  Expr known{n, dim_as_vector(n, begins, 0)};
  auto first = where(count == 0, known, 0), last = where(count == 0, known + 2, known);
  n.set_row_splits("Out",
                   n.emit("Slice", {n.concat({begins, n.int64_vector({0, 1})}, 0), first, last}));
}

// The boxes of the op nms are ordered by descending score, so descending numbers serve as scores.
void nms(NodeContext& n) {
  auto boxes = n.unsqueeze(n.input("Boxes"), {0});
  auto order = -arange(n, dim_as_vector(n, boxes, 1)).to(DType::float32);
  auto at = nms_indices(n, boxes, n.unsqueeze(order, {0, 1}),
                        {n.attr("iou_threshold", 1.0f), kLowest, 0});
  n.set_output("KeepBoxesIdxs", n.squeeze(slice_column(n, at, 2), {1}));
}

// ---- matrix_nms: scores decay by all better boxes of the class at once ----

// The indices [K,3] of all scores above the threshold, best score first.
Value sorted_indices_of_scores_above(NodeContext& n, Value scores, double threshold) {
  auto indices = n.transpose(n.emit("NonZero", {Expr{n, scores} > threshold}), {1, 0});
  n.declare_type(indices, DType::int64, Ints{-1, 3});
  return gather_rows({n, indices}, emit_argsort(n, n.emit("GatherND", {scores, indices}), true));
}

// Element [i, j]: whether detection j has the class and image of detection i and a higher score.
// [K,K]
Expr higher_score_in_class_mask(NodeContext& n, const CandidatesAndSelectedIndices& f) {
  Expr group{n, slice_column(n, f.indices, 0) * Expr{n, dim_as_vector(n, f.scores, 1)} +
                    slice_column(n, f.indices, 1)};
  Expr number{n, n.unsqueeze(arange(n, dim_as_vector(n, f.indices, 0)), {1})};
  auto across = [&](const Expr& v) { return Expr{n, n.swap_last_axes(v)}; };
  return group == across(group) && number > across(number);
}

Expr decay_scores(NodeContext& n, const CandidatesAndSelectedIndices& f) {
  auto boxes = n.emit(
      "GatherND",
      {f.boxes, n.concat({slice_column(n, f.indices, 0), slice_column(n, f.indices, 2)}, 1)});
  n.declare_type(boxes, n.dtype(f.boxes), Ints{-1, 4});
  auto over = higher_score_in_class_mask(n, f);
  auto shared = where(over, iou(n, boxes, boxes, n.attr("normalized", true) ? 0 : 1), 0);
  Expr most{n, n.swap_last_axes(reduce(n, "ReduceMax", shared, {1}, true))};
  double sigma = n.attr("gaussian_sigma", 2.0f);
  auto decay = n.attr("use_gaussian", false) ? exp((most * most - shared * shared) * sigma)
                                             : (1 - shared) / (1 - most);
  Expr least{n, reduce(n, "ReduceMin", where(over, decay, 1), {1}, false)};
  return Expr{n, detection_scores(n, f)} * min(least, 1);
}

void matrix_nms(NodeContext& n) {
  auto background = n.attr("background_label", 0);
  auto f = read_detections_with_shared_boxes(n, background);
  f.indices = sorted_indices_of_scores_above(
      n, mask_all_but_top_scores(n, f.scores, n.attr("nms_top_k", 0)),
      n.attr("score_threshold", 0.0f));
  Value scores = decay_scores(n, f);
  auto mask = Expr{n, scores} > n.attr("post_threshold", 0.0f);
  f.indices = select_rows_by_mask(n, f.indices, mask),
  scores = select_rows_by_mask(n, scores, mask);
  auto best = top_row_indices_per_image(n, scores, image_id_per_detection(n, f), f.num_images,
                                        n.attr("keep_top_k", 0));
  f.indices = gather_rows({n, f.indices}, best), scores = gather_rows({n, scores}, best);
  auto by_image = emit_argsort(n, image_id_per_detection(n, f), false);
  f.indices = gather_rows({n, f.indices}, by_image);
  n.set_output("Out", concat_detection_rows(n, f, gather_rows({n, scores}, by_image), background));
  set_index_and_count_outputs(n, f, background, "RoisNum");
}

}  // namespace

std::span<const Rule> nms_rules() {
  static const Rule rules[] = {
      {"multiclass_nms",
       12,
       multiclass_nms_v1,
       {.ignore_declared_shape = true, .lod = OutputTraits::none}},
      {"multiclass_nms2",
       12,
       multiclass_nms_v2,
       {.ignore_declared_shape = true, .lod = OutputTraits::none}},
      {"multiclass_nms3",
       12,
       multiclass_nms_v3,
       {.ignore_declared_shape = true, .lod = OutputTraits::none, .nonnegative_outputs = "Index"}},
      {"matrix_nms",
       12,
       matrix_nms,
       {.ignore_declared_shape = true, .lod = OutputTraits::none, .nonnegative_outputs = "Index"}},
      {"nms", 12, nms},
  };
  return rules;
}

}  // namespace oarlock
