// Normalization at inference, and dropout.
#include <algorithm>

#include "convert/operands.h"
#include "convert/registry.h"
#include "convert/runtime_assert.h"

namespace oarlock {
namespace {

// ---- batch norm ----

Value constant_per_channel(NodeContext& n, Value like, double value) {
  auto channels = require_unrollable_size(n, n.dim(like, 0), "the number of channels");
  return n.vector(Floats(channels, value), n.require_known_dtype(like));
}

Value mean_of_squares(NodeContext& n, Value centered, const Ints& axes, bool keep) {
  return reduce(n, "ReduceMean", n.emit("Mul", {centered, centered}), axes, keep);
}

struct Moments {
  Value mean, variance;
};

// The mean and variance of each channel over the batch, by which batch normalization normalizes in
// training mode.
Moments batch_moments(NodeContext& n, Value x, int rank) {
  n.require(rank >= 2, "has no channels");
  Ints axes = all_axes(rank);
  axes.erase(axes.begin() + 1);
  auto centered = n.emit("Sub", {x, reduce(n, "ReduceMean", x, axes, true)});
  return {reduce(n, "ReduceMean", x, axes, false), mean_of_squares(n, centered, axes, false)};
}

Value emit_running_average(NodeContext& n, Value old, Value now, float momentum) {
  return n.emit("Add", {n.emit("Mul", {old, n.scalar_like(momentum, old)}),
                        n.emit("Mul", {now, n.scalar_like(1 - double{momentum}, old)})});
}

void batch_norm(NodeContext& n) {
  bool last = is_channels_last(n, "data_layout") && n.rank(n.input("X")) != 2;
  auto x = move_channels_first_if(n, n.input("X"), last), mean = n.input("Mean"),
       variance = n.input("Variance");
  auto scale = n.has_input("Scale") ? n.input("Scale") : constant_per_channel(n, mean, 1);
  auto bias = n.has_input("Bias") ? n.input("Bias") : constant_per_channel(n, mean, 0);
  bool use_running_moments = n.attr("is_test", false) ? !n.attr("trainable_statistics", false)
                                                      : n.attr("use_global_stats", false);
  Moments moments =
      use_running_moments ? Moments{mean, variance} : batch_moments(n, x, n.require_known_rank(x));
  auto y = n.emit("BatchNormalization", {x, scale, bias, moments.mean, moments.variance},
                  {{"epsilon", n.attr("epsilon", 1e-5f)}});
  n.set_output("Y", move_channels_last_if(n, y, last));
  auto momentum = n.attr("momentum", 0.9f);
  n.set_output("MeanOut",
               use_running_moments ? mean : emit_running_average(n, mean, moments.mean, momentum));
  n.set_output("VarianceOut", use_running_moments
                                  ? variance
                                  : emit_running_average(n, variance, moments.variance, momentum));
}

// ---- layer norm ----

Value standardize_over_axes(NodeContext& n, Value x, const Ints& axes, float epsilon) {
  auto centered = n.emit("Sub", {x, reduce(n, "ReduceMean", x, axes, true)});
  auto wide = n.emit("Add", {mean_of_squares(n, centered, axes, true), n.scalar_like(epsilon, x)});
  return n.emit("Div", {centered, n.emit("Sqrt", {wide})});
}

Value scale_and_shift(NodeContext& n, Value v, Value scale, Value bias) {
  if (scale) v = n.emit("Mul", {v, scale});
  return bias ? n.emit("Add", {v, bias}) : v;
}

// The optional input in `slot` (a flat scale or bias), reshaped to the dims of `x` from `begin` on;
// Value{} if there is none.
Value reshape_optional_input_to_trailing_dims(NodeContext& n, std::string_view slot, Value x,
                                              std::int64_t begin) {
  if (!n.has_input(slot)) return {};
  auto v = n.cast(n.input(slot), n.require_known_dtype(x));
  Ints shape = *n.shape(x), dims(shape.begin() + begin, shape.end());
  if (dims.size() == 1 && n.rank(v) == 1) return v;
  if (std::count(dims.begin(), dims.end(), -1) <= 1) return n.reshape(v, dims);
  return n.emit("Reshape", {v, n.slice(n.emit_shape(x), {begin}, {n.rank(x)}, {0})});
}

void layer_norm(NodeContext& n) {
  auto x = n.input("X");
  int rank = n.require_known_rank(x);
  auto begin = n.normalized_axis_attr("begin_norm_axis", 1, rank);
  auto epsilon = n.attr("epsilon", 1e-5f);
  auto scale = reshape_optional_input_to_trailing_dims(n, "Scale", x, begin),
       bias = reshape_optional_input_to_trailing_dims(n, "Bias", x, begin);
  if (n.opset() >= 17 && scale) {
    Values in{x, scale};
    if (bias) in.push_back(bias);
    return n.set_output("Y",
                        n.emit("LayerNormalization", in, {{"axis", begin}, {"epsilon", epsilon}}));
  }
  Ints axes = all_axes(rank);
  axes.erase(axes.begin(), axes.begin() + begin);
  n.set_output("Y", scale_and_shift(n, standardize_over_axes(n, x, axes, epsilon), scale, bias));
}

// ---- instance and group norm ----

// [N,C,...] -> every (sample, channel) normalized
Value emit_instance_norm(NodeContext& n, Value x, Value scale, Value bias, float epsilon) {
  if (n.dtype(x) != DType::float64)  // the kernel crashes for empty channels
    return n.emit("InstanceNormalization", {assert_nonempty_except_axis(n, x), scale, bias},
                  {{"epsilon", epsilon}});
  int rank = n.require_known_rank(x);
  n.require(rank >= 2, "has no channels");
  Ints axes = all_axes(rank);
  axes.erase(axes.begin(), axes.begin() + 2);
  return scale_and_shift(n, standardize_over_axes(n, x, axes, epsilon),
                         unsqueeze_channel_vector(n, scale, rank),
                         unsqueeze_channel_vector(n, bias, rank));
}

Value read_channel_vector_or_default(NodeContext& n, std::string_view slot, std::int64_t channels,
                                     double default_value, DType dtype) {
  if (n.has_input(slot)) return n.cast(n.input(slot), dtype);
  n.require(channels > 0, "needs a known number of channels");
  return n.vector(
      Floats(require_unrollable_size(n, channels, "the number of channels"), default_value), dtype);
}

void instance_norm(NodeContext& n) {
  auto x = n.input("X");
  auto dtype = n.require_known_dtype(x);
  auto scale = read_channel_vector_or_default(n, "Scale", n.dim(x, 1), 1, dtype),
       bias = read_channel_vector_or_default(n, "Bias", n.dim(x, 1), 0, dtype);
  n.set_output("Y", emit_instance_norm(n, x, scale, bias, n.attr("epsilon", 1e-5f)));
}

// Group normalization: each group is normalized like one channel.
void group_norm(NodeContext& n) {
  bool last = is_channels_last(n, "data_layout");
  auto x = move_channels_first_if(n, n.input("X"), last);
  int rank = n.require_known_rank(x);
  auto groups = n.attr("groups", -1);
  auto dtype = n.require_known_dtype(x);
  auto count = require_unrollable_size(n, groups, "attribute 'groups'");
  auto ones = n.vector(Floats(count, 1), dtype), zeros = n.vector(Floats(count, 0), dtype);
  auto y =
      emit_instance_norm(n, n.reshape(x, {0, groups, -1}), ones, zeros, n.attr("epsilon", 1e-5f));
  y = reshape_like(n, y, x);
  auto channelwise = [&](std::string_view slot) {
    return n.has_input(slot) ? unsqueeze_channel_vector(n, n.cast(n.input(slot), dtype), rank)
                             : Value();
  };
  n.set_output("Y", move_channels_last_if(
                        n, scale_and_shift(n, y, channelwise("Scale"), channelwise("Bias")), last));
}

// ---- dropout ----

// In training, kept elements are scaled up.  At inference, all elements are scaled by 1 -
// dropout_prob, unless training already compensates (`upscale_in_train`).
void dropout(NodeContext& n) {
  auto x = n.input("X");
  bool upscale_in_train =
           n.attr("dropout_implementation", "downgrade_in_infer") == "upscale_in_train",
       test = n.attr("is_test", false);
  if (test && upscale_in_train) return n.set_output("Out", x);
  auto variable = n.value_of_variable_attr_or_empty("dropout_prob");
  auto dtype = n.require_known_dtype(x);
  auto p = variable ? n.cast(as_scalar(n, variable), dtype)
                    : n.scalar(n.attr("dropout_prob", 0.5f), dtype);
  auto keep_prob = n.emit("Sub", {n.scalar(1, dtype), p});
  if (test) return n.set_output("Out", n.emit("Mul", {x, keep_prob}));
  n.require_opset(12);
  if (!variable && n.attr("dropout_prob", 0.5f) >= 1)
    return n.set_output("Out", n.emit("Expand", {n.scalar(0, dtype), n.emit_shape(x)}));
  auto results = n.emit_multi_output(2, "Dropout",
                                     {x, n.cast(p, DType::float32), n.scalar(1, DType::boolean)});
  n.declare_type(results[0], dtype, n.shape(x));
  n.declare_type(results[1], DType::boolean, n.shape(x));
  n.set_output("Out", upscale_in_train ? results[0] : n.emit("Mul", {results[0], keep_prob}));
  n.set_output("Mask", n.cast(results[1], DType::uint8));
}

}  // namespace

std::span<const Rule> normalization_and_dropout_rules() {
  static const Rule rules[] = {
      {"batch_norm", 9, batch_norm}, {"sync_batch_norm", 9, batch_norm},
      {"layer_norm", 7, layer_norm}, {"instance_norm", 7, instance_norm},
      {"group_norm", 7, group_norm}, {"dropout", 7, dropout},
  };
  return rules;
}

}  // namespace oarlock
