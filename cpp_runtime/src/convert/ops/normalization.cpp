// Normalisations, as they are at inference, and dropout.
#include <algorithm>

#include "convert/operands.h"
#include "convert/registry.h"
#include "convert/runtime_assert.h"

namespace oarlock {
namespace {

// ---- over the batch ----

Value constant_channels(Node& n, const Value& like, double value) {
  auto channels = written_size(n, n.dim(like, 0), "the number of channels");
  return n.floats(Floats(channels, value), n.need_dtype(like));
}

Value variance_of(Node& n, const Value& centred, const Ints& axes, bool keep) {
  return reduce(n, "ReduceMean", n.emit("Mul", {centred, centred}), axes, keep);
}

struct Moments {
  Value mean, variance;
};

// In training mode the batch itself gives mean and variance.
Moments batch_moments(Node& n, const Value& x, int rank) {
  n.require(rank >= 2, "has no channels");
  Ints axes = all_axes(rank);
  axes.erase(axes.begin() + 1);
  auto centred = n.emit("Sub", {x, reduce(n, "ReduceMean", x, axes, true)});
  return {reduce(n, "ReduceMean", x, axes, false), variance_of(n, centred, axes, false)};
}

Value blended(Node& n, const Value& old, const Value& now, float momentum) {
  return n.emit("Add", {n.emit("Mul", {old, n.scalar_like(momentum, old)}),
                        n.emit("Mul", {now, n.scalar_like(1 - double{momentum}, old)})});
}

void batch_norm(Node& n) {
  bool last = channels_last(n, "data_layout") && n.rank(n.in("X")) != 2;
  auto x = to_channels_first(n, n.in("X"), last), mean = n.in("Mean"), variance = n.in("Variance");
  auto scale = n.has("Scale") ? n.in("Scale") : constant_channels(n, mean, 1);
  auto bias = n.has("Bias") ? n.in("Bias") : constant_channels(n, mean, 0);
  bool stored = n.attr("is_test", false) ? !n.attr("trainable_statistics", false)
                                         : n.attr("use_global_stats", false);
  Moments used = stored ? Moments{mean, variance} : batch_moments(n, x, n.need_rank(x));
  auto y = n.emit("BatchNormalization", {x, scale, bias, used.mean, used.variance},
                  {{"epsilon", n.attr("epsilon", 1e-5f)}});
  n.out("Y", to_channels_last(n, y, last));
  auto momentum = n.attr("momentum", 0.9f);
  n.out("MeanOut", stored ? mean : blended(n, mean, used.mean, momentum));
  n.out("VarianceOut", stored ? variance : blended(n, variance, used.variance, momentum));
}

// ---- over trailing axes ----

Value normalised(Node& n, const Value& x, const Ints& axes, float epsilon) {
  auto centred = n.emit("Sub", {x, reduce(n, "ReduceMean", x, axes, true)});
  auto wide = n.emit("Add", {variance_of(n, centred, axes, true), n.scalar_like(epsilon, x)});
  return n.emit("Div", {centred, n.emit("Sqrt", {wide})});
}

Value scaled(Node& n, Value v, const Value& scale, const Value& bias) {
  if (!scale.empty()) v = n.emit("Mul", {v, scale});
  return bias.empty() ? v : n.emit("Add", {v, bias});
}

// Scale and bias come flat, and take the shape of what they scale: that of `x` from `begin` on.
Value weight_over(Node& n, std::string_view slot, const Value& x, std::int64_t begin) {
  if (!n.has(slot)) return "";
  auto v = n.cast(n.in(slot), n.need_dtype(x));
  Ints shape = *n.shape(x), dims(shape.begin() + begin, shape.end());
  if (dims.size() == 1 && n.rank(v) == 1) return v;
  if (std::count(dims.begin(), dims.end(), -1) <= 1) return n.reshape(v, dims);
  return n.emit("Reshape", {v, n.slice(n.shape_of(x), {begin}, {n.rank(x)}, {0})});
}

void layer_norm(Node& n) {
  auto x = n.in("X");
  int rank = n.need_rank(x);
  auto begin = n.axis("begin_norm_axis", 1, rank);
  auto epsilon = n.attr("epsilon", 1e-5f);
  auto scale = weight_over(n, "Scale", x, begin), bias = weight_over(n, "Bias", x, begin);
  if (n.opset() >= 17 && !scale.empty()) {
    Values in{x, scale};
    if (!bias.empty()) in.push_back(bias);
    return n.out("Y", n.emit("LayerNormalization", in, {{"axis", begin}, {"epsilon", epsilon}}));
  }
  Ints axes = all_axes(rank);
  axes.erase(axes.begin(), axes.begin() + begin);
  n.out("Y", scaled(n, normalised(n, x, axes, epsilon), scale, bias));
}

// ---- over the image ----

// [N,C,...] -> every (sample, channel) normalised by itself
Value instance_normalised(Node& n, const Value& x, const Value& scale, const Value& bias,
                          float epsilon) {
  if (n.dtype(x) !=
      DType::float64)  // its kernel ends the process where there is nothing in a channel
    return n.emit("InstanceNormalization", {nonempty(n, x), scale, bias}, {{"epsilon", epsilon}});
  int rank = n.need_rank(x);
  n.require(rank >= 2, "has no channels");
  Ints axes = all_axes(rank);
  axes.erase(axes.begin(), axes.begin() + 2);
  return scaled(n, normalised(n, x, axes, epsilon), per_channel(n, scale, rank),
                per_channel(n, bias, rank));
}

Value channels_of(Node& n, std::string_view slot, std::int64_t channels, double otherwise,
                  DType dtype) {
  if (n.has(slot)) return n.cast(n.in(slot), dtype);
  n.require(channels > 0, "needs a known number of channels");
  return n.floats(Floats(written_size(n, channels, "the number of channels"), otherwise), dtype);
}

void instance_norm(Node& n) {
  auto x = n.in("X");
  auto dtype = n.need_dtype(x);
  auto scale = channels_of(n, "Scale", n.dim(x, 1), 1, dtype),
       bias = channels_of(n, "Bias", n.dim(x, 1), 0, dtype);
  n.out("Y", instance_normalised(n, x, scale, bias, n.attr("epsilon", 1e-5f)));
}

// Each group is seen as one channel.
void group_norm(Node& n) {
  bool last = channels_last(n, "data_layout");
  auto x = to_channels_first(n, n.in("X"), last);
  int rank = n.need_rank(x);
  auto groups = n.attr("groups", -1);
  auto dtype = n.need_dtype(x);
  auto count = written_size(n, groups, "attribute 'groups'");
  auto ones = n.floats(Floats(count, 1), dtype), zeros = n.floats(Floats(count, 0), dtype);
  auto y =
      instance_normalised(n, n.reshape(x, {0, groups, -1}), ones, zeros, n.attr("epsilon", 1e-5f));
  y = reshape_like(n, y, x);
  auto channelwise = [&](std::string_view slot) {
    return n.has(slot) ? per_channel(n, n.cast(n.in(slot), dtype), rank) : Value();
  };
  n.out("Y", to_channels_last(n, scaled(n, y, channelwise("Scale"), channelwise("Bias")), last));
}

// ---- dropout ----

// What is kept is scaled up in training, or everything down at inference.
void dropout(Node& n) {
  auto x = n.in("X");
  bool up = n.attr("dropout_implementation", "downgrade_in_infer") == "upscale_in_train",
       test = n.attr("is_test", false);
  if (test && up) return n.out("Out", x);
  auto variable = n.attr_tensor("dropout_prob");
  auto dtype = n.need_dtype(x);
  auto p = variable.empty() ? n.scalar(n.attr("dropout_prob", 0.5f), dtype)
                            : n.cast(as_scalar(n, variable), dtype);
  auto kept = n.emit("Sub", {n.scalar(1, dtype), p});
  if (test) return n.out("Out", n.emit("Mul", {x, kept}));
  n.need_opset(12);
  if (variable.empty() && n.attr("dropout_prob", 0.5f) >= 1)
    return n.out("Out", n.emit("Expand", {n.scalar(0, dtype), n.shape_of(x)}));
  auto made = n.emit_n(2, "Dropout", {x, n.cast(p, DType::float32), n.scalar(1, DType::boolean)});
  n.declare(made[0], dtype, n.shape(x));
  n.declare(made[1], DType::boolean, n.shape(x));
  n.out("Out", up ? made[0] : n.emit("Mul", {made[0], kept}));
  n.out("Mask", n.cast(made[1], DType::uint8));
}

}  // namespace

std::span<const Rule> norm_rules() {
  static const Rule rules[] = {
      {"batch_norm", 9, batch_norm}, {"sync_batch_norm", 9, batch_norm},
      {"layer_norm", 7, layer_norm}, {"instance_norm", 7, instance_norm},
      {"group_norm", 7, group_norm}, {"dropout", 7, dropout},
  };
  return rules;
}

}  // namespace oarlock
