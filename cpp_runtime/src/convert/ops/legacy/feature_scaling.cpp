// Feature scaling of early models: per channel, by collected statistics, by position.
#include <cmath>

#include "convert/expression.h"
#include "convert/lod_sequences.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

void affine_channel(NodeContext& n) {
  auto x = in(n, "X");
  bool last = channels_last(n, "data_layout") && n.attr("data_layout", "") != "AnyLayout";
  auto channelwise = [&](std::string_view slot) {
    return Expr(n, per_channel(n, n.in(slot), n.require_rank(x), last));
  };
  n.out("Out", x * channelwise("Scale") + channelwise("Bias"));
}

// (x - mean) * scale, both from training statistics.
void data_norm(NodeContext& n) {
  auto x = in(n, "X"), size = in(n, "BatchSize");
  n.require(n.attr("slot_dim", -1) <= 0, "slots have no lowering");
  auto y = (x - in(n, "BatchSum") / size) * sqrt(size / in(n, "BatchSquareSum"));
  bool affine = n.attr("enable_scale_and_shift", false);
  n.out("Y", affine ? y * in(n, "scale_w") + in(n, "bias") : y);
}

// x / (k + alpha * sum of squares over neighboring channels) ** beta; ONNX's alpha is for the whole
// sum.
void lrn(NodeContext& n) {
  auto x = n.in("X");
  bool last = n.attr("data_format", "AnyLayout") == "NHWC";
  auto size = n.attr("n", 5);
  n.require(size > 0 && size % 2 == 1, "attribute 'n' is " + std::to_string(size));
  auto alpha = static_cast<float>(n.attr("alpha", 1e-4f) * static_cast<double>(size));
  NodeContext::Attrs attrs{{"size", size},
                           {"alpha", alpha},
                           {"beta", n.attr("beta", 0.75f)},
                           {"bias", n.attr("k", 2.0f)}};
  n.out("Out", to_channels_last(n, n.emit("LRN", {to_channels_first(n, x, last)}, attrs), last));
}

// The first two columns are counts of shows and clicks: replaced by logarithms or dropped.
void cvm(NodeContext& n) {
  auto x = n.in("X");
  if (!n.attr("use_cvm", true)) return n.out("Y", n.slice(x, {2}, {INT64_MAX}, {1}));
  auto column = [&](std::int64_t at) { return log(Expr(n, n.slice(x, {at}, {at + 1}, {1})) + 1); };
  auto shows = column(0), clicks = column(1) - shows;
  n.out("Y", n.concat({shows, clicks, n.slice(x, {2}, {INT64_MAX}, {1})}, 1));
}

// alpha * x + beta * sines and cosines of the position; the first half of the features are sines.
// X [batch, time, features]
void add_position_encoding(NodeContext& n) {
  auto x = in(n, "X");
  auto features = n.require_rank(x) == 3 ? n.dim(x, 2) : -1;
  auto half = static_cast<std::int64_t>(
      require_unroll_size(n, features < 0 ? -1 : features / 2, "half the number of features"));
  auto dtype = n.require_dtype(x);
  Floats rates;
  for (std::int64_t k = 0; k < half; ++k)
    rates.push_back(std::pow(
        10000.0, half > 1 ? -static_cast<double>(k) / static_cast<double>(half - 1) : -1.0));
  auto places = unsqueeze_last(arange(n, dim_as_scalar(n, x, 1)));
  auto angles = places.to(dtype) * Expr(n, n.floats(rates, dtype));
  Expr waves(n, n.concat({sin(angles), cos(angles)}, 1));
  n.out("Out", x * n.attr("alpha", 1.0f) + waves * n.attr("beta", 1.0f));
}

// Lookahead convolution per feature. x: [batch, time, features], Filter [steps, features]
Expr lookahead_conv(const Expr& x) {
  NodeContext& n = x.node();
  auto filter = n.in("Filter");
  auto steps = static_cast<std::int64_t>(
      require_unroll_size(n, n.dim(filter, 0), "the number of steps ahead"));
  auto features =
      static_cast<std::int64_t>(require_unroll_size(n, n.dim(filter, 1), "the number of features"));
  auto weights = n.unsqueeze(n.transpose(filter, {1, 0}), {1});
  auto found = n.emit("Conv", {n.transpose(x, {0, 2, 1}), weights},
                      {{"group", features}, {"pads", Ints{0, steps - 1}}});
  return {n, n.transpose(found, {0, 2, 1})};
}

void row_conv(NodeContext& n) {
  auto x = in(n, "X");
  if (n.require_rank(x) == 3) return n.out("Out", lookahead_conv(x));
  n.require(n.rank(x) == 2, "needs X [rows, features] or [batch, time, features]");
  auto at = padded_index(input_sequences(n));
  n.out("Out", pack_sequences(lookahead_conv(pad_sequences(x, at)), at.mask));
}

}  // namespace

std::span<const Rule> feature_scaling_rules() {
  static const Rule rules[] = {
      {"affine_channel", 7, affine_channel},
      {"data_norm", 7, data_norm},
      {"lrn", 7, lrn},
      {"cvm", 10, cvm},
      {"add_position_encoding", 11, add_position_encoding},
      {"row_conv", 7, row_conv},
  };
  return rules;
}

}  // namespace oarlock
