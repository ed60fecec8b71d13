// Decoding of boxes and polygons.
#include "convert/operands.h"
#include "convert/ops/box_geometry.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// Decodes one box per class from the deltas of a class to its prior box. priors [R,4], deltas
// [R,C,4]
Value decode_class_boxes_from_deltas(NodeContext& n, Value priors, Value deltas,
                                     double max_log_size) {
  auto low = slice_box_corner(n, n.unsqueeze(priors, {1}), 0),
       size = slice_box_corner(n, n.unsqueeze(priors, {1}), 2) - low + 1;
  auto middle = slice_box_corner(n, deltas, 0) * size + low + size / 2;
  auto half = exp(min(slice_box_corner(n, deltas, 2), max_log_size)) * size / 2;
  return n.concat({middle - half, middle + half - 1}, 2);
}

// Decodes the boxes of all classes, and assigns to each prior box that of its best class other than
// class 0, the background.
void box_decoder_and_assign(NodeContext& n) {
  auto priors = n.input("PriorBox"), scores = n.input("BoxScore");
  n.require(n.require_known_rank(scores) == 2 && n.require_known_rank(priors) == 2,
            "dims of boxes and scores do not fit");
  n.require(n.dim(scores, 1) != 1,
            "boxes of one class, which is the background's, have no lowering");
  Expr deltas{n, n.reshape(n.input("TargetBox"), {0, -1, 4})};
  if (n.has_input("PriorBoxVar"))
    deltas = deltas * Expr{n, n.reshape(n.input("PriorBoxVar"), {-1})};
  auto boxes = decode_class_boxes_from_deltas(n, priors, deltas, n.attr("box_clip", 4.135f));
  n.set_output("DecodeBox", n.reshape(boxes, {0, -1}));
  auto best =
      n.emit("ArgMax", {n.slice(scores, {1}, {kNoLimit}, {1})}, {{"axis", std::int64_t{1}}});
  n.declare_type(best, DType::int64, Ints{-1, 1});
  n.set_output("OutputAssignBox",
               n.emit("GatherND", {boxes, Expr{n, best} + 1}, {{"batch_dims", std::int64_t{1}}}));
}

constexpr std::int64_t kMaxChannels = 1 << 16;  // limits the number of constants

// Converts offsets to coordinates: the position of an element, in steps of four pixels, minus the
// offset. Channels alternate between x and y.
void polygon_box_transform(NodeContext& n) {
  auto x = n.input("Input");
  auto channels = n.require_known_rank(x) == 4 ? n.dim(x, 1) : -1;
  n.require(
      channels > 0 && channels % 2 == 0 && channels <= kMaxChannels,
      "Input needs four dims, and the number of channels to be known, even and at most 65536");
  Floats across, down;
  for (std::int64_t i = 0; i < channels; ++i)
    across.push_back(i % 2 == 0 ? 4 : 0), down.push_back(i % 2 == 0 ? 0 : 4);
  auto dtype = n.require_known_dtype(x);
  auto weights = [&](const Floats& numbers) {
    return Expr{n, n.reshape(n.vector(numbers, dtype), {-1, 1, 1})};
  };
  auto column = arange(n, dim_as_vector(n, x, 3)).to(dtype);
  Expr row{n, n.unsqueeze(arange(n, dim_as_vector(n, x, 2)).to(dtype), {1})};
  n.set_output("Output", weights(across) * column + weights(down) * row - Expr{n, x});
}

}  // namespace

std::span<const Rule> box_decoder_and_polygon_transform_rules() {
  static const Rule rules[] = {
      {"box_decoder_and_assign", 12, box_decoder_and_assign},
      {"polygon_box_transform", 11, polygon_box_transform},
  };
  return rules;
}

}  // namespace oarlock
