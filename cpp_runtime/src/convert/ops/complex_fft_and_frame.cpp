// Complex numbers. ONNX Runtime has no complex dtypes: a complex tensor is two real values in the
// converter, and a real tensor with a last axis of size 2 at graph inputs and outputs.
#include <algorithm>

#include "convert/expression.h"
#include "convert/graph_builder.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

struct Complex {
  Expr re, im;
};

// The real and imaginary parts of a value; `im` of a real value is empty.
Complex complex_parts_of(NodeContext& n, Value v) {
  auto parts = n.find_complex_parts(v);
  return parts ? Complex{{n, parts->first}, {n, parts->second}} : Complex{{n, v}, {n, {}}};
}
Complex complex_input(NodeContext& n, std::string_view slot) {
  return complex_parts_of(n, n.input(slot));
}
bool is_real(const Complex& x) { return !x.im.value(); }

void set_complex_output(NodeContext& n, const Expr& re, const Expr& im) {
  n.set_output("Out", n.make_complex_value_outside_graph(re, im));
}
void set_complex_output(NodeContext& n, const Complex& x) { set_complex_output(n, x.re, x.im); }

// Zeros in the shape of `x`; not computed as `x - x`, which is NaN for infinite elements.
Expr zeros_like(const Expr& x) { return full_like(x, 0, x.emit("Shape")); }

// ---- conversion ----

void as_complex(NodeContext& n) { n.set_output("Out", n.as_complex(n.input("X"))); }
void as_real(NodeContext& n) { n.set_output("Out", n.as_real(n.input("X"))); }

void complex(NodeContext& n) {
  auto x = input_expr(n, "X"), y = input_expr(n, "Y");
  if (n.shape(x) == n.shape(y) && n.shape(x)) return set_complex_output(n, x, y);
  set_complex_output(n, x + zeros_like(y), y + zeros_like(x));
}

void conj(NodeContext& n) {
  auto x = complex_input(n, "X");
  set_complex_output(n, x.re, -x.im);
}

void lower_complex_abs_op(NodeContext& n) {
  auto x = complex_input(n, "X");
  n.set_output("Out", sqrt(x.re * x.re + x.im * x.im));
}

void lower_complex_exp_op(NodeContext& n) {
  auto x = complex_input(n, "X");
  auto size = exp(x.re);
  set_complex_output(n, size * cos(x.im), size * sin(x.im));
}

void lower_complex_shape_op(NodeContext& n) {
  n.set_output("Out", n.cast(n.emit_shape(complex_input(n, "Input").re), DType::int32));
}

void lower_complex_angle_op(NodeContext& n) {
  auto x = complex_input(n, "X");
  n.set_output("Out", polar_angle(x.im, x.re));
}

void lower_complex_cast_op(NodeContext& n) {
  auto to = n.attr("out_dtype", n.declared_output_dtype());
  auto x = complex_input(n, "X");
  if (is_complex(to))
    return set_complex_output(n, x.re.to(complex_part_dtype(to)), x.im.to(complex_part_dtype(to)));
  if (to == DType::boolean && !is_real(x))
    return n.set_output("Out", n.emit("Or", {x.re.to(to), x.im.to(to)}));
  n.set_output("Out", x.re.to(to));
}

// ---- arithmetic ----

Complex multiply(const Complex& x, const Complex& y) {
  if (is_real(x)) return {x.re * y.re, x.re * y.im};
  if (is_real(y)) return {x.re * y.re, x.im * y.re};
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

Complex divide(const Complex& x, const Complex& y) {
  if (is_real(y)) return {x.re / y.re, x.im / y.re};
  auto size = y.re * y.re + y.im * y.im;
  auto numerator = multiply(x, {y.re, -y.im});
  return {numerator.re / size, numerator.im / size};
}

// x + y, or x - y if `sign` is negative; missing imaginary parts are zeros that broadcast.
Complex add_or_subtract(const Complex& x, const Complex& y, double sign) {
  auto signed_im = [&] { return sign < 0 ? -y.im : y.im; };
  auto re = sign < 0 ? x.re - y.re : x.re + y.re;
  if (is_real(y)) return {re, x.im + zeros_like(y.re)};
  if (is_real(x)) return {re, signed_im() + zeros_like(x.re)};
  return {re, sign < 0 ? x.im - y.im : x.im + y.im};
}

LowerFn complex_arithmetic_rule(Complex (*f)(const Complex&, const Complex&)) {
  return [f](NodeContext& n) {
    auto [x, y] = read_operands_aligned_by_axis_attr(n);
    set_complex_output(n, f(complex_parts_of(n, x), complex_parts_of(n, y)));
  };
}

void lower_complex_scale_op(NodeContext& n) {
  auto x = complex_input(n, "X");
  double by = n.attr("scale", 1.0f), more = n.attr("bias", 0.0f);
  n.require(!n.has_input("ScaleTensor"),
            "a factor that is a tensor has no lowering for complex numbers");
  bool after = n.attr("bias_after_scale", true);
  set_complex_output(n, x.re * by + (after ? more : more * by), x.im * by);
}

void lower_complex_matmul_op(NodeContext& n) {
  auto side = [&](std::string_view slot, std::string_view flag) {
    auto x = complex_input(n, slot);
    if (!n.attr(flag, false) || n.rank(x.re) == 1) return x;
    auto swap = [&](const Expr& v) { return v.value() ? Expr(n, n.swap_last_axes(v)) : v; };
    return Complex{swap(x.re), swap(x.im)};
  };
  auto x = side("X", "trans_x"), y = side("Y", "trans_y");
  auto product = [&](const Expr& a, const Expr& b) { return a.emit("MatMul", {b}); };
  if (is_real(x)) return set_complex_output(n, product(x.re, y.re), product(x.re, y.im));
  if (is_real(y)) return set_complex_output(n, product(x.re, y.re), product(x.im, y.re));
  set_complex_output(n, product(x.re, y.re) - product(x.im, y.im),
                     product(x.re, y.im) + product(x.im, y.re));
}

// ---- Fourier transforms ----

// Scales the result of ONNX's DFT, which divides by the size in the inverse transform only, as
// `norm` requires.
Complex normalize_dft(NodeContext& n, const Complex& x, Value size, const std::string& norm,
                      bool forward) {
  if (norm == "backward") return x;
  Expr count = Expr(n, as_scalar(n, size)).to(n.require_known_dtype(x.re));
  auto by = norm == "ortho" ? sqrt(count) : count;
  return forward ? Complex{x.re / by, x.im / by} : Complex{x.re * by, x.im * by};
}

// Transforms one axis. pairs: [..., 2], or [..., 1] for real numbers
Value emit_dft(NodeContext& n, Value pairs, std::int64_t axis, bool forward,
               bool onesided = false) {
  NodeContext::Attrs attrs{{"inverse", std::int64_t{!forward}},
                           {"onesided", std::int64_t{onesided}}};
  if (n.opset() < 20) {
    attrs.emplace_back("axis", axis);
    return n.emit("DFT", {pairs}, attrs);
  }
  return n.emit("DFT", {pairs, {}, n.int64_scalar(axis)}, attrs);
}

Complex fourier_transform_complex_along_axis(NodeContext& n, const Complex& x, std::int64_t axis,
                                             bool forward, const std::string& norm) {
  auto shape = n.shape(x.re);
  auto size = dim_as_vector(n, x.re, axis);
  auto result = complex_parts_of(
      n, n.as_complex(emit_dft(n, n.as_real(n.make_complex_value_outside_graph(x.re, x.im)), axis,
                               forward)));
  n.declare_type(result.re, n.dtype(x.re), shape);
  n.declare_type(result.im, n.dtype(x.re), shape);
  return normalize_dft(n, result, size, norm, forward);
}

struct FourierOptions {
  Ints axes;
  std::string normalization;
  bool forward;
};

FourierOptions read_fourier_options(NodeContext& n, int rank) {
  n.require(rank > 0, "has no axis to transform");
  FourierOptions f{n.attr("axes", Ints{}), n.attr("normalization", "backward"),
                   n.attr("forward", true)};
  n.require(!f.axes.empty(), "attribute 'axes' is empty");
  for (auto& axis : f.axes) axis = normalize_sort_and_deduplicate_axes(n, {axis}, rank)[0];
  return f;
}

void fft_c2c(NodeContext& n) {
  auto x = complex_input(n, "X");
  auto f = read_fourier_options(n, n.require_known_rank(x.re));
  for (auto axis : f.axes)
    x = fourier_transform_complex_along_axis(n, x, axis, f.forward, f.normalization);
  set_complex_output(n, x);
}

// The inverse transform of a real value is the conjugate of the forward one, divided by the size.
Complex fourier_transform_real_along_axis(NodeContext& n, const Expr& x, std::int64_t axis,
                                          const FourierOptions& f) {
  bool onesided = n.attr("onesided", true);
  auto last = n.require_known_rank(x);
  auto result =
      complex_parts_of(n, n.as_complex(emit_dft(n, n.unsqueeze(x, {last}), axis, true, onesided)));
  auto shape = n.shape(x);
  auto& size = (*shape)[static_cast<std::size_t>(axis)];
  if (onesided && size >= 0) size = size / 2 + 1;
  n.declare_type(result.re, n.dtype(x), shape);
  n.declare_type(result.im, n.dtype(x), shape);
  auto norm = f.forward || f.normalization == "ortho" ? f.normalization
              : f.normalization == "backward"         ? "forward"
                                                      : "backward";
  result = normalize_dft(n, result, dim_as_vector(n, x, axis), norm, true);
  return f.forward ? result : Complex{result.re, -result.im};
}

void fft_r2c(NodeContext& n) {
  Expr x = input_expr(n, "X");
  auto f = read_fourier_options(n, n.require_known_rank(x));
  auto last = f.axes.back();
  f.axes.pop_back();
  auto y = fourier_transform_real_along_axis(n, x, last, f);
  for (auto axis : f.axes)
    y = fourier_transform_complex_along_axis(n, y, axis, f.forward, f.normalization);
  set_complex_output(n, y);
}

// Restores the full spectrum from its first half: the second half is the reversed conjugate of the
// first; for even sizes the middle entry occurs once.
Complex restore_full_spectrum(NodeContext& n, const Complex& x, std::int64_t axis,
                              std::int64_t size) {
  constexpr std::int64_t before_all = -(std::int64_t{1} << 40);
  bool even = size % 2 == 0;
  if (size == 1) return x;
  auto mirrored = [&](const Expr& v) {
    auto inner = n.slice(v, {1}, {even ? -1 : -before_all}, {axis});
    return Expr(n, n.slice(inner, {-1}, {before_all}, {axis}, {-1}));
  };
  return {{n, n.concat({x.re, mirrored(x.re)}, axis)},
          {n, n.concat({x.im, -mirrored(x.im)}, axis)}};
}

Complex slice_first_entries(NodeContext& n, const Complex& x, std::int64_t axis,
                            std::int64_t count) {
  auto cut = [&](const Expr& v) { return Expr(n, n.slice(v, {0}, {count}, {axis})); };
  return {cut(x.re), cut(x.im)};
}

void fft_c2r(NodeContext& n) {
  auto x = complex_input(n, "X");
  auto f = read_fourier_options(n, n.require_known_rank(x.re));
  auto last = f.axes.back();
  auto size = n.attr("last_dim_size", 0), half = n.dim(x.re, last);
  n.require(size >= 0, "attribute 'last_dim_size' is negative");
  n.require(half < 0 || size == 0 || half >= size / 2 + 1,
            "'last_dim_size' does not come from so few elements");
  if (size != 0 && half != size / 2 + 1) x = slice_first_entries(n, x, last, size / 2 + 1);
  if (f.forward) {  // the conjugate's transform, with inverted normalization
    x.im = -x.im;
    f.normalization = f.normalization == "backward"  ? "forward"
                      : f.normalization == "forward" ? "backward"
                                                     : "ortho";
  }
  f.axes.pop_back();
  for (auto axis : f.axes)
    x = fourier_transform_complex_along_axis(n, x, axis, false, f.normalization);
  n.set_output("Out", fourier_transform_complex_along_axis(
                          n, restore_full_spectrum(n, x, last, size), last, false, f.normalization)
                          .re);
}

// ---- frames ----

// The positions of frame elements: int64[L, F], or [F, L]
Value frame_positions(NodeContext& n, Value length, Value count, std::int64_t hop,
                      bool frames_first) {
  Expr inside(n, n.unsqueeze(arange(n, length), {frames_first ? 0 : 1}));
  Expr starts(n, n.unsqueeze(arange(n, count), {frames_first ? 1 : 0}));
  return inside + starts * static_cast<double>(hop);
}

std::int64_t require_unrollable_size_attr(NodeContext& n, std::string_view name) {
  return static_cast<std::int64_t>(
      require_unrollable_size(n, n.attr(name, 0), "attribute '" + std::string(name) + "'"));
}

// Whether frames are along the first axis (axis=0) instead of the last one (axis=-1).
bool has_frames_first(const NodeContext& n) {
  auto axis = n.attr("axis", -1);
  n.require(axis == 0 || axis == -1, "axis=" + std::to_string(axis) + " is neither 0 nor -1");
  return axis == 0;
}

void frame(NodeContext& n) {
  auto x = n.input("X");
  auto length = require_unrollable_size_attr(n, "frame_length"),
       hop = require_unrollable_size_attr(n, "hop_length");
  bool first = has_frames_first(n);
  std::int64_t axis = first ? 0 : n.require_known_rank(x) - 1;
  auto count = (Expr(n, dim_as_vector(n, x, axis)) - static_cast<double>(length)) /
                   static_cast<double>(hop) +
               1;
  n.set_output(
      "Out", n.emit("Gather", {x, frame_positions(n, n.int64_vector({length}), count, hop, first)},
                    {{"axis", axis}}));
}

void overlap_add(NodeContext& n) {
  auto x = n.input("X");
  auto hop = require_unrollable_size_attr(n, "hop_length");
  bool first = has_frames_first(n);
  auto rank = n.require_known_rank(x);
  n.require(rank >= 2, "has no frames");
  auto length = dim_as_vector(n, x, first ? 1 : rank - 2),
       count = dim_as_vector(n, x, first ? 0 : rank - 1);
  auto size = (Expr(n, count) - 1) * static_cast<double>(hop) + Expr(n, length);
  auto at =
      n.emit("Reshape", {frame_positions(n, length, count, hop, first), n.int64_vector({-1, 1})});
  auto merged = first ? n.slice(n.emit_shape(x), {2}, {rank}, {0})
                      : n.slice(n.emit_shape(x), {0}, {rank - 2}, {0});
  auto rows = n.concat(
      first ? Values{n.int64_vector({-1}), merged} : Values{merged, n.int64_vector({-1})}, 0);
  auto flat = n.emit("Reshape", {x, rows});
  Ints to_front = all_axes(rank - 1), back = to_front;
  std::rotate(to_front.begin(), to_front.end() - 1, to_front.end());
  std::rotate(back.begin(), back.begin() + 1, back.end());
  n.declare_type(flat, n.dtype(x), Ints(static_cast<std::size_t>(rank - 1), -1));
  if (!first) flat = n.transpose(flat, to_front);
  auto zeros =
      n.emit("Expand", {n.scalar(0, n.require_known_dtype(x)), n.concat({size, merged}, 0)});
  auto sum = n.emit("ScatterND", {zeros, at, flat}, {{"reduction", std::string("add")}});
  n.declare_type(sum, n.dtype(x), Ints(static_cast<std::size_t>(rank - 1), -1));
  n.set_output("Out", first ? sum : n.transpose(sum, back));
}

// Converts a linear op of complex tensors: once for the real parts and once for the imaginary
// parts.
void lower_linear_op_by_complex_part(NodeContext& n) { n.lower_each_complex_part(); }

void lower_complex_pad_op(NodeContext& n) {
  n.require(n.attr("pad_value", 0.0f) == 0, "pads complex numbers with zeros only");
  lower_linear_op_by_complex_part(n);
}

}  // namespace

std::span<const Rule> complex_from_real_fft_and_frame_rules() {
  static const Rule rules[] = {
      {"as_complex", 7, as_complex}, {"complex", 7, complex},          {"fft_r2c", 17, fft_r2c},
      {"frame", 11, frame},          {"overlap_add", 16, overlap_add},
  };
  return rules;
}

std::span<const Rule> complex_operand_rules() {
  static const Rule rules[] = {
      {"as_real", 7, as_real},
      {"real", 7, [](NodeContext& n) { n.set_output("Out", complex_input(n, "X").re); }},
      {"imag", 7, [](NodeContext& n) { n.set_output("Out", complex_input(n, "X").im); }},
      {"conj", 7, conj},
      {"abs", 7, lower_complex_abs_op},
      {"angle", 9, lower_complex_angle_op},
      {"cast", 7, lower_complex_cast_op},
      {"exp", 7, lower_complex_exp_op},
      {"shape", 7, lower_complex_shape_op},
      {"scale", 7, lower_complex_scale_op},
      {"elementwise_add", 7,
       complex_arithmetic_rule([](auto& x, auto& y) { return add_or_subtract(x, y, 1); })},
      {"elementwise_sub", 7,
       complex_arithmetic_rule([](auto& x, auto& y) { return add_or_subtract(x, y, -1); })},
      {"elementwise_mul", 7, complex_arithmetic_rule(multiply)},
      {"elementwise_div", 7, complex_arithmetic_rule(divide)},
      {"matmul_v2", 9, lower_complex_matmul_op},
      {"fft_c2c", 17, fft_c2c},
      {"fft_c2r", 17, fft_c2r},
      {"assign", 7, lower_linear_op_by_complex_part},
      {"concat", 7, lower_linear_op_by_complex_part},
      {"cumsum", 11, lower_linear_op_by_complex_part},
      {"expand_v2", 8, lower_linear_op_by_complex_part},
      {"flatten_contiguous_range", 7, lower_linear_op_by_complex_part},
      {"flip", 10, lower_linear_op_by_complex_part},
      {"gather", 7, lower_linear_op_by_complex_part},
      {"gather_nd", 11, lower_linear_op_by_complex_part},
      {"index_select", 7, lower_linear_op_by_complex_part},
      {"mean", 7, lower_linear_op_by_complex_part},
      {"pad", 7, lower_complex_pad_op},
      {"reduce_mean", 7, lower_linear_op_by_complex_part},
      {"reduce_sum", 7, lower_linear_op_by_complex_part},
      {"reshape2", 7, lower_linear_op_by_complex_part},
      {"roll", 10, lower_linear_op_by_complex_part},
      {"slice", 7, lower_linear_op_by_complex_part},
      {"split", 7, lower_linear_op_by_complex_part},
      {"squeeze2", 7, lower_linear_op_by_complex_part},
      {"stack", 7, lower_linear_op_by_complex_part},
      {"strided_slice", 10, lower_linear_op_by_complex_part},
      {"sum", 7, lower_linear_op_by_complex_part},
      {"tile", 7, lower_linear_op_by_complex_part},
      {"transpose2", 7, lower_linear_op_by_complex_part},
      {"unbind", 7, lower_linear_op_by_complex_part},
      {"unsqueeze2", 7, lower_linear_op_by_complex_part},
      {"unstack", 7, lower_linear_op_by_complex_part},
  };
  return rules;
}

}  // namespace oarlock
