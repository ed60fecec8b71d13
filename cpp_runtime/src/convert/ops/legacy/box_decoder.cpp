// Boxes and corners moved by what a network says.
#include "convert/operands.h"
#include "convert/ops/box_geometry.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

Expr half_of(Node& n, const Value& boxes, std::int64_t at) {
  return {n, n.slice(boxes, {at}, {at + 2}, {n.need_rank(boxes) - 1})};
}

// Boxes at the distances from their priors, for each class.   priors [R,4], moves [R,C,4]
Value moved(Node& n, const Value& priors, const Value& moves, double largest) {
  auto low = half_of(n, n.unsqueeze(priors, {1}), 0),
       size = half_of(n, n.unsqueeze(priors, {1}), 2) - low + 1;
  auto middle = half_of(n, moves, 0) * size + low + size / 2;
  auto half = exp(min(half_of(n, moves, 2), largest)) * size / 2;
  return n.concat({middle - half, middle + half - 1}, 2);
}

// The first class is the background's, which a box never is.
void box_decoder_and_assign(Node& n) {
  auto priors = n.in("PriorBox"), scores = n.in("BoxScore");
  n.require(n.need_rank(scores) == 2 && n.need_rank(priors) == 2,
            "dims of boxes and scores do not fit");
  n.require(n.dim(scores, 1) != 1,
            "boxes of one class, which is the background's, have no lowering");
  Expr moves{n, n.reshape(n.in("TargetBox"), {0, -1, 4})};
  if (n.has("PriorBoxVar")) moves = moves * Expr{n, n.reshape(n.in("PriorBoxVar"), {-1})};
  auto boxes = moved(n, priors, moves, n.attr("box_clip", 4.135f));
  n.out("DecodeBox", n.reshape(boxes, {0, -1}));
  auto best = n.emit("ArgMax", {n.slice(scores, {1}, {kAll}, {1})}, {{"axis", std::int64_t{1}}});
  n.declare(best, DType::int64, Ints{-1, 1});
  n.out("OutputAssignBox",
        n.emit("GatherND", {boxes, Expr{n, best} + 1}, {{"batch_dims", std::int64_t{1}}}));
}

constexpr std::int64_t kMostChannels =
    1 << 16;  // a file may say any number, and each becomes a constant

// Places lie four pixels apart; x and y take turns among the channels.
void polygon_box_transform(Node& n) {
  auto x = n.in("Input");
  auto channels = n.need_rank(x) == 4 ? n.dim(x, 1) : -1;
  n.require(
      channels > 0 && channels % 2 == 0 && channels <= kMostChannels,
      "Input needs four dims, and the number of channels to be known, even and at most 65536");
  Floats across, down;
  for (std::int64_t i = 0; i < channels; ++i)
    across.push_back(i % 2 == 0 ? 4 : 0), down.push_back(i % 2 == 0 ? 0 : 4);
  auto dtype = n.need_dtype(x);
  auto weights = [&](const Floats& numbers) {
    return Expr{n, n.reshape(n.floats(numbers, dtype), {-1, 1, 1})};
  };
  auto column = counted(n, size_along(n, x, 3)).to(dtype);
  Expr row{n, n.unsqueeze(counted(n, size_along(n, x, 2)).to(dtype), {1})};
  n.out("Output", weights(across) * column + weights(down) * row - Expr{n, x});
}

}  // namespace

std::span<const Rule> box_moves_rules() {
  static const Rule rules[] = {
      {"box_decoder_and_assign", 12, box_decoder_and_assign},
      {"polygon_box_transform", 11, polygon_box_transform},
  };
  return rules;
}

}  // namespace oarlock
