#include "convert/ops/box_geometry.h"

#include "convert/operands.h"

namespace oarlock {

Expr column(Node& n, const Value& v, std::int64_t i) {
  auto last = static_cast<std::int64_t>(n.need_rank(v) - 1);
  return {n, n.slice(v, {i}, {i + 1}, {last})};
}

Value rows_where(Node& n, const Value& v, const Value& kept) {
  return n.emit("Compress", {v, kept}, {{"axis", std::int64_t{0}}});
}

namespace {

struct Sides {
  Expr low, high;
};

// Along one axis; [..,N,1], or [..,1,N] where `across`.
Sides sides(Node& n, const Value& boxes, std::int64_t axis, bool across) {
  auto low = column(n, boxes, axis), high = column(n, boxes, axis + 2);
  return across ? Sides{{n, n.swap_last(low)}, {n, n.swap_last(high)}} : Sides{low, high};
}

// Of a box that is inside out: 0.
Expr area(const Sides& x, const Sides& y, double extra) {
  auto whole = (x.high - x.low + extra) * (y.high - y.low + extra);
  return where(x.high < x.low || y.high < y.low, 0, whole);
}

Sides shared(const Sides& a, const Sides& b) { return {max(a.low, b.low), min(a.high, b.high)}; }

}  // namespace

Expr overlaps(Node& n, const Value& boxes, const Value& others, double extra, bool touching) {
  Sides ax = sides(n, boxes, 0, false), ay = sides(n, boxes, 1, false);
  Sides bx = sides(n, others, 0, true), by = sides(n, others, 1, true);
  auto x = shared(ax, bx), y = shared(ay, by);
  auto common =
      touching ? relu(x.high - x.low + extra) * relu(y.high - y.low + extra) : area(x, y, extra);
  return common / max(area(ax, ay, extra) + area(bx, by, extra) - common, 1e-10);
}

namespace {

// As ONNX Runtime measures them: a box that is inside out has no area, and one of pixels is one
// longer.   Boxes less than a pixel apart then touch, which Paddle does not see.
Value measured(Node& n, const Value& boxes, double extra) {
  Expr low{n, n.slice(boxes, {0}, {2}, {2})}, high{n, n.slice(boxes, {2}, {4}, {2})};
  return n.concat({low, extra == 0 ? max(high, low) : where(high < low, low, high + extra)}, 2);
}

}  // namespace

Value thinned(Node& n, const Value& boxes, const Value& scores, const Thinning& how) {
  n.require(how.iou >= 0 && how.iou <= 1,
            "a threshold of " + std::to_string(how.iou) + " has no lowering");
  auto number = [&](double x) { return n.floats({x}, DType::float32); };
  auto at = n.emit("NonMaxSuppression", {n.cast(measured(n, boxes, how.extra), DType::float32),
                                         n.cast(scores, DType::float32), n.ints({how.most}),
                                         number(how.iou), number(how.least)});
  n.declare(at, DType::int64, Ints{-1, 3});
  return at;
}

// A row belongs to the picture before which as many pictures have ended.
Expr owners(Node& n, const Value& counts, const Value& rows) {
  auto ends = n.emit("CumSum", {n.cast(counts, DType::int64), n.int_scalar(0)});
  Expr row{n, n.unsqueeze(counted(n, rows), {1})};
  auto ended = (row >= Expr{n, n.unsqueeze(ends, {0})}).to(DType::int64);
  return {n, reduce(n, "ReduceSum", ended, {1}, false)};
}

namespace {

// Whether a row is of a picture.   [rows, pictures]
Expr belongs(Node& n, const Value& owners, const Value& pictures) {
  return as_column({n, owners}) == Expr{n, n.unsqueeze(counted(n, pictures), {0})};
}

}  // namespace

Value counts_of(Node& n, const Value& owners, const Value& pictures) {
  auto each = belongs(n, owners, pictures).to(DType::int64);
  return n.cast(reduce(n, "ReduceSum", each, {0}, false), DType::int32);
}

Value sorted_by(Node& n, const Value& keys, bool descending) {
  std::int64_t largest = descending;
  return n.emit_n(2, "TopK", {keys, n.shape_of(keys)}, {{"largest", largest}})[1];
}

Value best_of_each(Node& n, const Value& scores, const Value& owners, const Value& pictures,
                   std::int64_t most) {
  auto order = sorted_by(n, scores, true);
  if (most < 0) return order;
  auto each = belongs(n, rows_at({n, owners}, order), pictures).to(DType::int64);
  auto so_far = Expr{n, n.emit("CumSum", {each, n.int_scalar(0)})};
  Expr rank{n, reduce(n, "ReduceSum", so_far * each, {1}, false)};
  return rows_where(n, order, rank <= static_cast<double>(most));
}

}  // namespace oarlock
