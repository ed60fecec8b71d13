#include "convert/ops/box_geometry.h"

#include "convert/operands.h"

namespace oarlock {

Expr slice_column(NodeContext& n, Value v, std::int64_t i) {
  auto last = static_cast<std::int64_t>(n.require_known_rank(v) - 1);
  return {n, n.slice(v, {i}, {i + 1}, {last})};
}

Expr slice_box_corner(NodeContext& n, Value boxes, std::int64_t at) {
  return {n, n.slice(boxes, {at}, {at + 2}, {n.require_known_rank(boxes) - 1})};
}

Value select_rows_by_mask(NodeContext& n, Value v, Value mask) {
  return n.emit("Compress", {v, mask}, {{"axis", std::int64_t{0}}});
}

namespace {

// The low and high edges of boxes along `axis` (0: x, 1: y): [..,N,1], or [..,1,N] if `across`.
BoxEdgesAlongAxis edges_along_axis(NodeContext& n, Value boxes, std::int64_t axis, bool across) {
  auto low = slice_column(n, boxes, axis), high = slice_column(n, boxes, axis + 2);
  return across ? BoxEdgesAlongAxis{{n, n.swap_last_axes(low)}, {n, n.swap_last_axes(high)}}
                : BoxEdgesAlongAxis{low, high};
}

// The area of boxes; 0 for an inverted box.
Expr box_area(const BoxEdgesAlongAxis& x, const BoxEdgesAlongAxis& y, double pixel_offset) {
  auto whole = (x.high - x.low + pixel_offset) * (y.high - y.low + pixel_offset);
  return where(x.high < x.low || y.high < y.low, 0, whole);
}

BoxEdgesAlongAxis intersect_edges(const BoxEdgesAlongAxis& a, const BoxEdgesAlongAxis& b) {
  return {max(a.low, b.low), min(a.high, b.high)};
}

}  // namespace

Expr iou(NodeContext& n, Value boxes, Value others, double pixel_offset, bool touching) {
  BoxEdgesAlongAxis ax = edges_along_axis(n, boxes, 0, false),
                    ay = edges_along_axis(n, boxes, 1, false);
  BoxEdgesAlongAxis bx = edges_along_axis(n, others, 0, true),
                    by = edges_along_axis(n, others, 1, true);
  auto x = intersect_edges(ax, bx), y = intersect_edges(ay, by);
  auto common = touching ? relu(x.high - x.low + pixel_offset) * relu(y.high - y.low + pixel_offset)
                         : box_area(x, y, pixel_offset);
  return common /
         max(box_area(ax, ay, pixel_offset) + box_area(bx, by, pixel_offset) - common, 1e-10);
}

namespace {

// Adapts boxes to ONNX Runtime's NMS: inverted boxes get area 0, and boxes with a pixel offset are
// enlarged by one pixel. ONNX Runtime then computes an overlap for boxes less than a pixel apart;
// Paddle does not.
Value adjust_box_extents_for_ort_nms(NodeContext& n, Value boxes, double pixel_offset) {
  Expr low{n, n.slice(boxes, {0}, {2}, {2})}, high{n, n.slice(boxes, {2}, {4}, {2})};
  return n.concat(
      {low, pixel_offset == 0 ? max(high, low) : where(high < low, low, high + pixel_offset)}, 2);
}

}  // namespace

Value nms_indices(NodeContext& n, Value boxes, Value scores, const NmsOptions& options) {
  n.require(options.max_iou >= 0 && options.max_iou <= 1,
            "a threshold of " + std::to_string(options.max_iou) + " has no lowering");
  auto number = [&](double x) { return n.vector({x}, DType::float32); };
  auto indices = n.emit(
      "NonMaxSuppression",
      {n.cast(adjust_box_extents_for_ort_nms(n, boxes, options.pixel_offset), DType::float32),
       n.cast(scores, DType::float32), n.int64_vector({options.max_boxes}), number(options.max_iou),
       number(options.min_score)});
  n.declare_type(indices, DType::int64, Ints{-1, 3});
  return indices;
}

// The image that each row belongs to, which is the number of images whose rows end before it.
Expr image_ids_from_row_counts(NodeContext& n, Value counts, Value rows) {
  auto ends = n.emit("CumSum", {n.cast(counts, DType::int64), n.int64_scalar(0)});
  Expr row{n, n.unsqueeze(arange(n, rows), {1})};
  auto ended = (row >= Expr{n, n.unsqueeze(ends, {0})}).to(DType::int64);
  return {n, reduce(n, "ReduceSum", ended, {1}, false)};
}

namespace {

// Element [row, image]: whether the row belongs to the image.
Expr image_membership_mask(NodeContext& n, Value image_ids, Value num_images) {
  return unsqueeze_last({n, image_ids}) == Expr{n, n.unsqueeze(arange(n, num_images), {0})};
}

}  // namespace

Value row_counts_from_image_ids(NodeContext& n, Value image_ids, Value num_images) {
  // The id of no image is added, because ReduceSum on CUDA fails on an axis of size 0.
  Value ids = n.concat({image_ids, n.int64_vector({-1})}, 0);
  auto each = image_membership_mask(n, ids, num_images).to(DType::int64);
  return n.cast(reduce(n, "ReduceSum", each, {0}, false), DType::int32);
}

Value emit_argsort(NodeContext& n, Value keys, bool descending) {
  std::int64_t largest = descending;
  return n.emit_multi_output(2, "TopK", {keys, n.emit_shape(keys)}, {{"largest", largest}})[1];
}

Value top_row_indices_per_image(NodeContext& n, Value scores, Value image_ids, Value num_images,
                                std::int64_t max_rows) {
  auto order = emit_argsort(n, scores, true);
  if (max_rows < 0) return order;
  auto each =
      image_membership_mask(n, gather_rows({n, image_ids}, order), num_images).to(DType::int64);
  auto so_far = Expr{n, n.emit("CumSum", {each, n.int64_scalar(0)})};
  Expr rank{n, reduce(n, "ReduceSum", so_far * each, {1}, false)};
  return select_rows_by_mask(n, order, rank <= static_cast<double>(max_rows));
}

}  // namespace oarlock
