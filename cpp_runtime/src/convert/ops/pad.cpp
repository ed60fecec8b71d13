// Edges around a tensor.
#include <algorithm>

#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// Begins of all dims and then ends of all dims, as ONNX has them.
Value padded(Node& n, const Value& x, const Value& pads, const std::string& mode, double value) {
  if (!is_floating(n.need_dtype(x))) n.need_opset(11);
  if (n.opset() >= 11) {
    Values in{x, pads};
    if (mode == "constant") in.push_back(n.scalar_like(value, x));
    return n.emit("Pad", in, {{"mode", mode}});
  }
  auto known = n.const_ints(pads);
  n.require(known.has_value(), "below opset 11 paddings must be constants");
  return n.emit("Pad", {x},
                {{"pads", *known}, {"mode", mode}, {"value", static_cast<float>(value)}});
}

// Pairs, one per dim.
void pad(Node& n) {
  auto x = n.in("X");
  auto pairs = n.attr("paddings", Ints{});
  Ints pads;
  for (std::size_t i = 0; i < pairs.size(); i += 2) pads.push_back(pairs[i]);
  for (std::size_t i = 1; i < pairs.size(); i += 2) pads.push_back(pairs[i]);
  n.out("Out", padded(n, x, n.ints(pads), "constant", n.attr("pad_value", 0.0f)));
}

// Pairs of the image's dims, last dim first, become ONNX's begins and ends of all dims: positions
// in the pairs, -1 for 0.
Ints order_of_pads(int rank, bool last) {
  Ints order;
  int first = last ? 1 : 2, dims = rank - 2;
  for (int end = 0; end < 2; ++end)
    for (int axis = 0; axis < rank; ++axis) {
      bool image = axis >= first && axis < first + dims;
      order.push_back(image ? 2 * (first + dims - 1 - axis) + end : -1);
    }
  return order;
}

Value image_pads(Node& n, const Value& pairs, int rank, bool last) {
  Ints order = order_of_pads(rank, last);
  for (auto& at : order)
    at = at < 0 ? std::int64_t{2} * (rank - 2) : at;  // a zero is put behind the pairs
  auto with_zero = n.concat({pairs, n.ints({0})}, 0);
  return n.emit("Gather", {with_zero, n.ints(order)}, {{"axis", std::int64_t{0}}});
}

// Entries -before .. size+after of an axis that repeats itself.
Value wrapped_along(Node& n, const Value& x, std::int64_t axis, std::int64_t before,
                    std::int64_t after) {
  if (before == 0 && after == 0) return x;
  auto size = as_scalar(n, size_along(n, x, axis));
  auto end = n.emit("Add", {size, n.int_scalar(after)});
  auto at = n.emit("Mod", {n.emit("Range", {n.int_scalar(-before), end, n.int_scalar(1)}), size});
  n.declare(at, DType::int64, Ints{n.dim(x, axis) < 0 ? -1 : n.dim(x, axis) + before + after});
  return n.emit("Gather", {x, at}, {{"axis", axis}});
}

// The image repeats itself beyond its edges.
Value wrapped(Node& n, Value x, const Ints& pads) {
  std::size_t rank = pads.size() / 2;
  for (std::size_t i = 0; i < rank; ++i)
    x = wrapped_along(n, x, static_cast<std::int64_t>(i), pads[i], pads[rank + i]);
  return x;
}

void pad_image(Node& n) {
  auto x = n.in("X");
  auto mode = n.attr("mode", "constant");
  int rank = n.need_rank(x);
  auto pads = image_pads(n, int_list(n, {"paddings", "Paddings", ""}), rank,
                         channels_last(n, "data_format"));
  if (mode == "circular") {
    auto known = n.const_ints(pads);
    n.require(known.has_value(), "circular paddings must be constants");
    return n.out("Out", wrapped(n, x, *known));
  }
  n.out("Out", padded(n, x, pads, mode == "replicate" ? "edge" : mode, n.attr("value", 0.0f)));
}

// The form of 1.x for images: [top, bottom, left, right].
void pad_2d(Node& n) {
  auto x = n.in("X");
  auto mode = n.attr("mode", "constant");
  auto p = need_ints(n, {"paddings", "Paddings", ""}, {0, 0, 0, 0});
  n.require(p.size() == 4, "needs four paddings");
  bool last = channels_last(n, "data_format");
  Ints pads =
      last ? Ints{0, p[0], p[2], 0, 0, p[1], p[3], 0} : Ints{0, 0, p[0], p[2], 0, 0, p[1], p[3]};
  n.out("Out", padded(n, x, n.ints(pads), mode, n.attr("pad_value", 0.0f)));
}

}  // namespace

std::span<const Rule> pad_rules() {
  static const Rule rules[] = {{"pad", 7, pad, {.careless = true}},
                               {"pad3d", 7, pad_image},
                               {"pad2d", 7, pad_2d, {.careless = true}}};
  return rules;
}

}  // namespace oarlock
