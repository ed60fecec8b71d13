// Rearrangement of pixels, channels and frames; maxout.
#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/ops/conv_pool_geometry.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// Reads an attribute; fails if `size` is known (>= 0) and not divisible by the attribute.
std::int64_t read_divisor_attr(const NodeContext& n, std::string_view name,
                               std::int64_t default_value, std::int64_t size) {
  auto by = static_cast<std::int64_t>(
      require_unrollable_size(n, n.attr(name, default_value), "'" + std::string(name) + "'"));
  n.require(size < 0 || size % by == 0,
            "'" + std::string(name) + "' does not divide " + std::to_string(size));
  return by;
}

void require_rank_4(const NodeContext& n, Value x) {
  n.require(n.require_known_rank(x) == 4, "needs images of rank 4");
}

// ---- pixels and channels ----

void pixel_shuffle(NodeContext& n) {
  bool last = is_channels_last(n, "data_format");
  auto x = move_channels_first_if(n, n.input("X"), last);
  require_rank_4(n, x);
  auto by = read_divisor_attr(n, "upscale_factor", 1, n.dim(x, 1));
  auto y = n.emit("DepthToSpace", {x}, {{"blocksize", by}, {"mode", std::string("CRD")}});
  n.set_output("Out", move_channels_last_if(n, y, last));
}

// Darknet's reorg: shapes as in space-to-depth, values as in depth-to-space.
void space_to_depth(NodeContext& n) {
  auto x = n.input("X");
  require_rank_4(n, x);
  auto by = read_divisor_attr(n, "blocksize", 2, n.dim(x, 1)), square = by * by;
  n.require(n.dim(x, 1) < 0 || n.dim(x, 1) % square == 0,
            "'blocksize' squared does not divide the channels");
  auto blocks = n.emit("DepthToSpace", {x}, {{"blocksize", by}, {"mode", std::string("DCR")}});
  auto size = [&](std::int64_t axis) { return Expr(n, dim_as_vector(n, x, axis)); };
  auto factor = static_cast<double>(by);
  n.set_output("Out",
               reshape_to_shape_parts(n, blocks,
                                      {n.int64_vector({0}), size(1) * static_cast<double>(square),
                                       size(2) / factor, size(3) / factor}));
}

// In the output channels of ONNX's SpaceToDepth, the input channel varies faster than the position
// in the block; in Paddle's, it varies slower. Each channel is therefore passed to SpaceToDepth as
// an image of one channel.
void pixel_unshuffle(NodeContext& n) {
  bool last = is_channels_last(n, "data_format");
  auto x = move_channels_first_if(n, n.input("X"), last);
  require_rank_4(n, x);
  auto by = read_divisor_attr(n, "downscale_factor", 1, n.dim(x, 2));
  read_divisor_attr(n, "downscale_factor", 1, n.dim(x, 3));
  auto planes = n.emit("SpaceToDepth", {n.reshape(x, {-1, 1, 0, 0})}, {{"blocksize", by}});
  auto channels = Expr{n, dim_as_vector(n, x, 1)} * static_cast<double>(by * by);
  auto y =
      reshape_to_shape_parts(n, planes, {n.int64_vector({-1}), channels, n.int64_vector({0, 0})});
  n.set_output("Out", move_channels_last_if(n, y, last));
}

LowerFn channel_shuffle_rule(std::string_view groups) {
  return [groups](NodeContext& n) {
    auto x = n.input("X");
    require_rank_4(n, x);
    bool last = is_channels_last(n, "data_format");
    auto count = read_divisor_attr(n, groups, 1, n.dim(x, last ? 3 : 1));
    auto parts =
        last ? n.reshape(x, {0, 0, 0, count, -1})
             : reshape_to_shape_parts(n, x,
                                      {n.int64_vector({0, count}),
                                       Expr{n, dim_as_vector(n, x, 1)} / static_cast<double>(count),
                                       n.int64_vector({-1})});
    n.set_output(
        "Out",
        reshape_like(n, n.transpose(parts, last ? Ints{0, 1, 2, 4, 3} : Ints{0, 2, 1, 3}), x));
  };
}

// ---- frames ----

// Shifts by one along axis 1 and fills with zeros.
Value shift_frames_by_one_filling_zeros(NodeContext& n, Value frames, std::int64_t by) {
  constexpr std::int64_t end = std::int64_t{1} << 40;
  auto remaining = by > 0 ? n.slice(frames, {0}, {-1}, {1}) : n.slice(frames, {1}, {end}, {1});
  Ints pads(10, 0);
  pads[by > 0 ? 1 : 6] = 1;
  return n.emit("Pad", {remaining, n.int64_vector(pads)});
}

void temporal_shift(NodeContext& n) {
  bool last = is_channels_last(n, "data_format");
  auto x = move_channels_first_if(n, n.input("X"), last);
  require_rank_4(n, x);
  auto channels = n.dim(x, 1), count = read_divisor_attr(n, "seg_num", 0, n.dim(x, 0));
  auto ratio = n.attr("shift_ratio", 0.25f);
  n.require(channels >= 0, "needs the number of channels to be known");
  n.require(ratio >= 0 && ratio <= 0.5, "'shift_ratio' is " + std::to_string(ratio));
  auto one = static_cast<std::int64_t>(static_cast<float>(channels) * ratio);
  auto two = static_cast<std::int64_t>(static_cast<float>(channels) * 2 * ratio);
  auto frames =
      reshape_to_shape_parts(n, x, {n.int64_vector({-1, count}), shape_from_axis(n, x, 1)});
  Values parts;
  if (one > 0)
    parts.push_back(shift_frames_by_one_filling_zeros(n, n.slice(frames, {0}, {one}, {2}), 1));
  if (two > one)
    parts.push_back(shift_frames_by_one_filling_zeros(n, n.slice(frames, {one}, {two}, {2}), -1));
  if (channels > two) parts.push_back(n.slice(frames, {two}, {channels}, {2}));
  n.set_output("Out", move_channels_last_if(n, reshape_like(n, n.concat(parts, 2), x), last));
}

// ---- channel ops ----

void maxout(NodeContext& n) {
  auto x = n.input("X");
  require_rank_4(n, x);
  auto axis = n.normalized_axis_attr("axis", 1, 4),
       count = read_divisor_attr(n, "groups", 0, n.dim(x, axis));
  n.require(axis == 1 || axis == 3,
            "axis " + std::to_string(axis) + " is not that of the channels");
  auto grouped = axis == 3 ? n.reshape(x, {0, 0, 0, -1, count})
                           : reshape_to_shape_parts(
                                 n, x, {n.int64_vector({0, -1, count}), shape_from_axis(n, x, 2)});
  n.set_output("Out", reduce(n, "ReduceMax", grouped, {axis + 1}, false));
}

}  // namespace

std::span<const Rule> pixel_channel_shuffle_and_maxout_rules() {
  static const Rule rules[] = {
      {"pixel_shuffle", 11, pixel_shuffle},
      {"pixel_unshuffle", 7, pixel_unshuffle},
      {"space_to_depth", 11, space_to_depth},
      {"channel_shuffle", 7, channel_shuffle_rule("groups")},
      {"shuffle_channel", 7, channel_shuffle_rule("group")},
      {"temporal_shift", 11, temporal_shift},
      {"maxout", 7, maxout},
  };
  return rules;
}

}  // namespace oarlock
