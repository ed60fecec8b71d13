// Ops of early models: scaling of features per channel, by collected statistics, by neighboring
// channels (lrn), of click counts (cvm) and by position; and lookahead convolution (row_conv).
#include <cmath>

#include "convert/expression.h"
#include "convert/lod_sequences.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

void affine_channel(NodeContext& n) {
  auto x = input_expr(n, "X");
  bool last = n.attr("data_layout", "AnyLayout") != "NCHW";
  auto along = [&](std::string_view slot) {
    return Expr{n, unsqueeze_channel_vector(n, n.input(slot), n.require_known_rank(x), last)};
  };
  n.set_output("Out", x * along("Scale") + along("Bias"));
}

// (x - mean) * scale, both from training statistics.
void data_norm(NodeContext& n) {
  auto x = input_expr(n, "X"), size = input_expr(n, "BatchSize");
  n.require(n.attr("slot_dim", -1) <= 0, "slots have no lowering");
  auto y = (x - input_expr(n, "BatchSum") / size) * sqrt(size / input_expr(n, "BatchSquareSum"));
  bool affine = n.attr("enable_scale_and_shift", false);
  n.set_output("Y", affine ? y * input_expr(n, "scale_w") + input_expr(n, "bias") : y);
}

// x / (k + alpha * sum of squares over neighboring channels) ** beta; ONNX's alpha is for the whole
// sum.
void lrn(NodeContext& n) {
  auto x = n.input("X");
  bool last = n.attr("data_format", "AnyLayout") == "NHWC";
  auto size = n.attr("n", 5);
  n.require(size > 0 && size % 2 == 1, "attribute 'n' is " + std::to_string(size));
  auto alpha = static_cast<float>(n.attr("alpha", 1e-4f) * static_cast<double>(size));
  NodeContext::Attrs attrs{{"size", size},
                           {"alpha", alpha},
                           {"beta", n.attr("beta", 0.75f)},
                           {"bias", n.attr("k", 2.0f)}};
  n.set_output("Out", move_channels_last_if(
                          n, n.emit("LRN", {move_channels_first_if(n, x, last)}, attrs), last));
}

// The op `cvm`: the first two columns of X count shows and clicks; they are replaced by logarithms,
// or removed if `use_cvm` is false.
void cvm(NodeContext& n) {
  auto x = n.input("X");
  if (!n.attr("use_cvm", true)) return n.set_output("Y", n.slice(x, {2}, {INT64_MAX}, {1}));
  auto column = [&](std::int64_t at) { return log(Expr(n, n.slice(x, {at}, {at + 1}, {1})) + 1); };
  auto shows = column(0), clicks = column(1) - shows;
  n.set_output("Y", n.concat({shows, clicks, n.slice(x, {2}, {INT64_MAX}, {1})}, 1));
}

// alpha * x + beta * sines and cosines of the position; the first half of the features are sines.
// X [batch, time, features]
void add_position_encoding(NodeContext& n) {
  auto x = input_expr(n, "X");
  auto features = n.require_known_rank(x) == 3 ? n.dim(x, 2) : -1;
  auto half = static_cast<std::int64_t>(
      require_unrollable_size(n, features < 0 ? -1 : features / 2, "half the number of features"));
  auto dtype = n.require_known_dtype(x);
  Floats rates;
  for (std::int64_t k = 0; k < half; ++k)
    rates.push_back(std::pow(
        10000.0, half > 1 ? -static_cast<double>(k) / static_cast<double>(half - 1) : -1.0));
  auto positions = unsqueeze_last(arange(n, dim_as_scalar(n, x, 1)));
  auto angles = positions.to(dtype) * Expr(n, n.vector(rates, dtype));
  Expr waves(n, n.concat({sin(angles), cos(angles)}, 1));
  n.set_output("Out", x * n.attr("alpha", 1.0f) + waves * n.attr("beta", 1.0f));
}

// Lookahead convolution per feature. x: [batch, time, features], Filter [steps, features]
Expr emit_lookahead_conv(const Expr& x) {
  NodeContext& n = x.context();
  auto filter = n.input("Filter");
  auto steps = static_cast<std::int64_t>(
      require_unrollable_size(n, n.dim(filter, 0), "the number of steps ahead"));
  auto features = static_cast<std::int64_t>(
      require_unrollable_size(n, n.dim(filter, 1), "the number of features"));
  auto weights = n.unsqueeze(n.transpose(filter, {1, 0}), {1});
  auto convolved = n.emit("Conv", {n.transpose(x, {0, 2, 1}), weights},
                          {{"group", features}, {"pads", Ints{0, steps - 1}}});
  return {n, n.transpose(convolved, {0, 2, 1})};
}

void row_conv(NodeContext& n) {
  auto x = input_expr(n, "X");
  if (n.require_known_rank(x) == 3) return n.set_output("Out", emit_lookahead_conv(x));
  n.require(n.rank(x) == 2, "needs X [rows, features] or [batch, time, features]");
  auto at = emit_padded_row_indices_and_mask(require_input_row_partition(n));
  n.set_output("Out", pack_sequences(emit_lookahead_conv(pad_sequences(x, at)), at.mask));
}

}  // namespace

std::span<const Rule> scaling_lrn_cvm_and_row_conv_rules() {
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
