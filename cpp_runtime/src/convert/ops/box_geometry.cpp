#include "convert/ops/box_geometry.h"

#include "convert/operands.h"

namespace oarlock {

Expr column(NodeContext& n, Value v, std::int64_t i) {
  auto last = static_cast<std::int64_t>(n.require_rank(v) - 1);
  return {n, n.slice(v, {i}, {i + 1}, {last})};
}

Value rows_where(NodeContext& n, Value v, Value mask) {
  return n.emit("Compress", {v, mask}, {{"axis", std::int64_t{0}}});
}

namespace {

struct Sides {
  Expr low, high;
};

// The edges of boxes along one axis; [..,N,1], or [..,1,N] if `across`.
Sides box_sides(NodeContext& n, Value boxes, std::int64_t axis, bool across) {
  auto low = column(n, boxes, axis), high = column(n, boxes, axis + 2);
  return across ? Sides{{n, n.swap_last_axes(low)}, {n, n.swap_last_axes(high)}} : Sides{low, high};
}

// 0 for an inverted box.
Expr area(const Sides& x, const Sides& y, double extra) {
  auto whole = (x.high - x.low + extra) * (y.high - y.low + extra);
  return where(x.high < x.low || y.high < y.low, 0, whole);
}

Sides intersection(const Sides& a, const Sides& b) {
  return {max(a.low, b.low), min(a.high, b.high)};
}

}  // namespace

Expr iou(NodeContext& n, Value boxes, Value others, double extra, bool touching) {
  Sides ax = box_sides(n, boxes, 0, false), ay = box_sides(n, boxes, 1, false);
  Sides bx = box_sides(n, others, 0, true), by = box_sides(n, others, 1, true);
  auto x = intersection(ax, bx), y = intersection(ay, by);
  auto common =
      touching ? relu(x.high - x.low + extra) * relu(y.high - y.low + extra) : area(x, y, extra);
  return common / max(area(ax, ay, extra) + area(bx, by, extra) - common, 1e-10);
}

namespace {

// Adapts boxes to ONNX Runtime's NMS: inverted boxes get no area, and pixel boxes are one longer.
// Boxes less than a pixel apart then touch, which Paddle does not count.
Value to_nms_boxes(NodeContext& n, Value boxes, double extra) {
  Expr low{n, n.slice(boxes, {0}, {2}, {2})}, high{n, n.slice(boxes, {2}, {4}, {2})};
  return n.concat({low, extra == 0 ? max(high, low) : where(high < low, low, high + extra)}, 2);
}

}  // namespace

Value nms_indices(NodeContext& n, Value boxes, Value scores, const NmsOptions& options) {
  n.require(options.max_iou >= 0 && options.max_iou <= 1,
            "a threshold of " + std::to_string(options.max_iou) + " has no lowering");
  auto number = [&](double x) { return n.floats({x}, DType::float32); };
  auto at =
      n.emit("NonMaxSuppression", {n.cast(to_nms_boxes(n, boxes, options.extra), DType::float32),
                                   n.cast(scores, DType::float32), n.ints({options.max_boxes}),
                                   number(options.max_iou), number(options.min_score)});
  n.declare_type(at, DType::int64, Ints{-1, 3});
  return at;
}

// The image of a row is the number of images that end before it.
Expr image_of_rows(NodeContext& n, Value counts, Value rows) {
  auto ends = n.emit("CumSum", {n.cast(counts, DType::int64), n.int_scalar(0)});
  Expr row{n, n.unsqueeze(arange(n, rows), {1})};
  auto ended = (row >= Expr{n, n.unsqueeze(ends, {0})}).to(DType::int64);
  return {n, reduce(n, "ReduceSum", ended, {1}, false)};
}

namespace {

// Whether a row belongs to an image. [rows, images]
Expr image_membership(NodeContext& n, Value image_ids, Value num_images) {
  return unsqueeze_last({n, image_ids}) == Expr{n, n.unsqueeze(arange(n, num_images), {0})};
}

}  // namespace

Value rows_per_image(NodeContext& n, Value image_ids, Value num_images) {
  auto each = image_membership(n, image_ids, num_images).to(DType::int64);
  return n.cast(reduce(n, "ReduceSum", each, {0}, false), DType::int32);
}

Value sort_indices(NodeContext& n, Value keys, bool descending) {
  std::int64_t largest = descending;
  return n.emit_n(2, "TopK", {keys, n.shape_of(keys)}, {{"largest", largest}})[1];
}

Value top_rows_per_image(NodeContext& n, Value scores, Value image_ids, Value num_images,
                         std::int64_t max_rows) {
  auto order = sort_indices(n, scores, true);
  if (max_rows < 0) return order;
  auto each = image_membership(n, gather_rows({n, image_ids}, order), num_images).to(DType::int64);
  auto so_far = Expr{n, n.emit("CumSum", {each, n.int_scalar(0)})};
  Expr rank{n, reduce(n, "ReduceSum", so_far * each, {1}, false)};
  return rows_where(n, order, rank <= static_cast<double>(max_rows));
}

}  // namespace oarlock
