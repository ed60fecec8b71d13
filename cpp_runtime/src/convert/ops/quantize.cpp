// Quantisation, which Paddle simulates by whole numbers kept as floats.  With eight bits it becomes
// QuantizeLinear and DequantizeLinear, which engines recognise and compute in eight bits; with
// others it stays what it is.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// bits: of a whole number; axis: which one has a scale per slice, -1 for one scale; clips: whether
// -2^(bits-1) is left out.
struct Format {
  std::int64_t bits, axis;
  bool clips;

  double most() const { return static_cast<double>((std::int64_t{1} << (bits - 1)) - 1); }
};

Format format_of(Node& n, std::int64_t bits, std::int64_t axis, bool clips) {
  n.require(bits > 1 && bits <= 16, "the number of bits is " + std::to_string(bits));
  return {bits, axis, clips};
}

Format read_format(Node& n, std::int64_t axis, bool clips) {
  return format_of(n, n.attr("bit_length", 8), axis, clips);
}

bool eight_bits(Node& n, const Value& x, const Format& format) {
  return format.bits == 8 && n.need_dtype(x) == DType::float32;
}

// One scale, or one per slice along the axis as it broadcasts against x.
Expr spread(const Expr& scale, const Expr& x, const Format& format) {
  Node& n = scale.node();
  if (format.axis < 0) return {n, as_scalar(n, scale)};
  n.require(format.axis < n.need_rank(x), "there is no axis " + std::to_string(format.axis));
  Ints ones(static_cast<std::size_t>(n.need_rank(x)), 1);
  ones[static_cast<std::size_t>(format.axis)] = -1;
  return {n, n.reshape(scale, ones)};
}

constexpr double kLeast = 1e-30;  // a scale of 0 gives zeros

// The floats of a weight.
std::optional<std::vector<float>> floats_of(const Node& n, const Value& v) {
  auto content = n.constant(v);
  if (!content || content->dtype != DType::float32) return std::nullopt;
  std::vector<float> values(content->bytes.size() / sizeof(float));
  std::memcpy(values.data(), content->bytes.data(), content->bytes.size());
  return values;
}

// Engines want it to be a constant.
std::optional<Value> known_step(Node& n, const Value& scale, const Format& format) {
  auto values = floats_of(n, scale);
  if (!values || (format.axis < 0 && values->size() != 1)) return std::nullopt;
  Floats steps;
  for (float s : *values) steps.push_back(std::max(static_cast<double>(s), kLeast) / format.most());
  return format.axis < 0 ? n.scalar(steps[0], DType::float32) : n.floats(steps, DType::float32);
}

// What QuantizeLinear divides by: a scalar, or a vector for its attribute `axis`.
Expr step(const Expr& scale, const Format& format) {
  Node& n = scale.node();
  if (auto known = known_step(n, scale, format)) return {n, *known};
  Expr flat(n, format.axis < 0 ? as_scalar(n, scale) : n.reshape(scale, {-1}));
  return max(flat, kLeast) / format.most();
}

Node::Attrs along(const Format& format) {
  return format.axis < 0 ? Node::Attrs{} : Node::Attrs{{"axis", format.axis}};
}

Value zero_point(Node& n, const Expr& step) {
  auto shape = n.shape(step);
  bool known = shape && std::count(shape->begin(), shape->end(), -1) == 0;
  if (known) {
    auto count = shape->empty() ? 1
                                : written_size(n, std::max<std::int64_t>((*shape)[0], 1),
                                               "the number of scales");
    return n.tensor({DType::int8, *shape, std::string(count, '\0')});
  }
  return n.emit("Expand", {n.tensor({DType::int8, {}, std::string(1, '\0')}), n.shape_of(step)});
}

Expr clipped(const Expr& x, const Expr& scale) { return max(min(x, scale), -scale); }

// Whole numbers, kept as floats; the eight-bit ones are remembered behind them.
Expr quantized(const Expr& x, const Expr& scale, const Format& format) {
  Node& n = x.node();
  auto wide = spread(scale, x, format);
  auto inside = format.clips ? clipped(x, wide) : x;
  if (!eight_bits(n, x, format)) {
    auto whole = inside * (format.most() / max(wide, kLeast));
    if (format.clips) return round_half_away(whole);
    return max(min(whole.emit("Round"), format.most()), -format.most() - 1);
  }
  auto by = step(scale, format);
  Expr small(n, n.emit("QuantizeLinear", {inside, by, zero_point(n, by)}, along(format)));
  n.declare(small, DType::int8, n.shape(x));
  auto whole = small.to(DType::float32);
  n.remember_int8(whole, small);
  return whole;
}

// A weight that holds whole numbers of eight bits, as such.
std::optional<Value> int8_weight(Node& n, const Value& x) {
  auto values = floats_of(n, x);
  if (!values) return std::nullopt;
  bool whole = std::all_of(values->begin(), values->end(),
                           [](float v) { return v >= -128 && v <= 127 && v == std::nearbyint(v); });
  return whole ? std::optional(n.cast(x, DType::int8)) : std::nullopt;
}

std::optional<Value> int8_of(Node& n, const Value& x) {
  if (n.dtype(x) == DType::int8) return x;
  auto small = n.remembered_int8(x);
  return small ? small : int8_weight(n, x);
}

Expr dequantized(const Expr& x, const Expr& scale, const Format& format) {
  Node& n = x.node();
  auto small = format.bits == 8 ? int8_of(n, x) : std::nullopt;
  if (!small || n.need_dtype(scale) != DType::float32)
    return x.to(n.need_dtype(scale)) * spread(scale, x, format) / format.most();
  auto by = step(scale, format);
  Expr y(n, n.emit("DequantizeLinear", {*small, by, zero_point(n, by)}, along(format)));
  n.declare(y, DType::float32, n.shape(x));
  return y;
}

// ---- the newer pair ----

Format linear_format(Node& n, const Value& x) {
  auto axis = n.attr("quant_axis", 0);
  if (axis >= 0)
    n.require(axis < n.need_rank(x), "attribute 'quant_axis' is " + std::to_string(axis));
  n.require(axis < 0 || n.opset() >= 13, "one scale per slice needs opset 13");
  return read_format(n, std::max<std::int64_t>(axis, -1), n.attr("round_type", 0) == 1);
}

Lower linear(Expr (*f)(const Expr&, const Expr&, const Format&)) {
  return [f](Node& n) {
    auto x = in(n, "X");
    if (n.attr("only_observer", false)) return n.out("Y", x);
    n.out("Y", f(x, in(n, "Scale"), linear_format(n, x)));
  };
}

// ---- the older ones: quantised, or quantised and back, by a scale that was learned or is the
// largest size ----

Expr largest(const Expr& x, std::int64_t axis) {
  Node& n = x.node();
  Ints axes;
  if (axis >= 0) axes = axes_but(n, n.need_rank(x), axis);
  return {n, n.reshape(reduce(n, "ReduceMax", abs(x), axes, false), {-1})};
}

void give(Node& n, const Expr& x, const Expr& scale, const Format& format, bool back) {
  auto whole = quantized(x, scale, format);
  n.out("Out", back ? dequantized(whole, scale, format) : whole);
  n.out("OutScale", scale);
}

Lower by_largest(bool back) {
  return [back](Node& n) {
    auto x = in(n, "X");
    auto format = read_format(n, -1, true);
    give(n, x, largest(x, -1), format, back);
  };
}

Lower by_largest_of_slices(bool back) {
  return [back](Node& n) {
    auto x = in(n, "X");
    n.require(n.need_rank(x) > 0, "has no slices");
    auto axis = n.axis("quant_axis", 0, n.rank(x));
    give(n, x, largest(x, axis), read_format(n, axis, true), back);
  };
}

Lower by_learned(bool back) {
  return [back](Node& n) {
    n.require(n.attr("is_test", false), "in training mode has no lowering");
    give(n, in(n, "X"), in(n, "InScale"), read_format(n, -1, true), back);
  };
}

void observe(Node& n) {
  n.require(n.attr("is_test", false), "in training mode has no lowering");
  n.out("Out", n.in("X"));
}

void dequantize_max_abs(Node& n) {
  auto x = in(n, "X");
  auto range = n.attr("max_range", 127.0f);
  if (range == 127) return n.out("Out", dequantized(x, in(n, "Scale"), {8, -1, true}));
  n.out("Out", x * Expr(n, as_scalar(n, n.in("Scale"))) / range);
}

// One scale per slice, and a second one for all where the operand is a product of two.
void dequantize_slices(Node& n) {
  auto x = in(n, "X");
  auto scales = need_values(n, "Scales");
  auto bits = n.attr("quant_bits", Ints{8});
  n.require(n.need_rank(x) > 0, "has no slices");
  n.require(bits.size() >= scales.size() && scales.size() <= 2,
            "needs one number of bits for each of two scales");
  auto first = scales.size() == 1 ? n.axis("quant_axis", 0, n.need_rank(x))
                                  : n.axis("x_num_col_dims", 1, n.need_rank(x));
  auto y = dequantized(x, {n, scales[0]}, format_of(n, bits[0], first, true));
  n.out("Out", scales.size() == 1
                   ? y
                   : y * Expr(n, as_scalar(n, scales[1])) / format_of(n, bits[1], -1, true).most());
}

}  // namespace

std::span<const Rule> quantize_rules() {
  static const Rule rules[] = {
      {"quantize_linear", 11, linear(quantized)},
      {"dequantize_linear", 11, linear(dequantized)},
      {"fake_quantize_abs_max", 11, by_largest(false)},
      {"fake_quantize_dequantize_abs_max", 11, by_largest(true)},
      {"fake_channel_wise_quantize_abs_max", 13, by_largest_of_slices(false)},
      {"fake_channel_wise_quantize_dequantize_abs_max", 13, by_largest_of_slices(true)},
      {"fake_quantize_moving_average_abs_max", 11, by_learned(false)},
      {"fake_quantize_range_abs_max", 11, by_learned(false)},
      {"fake_quantize_dequantize_moving_average_abs_max", 11, by_learned(true)},
      {"moving_average_abs_max_scale", 7, observe},
      {"fake_dequantize_max_abs", 11, dequantize_max_abs},
      {"fake_channel_wise_dequantize_max_abs", 13, dequantize_slices},
  };
  return rules;
}

}  // namespace oarlock
