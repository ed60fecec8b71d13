// Padding.
#include <algorithm>

#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// pads: begins of all dims, then ends of all dims, as in ONNX.
Value emit_pad(NodeContext& n, Value x, Value pads, const std::string& mode, double value) {
  if (!is_floating(n.require_known_dtype(x))) n.require_opset(11);
  if (n.opset() >= 11) {
    Values in{x, pads};
    if (mode == "constant") in.push_back(n.scalar_like(value, x));
    return n.emit("Pad", in, {{"mode", mode}});
  }
  auto known = n.find_constant_ints(pads);
  n.require(known.has_value(), "below opset 11 paddings must be constants");
  return n.emit("Pad", {x},
                {{"pads", *known}, {"mode", mode}, {"value", static_cast<float>(value)}});
}

// Paddle's paddings are pairs (begin, end), one per dim; ONNX's pads are all begins, then all ends.
void pad(NodeContext& n) {
  auto x = n.input("X");
  auto pairs = n.attr("paddings", Ints{});
  Ints pads;
  for (std::size_t i = 0; i < pairs.size(); i += 2) pads.push_back(pairs[i]);
  for (std::size_t i = 1; i < pairs.size(); i += 2) pads.push_back(pairs[i]);
  n.set_output("Out", emit_pad(n, x, n.int64_vector(pads), "constant", n.attr("pad_value", 0.0f)));
}

// For each of ONNX's pads (begins of all dims, then ends), the index of the same padding in
// Paddle's list of pairs of image dims (last dim first); -1 for a dim that is not padded.
Ints image_pad_index_per_onnx_pad(int rank, bool last) {
  Ints order;
  int first = last ? 1 : 2, dims = rank - 2;
  for (int end = 0; end < 2; ++end)
    for (int axis = 0; axis < rank; ++axis) {
      bool image = axis >= first && axis < first + dims;
      order.push_back(image ? 2 * (first + dims - 1 - axis) + end : -1);
    }
  return order;
}

Value expand_image_pads(NodeContext& n, Value pairs, int rank, bool last) {
  Ints order = image_pad_index_per_onnx_pad(rank, last);
  for (auto& at : order)
    at = at < 0 ? std::int64_t{2} * (rank - 2) : at;  // a zero is appended to the pairs
  auto with_zero = n.concat({pairs, n.int64_vector({0})}, 0);
  return n.emit("Gather", {with_zero, n.int64_vector(order)}, {{"axis", std::int64_t{0}}});
}

// Entries -before .. size+after of a periodic axis.
Value wrap_pad_axis(NodeContext& n, Value x, std::int64_t axis, std::int64_t before,
                    std::int64_t after) {
  if (before == 0 && after == 0) return x;
  auto size = as_scalar(n, dim_as_vector(n, x, axis));
  auto end = n.emit("Add", {size, n.int64_scalar(after)});
  auto at =
      n.emit("Mod", {n.emit("Range", {n.int64_scalar(-before), end, n.int64_scalar(1)}), size});
  n.declare_type(at, DType::int64, Ints{n.dim(x, axis) < 0 ? -1 : n.dim(x, axis) + before + after});
  return n.emit("Gather", {x, at}, {{"axis", axis}});
}

// Periodic padding.
Value wrap_pad(NodeContext& n, Value x, const Ints& pads) {
  std::size_t rank = pads.size() / 2;
  for (std::size_t i = 0; i < rank; ++i)
    x = wrap_pad_axis(n, x, static_cast<std::int64_t>(i), pads[i], pads[rank + i]);
  return x;
}

void pad3d(NodeContext& n) {
  auto x = n.input("X");
  auto mode = n.attr("mode", "constant");
  int rank = n.require_known_rank(x);
  auto pads = expand_image_pads(n, read_int_list_as_vector(n, {"paddings", "Paddings", ""}), rank,
                                is_channels_last(n, "data_format"));
  if (mode == "circular") {
    auto known = n.find_constant_ints(pads);
    n.require(known.has_value(), "circular paddings must be constants");
    return n.set_output("Out", wrap_pad(n, x, *known));
  }
  n.set_output("Out",
               emit_pad(n, x, pads, mode == "replicate" ? "edge" : mode, n.attr("value", 0.0f)));
}

// The op pad2d of Paddle 1.x pads images; its paddings are [top, bottom, left, right].
void pad2d(NodeContext& n) {
  auto x = n.input("X");
  auto mode = n.attr("mode", "constant");
  auto p = require_const_int_list(n, {"paddings", "Paddings", ""}, {0, 0, 0, 0});
  n.require(p.size() == 4, "needs four paddings");
  bool last = is_channels_last(n, "data_format");
  Ints pads =
      last ? Ints{0, p[0], p[2], 0, 0, p[1], p[3], 0} : Ints{0, 0, p[0], p[2], 0, 0, p[1], p[3]};
  n.set_output("Out", emit_pad(n, x, n.int64_vector(pads), mode, n.attr("pad_value", 0.0f)));
}

}  // namespace

std::span<const Rule> pad_rules() {
  static const Rule rules[] = {{"pad", 7, pad, {.ignore_declared_shape = true}},
                               {"pad3d", 7, pad3d},
                               {"pad2d", 7, pad2d, {.ignore_declared_shape = true}}};
  return rules;
}

}  // namespace oarlock
