// Image resizing with Paddle's coordinates.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/ops/conv_pool_geometry.h"
#include "convert/registry.h"
#include "convert/runtime_assert.h"

namespace oarlock {
namespace {

enum class InterpolationMethod { nearest, linear, cubic };

// The target of a resize: one of `sizes`, `scales` and `known_scales` is set.
struct ResizeSizesOrScales {
  Ints image_size, output_size;  // of the input and output image, -1 if unknown
  Value sizes;                   // int64[dims]
  Value scales;                  // float32[dims], computed at run time
  Floats known_scales;           // scales known at conversion time
};

bool are_all_known(const Ints& sizes) { return std::count(sizes.begin(), sizes.end(), -1) == 0; }

// ---- requested sizes ----

// Sets the scales of `r` from the input Scale or from `each`, the scale attributes; sets none if
// there are no positive scales.
void set_scales_from_input_or_attr(NodeContext& n, ResizeSizesOrScales& r, Floats each) {
  auto dims = r.image_size.size();
  if (n.has_input("Scale")) {
    auto one = n.find_constant_scalar(n.input("Scale"));
    if (!one) {
      auto factor = n.reshape(n.cast(n.input("Scale"), DType::float32), {-1});
      r.scales = n.emit("Expand", {factor, n.int64_vector({static_cast<std::int64_t>(dims)})});
      return;
    }
    each = {*one};
  }
  if (each.size() == 1) each.assign(dims, each[0]);
  if (each.empty() || *std::min_element(each.begin(), each.end()) <= 0) return;
  n.require(each.size() == dims, "'scale' does not fit " + std::to_string(dims) + " dims");
  for (double s : each) n.require(s < 1 << 20, "'scale' is " + std::to_string(s));
  r.known_scales = each;
}

std::int64_t scaled_size(std::int64_t size, double scale) {
  return size < 0 ? -1
                  : static_cast<std::int64_t>(static_cast<float>(size) * static_cast<float>(scale));
}

Ints read_output_size_attrs(const NodeContext& n, std::size_t dims) {
  static constexpr std::array names{"out_d", "out_h", "out_w"};
  Ints sizes;
  for (auto i = names.size() - dims; i < names.size(); ++i) {
    sizes.push_back(n.attr(names[i], 0));
    check_int32_size(n, sizes.back(), names[i]);
    n.require(sizes.back() > 0, "neither a size nor a scale is given");
  }
  return sizes;
}

void set_sizes_and_clear_scales(NodeContext& n, ResizeSizesOrScales& r, Value sizes) {
  auto known = n.find_partially_known_ints(sizes);
  n.require(!known || known->size() == r.image_size.size(),
            "the number of sizes differs from the number of image dims");
  r.output_size = known.value_or(Ints(r.image_size.size(), -1));
  auto dims = static_cast<std::int64_t>(r.image_size.size());
  r.sizes = n.shape(sizes) == Ints{dims} ? sizes : n.reshape(sizes, {dims});
  r.scales = {}, r.known_scales.clear();
}

// Reads the target of a resize. Sizes given as tensors take precedence over scales, and scales over
// size attributes.
ResizeSizesOrScales read_resize_sizes_or_scales(NodeContext& n, Value x, const Floats& scale,
                                                bool is_v1) {
  auto shape = *n.shape(x);
  ResizeSizesOrScales r{Ints(shape.begin() + 2, shape.end()), {}, {}, {}, {}};
  set_scales_from_input_or_attr(n, r, scale);
  bool scales = !r.known_scales.empty() || bool(r.scales);
  for (std::size_t i = 0; i < r.image_size.size(); ++i)
    r.output_size.push_back(
        r.known_scales.empty() ? -1 : scaled_size(r.image_size[i], r.known_scales[i]));
  n.require(is_v1 || !scales || !n.has_input("OutSize") || n.has_input("SizeTensor"),
            "a size and a scale at once has no lowering");
  if (n.has_input("OutSize") || n.has_input("SizeTensor"))
    set_sizes_and_clear_scales(n, r, read_int_list_as_vector(n, {"", "OutSize", "SizeTensor"}));
  else if (!scales)
    set_sizes_and_clear_scales(n, r,
                               n.int64_vector(read_output_size_attrs(n, r.image_size.size())));
  return r;
}

// The output sizes, known or computed from the scales at run time: int64[dims].
Value emit_scaled_sizes(NodeContext& n, Value x, const ResizeSizesOrScales& r) {
  if (are_all_known(r.output_size)) return n.int64_vector(r.output_size);
  auto image = n.cast(shape_from_axis(n, x, 2), DType::float32);
  auto larger = n.emit(
      "Mul", {image, r.known_scales.empty() ? r.scales : n.vector(r.known_scales, DType::float32)});
  return n.cast(n.emit("Floor", {larger}), DType::int64);
}

// Replaces scales that are not whole by sizes, because version 1 of the interpolation ops uses a
// scale only to compute sizes.
void use_sizes_unless_scales_are_whole(NodeContext& n, Value x, ResizeSizesOrScales& r) {
  bool whole = std::all_of(r.known_scales.begin(), r.known_scales.end(),
                           [](double s) { return s == std::floor(s); });
  if (r.sizes || (!r.known_scales.empty() && whole)) return;
  set_sizes_and_clear_scales(n, r, emit_scaled_sizes(n, x, r));
}

// ---- nearest neighbor: rounding matters, and ONNX Runtime divides where Paddle multiplies ----

struct NearestRowsOfPaddleAndOnnx {
  Ints paddle, onnx;
};

// A scale that resizes `size` pixels to exactly `out`. The scale is never slightly too small,
// because ONNX's shape inference computes floor(size * scale) in double precision.
float scale_for_exact_size(std::int64_t size, std::int64_t out) {
  float scale = static_cast<float>(out) / static_cast<float>(size);
  while (std::floor(static_cast<double>(size) * scale) < static_cast<double>(out))
    scale = std::nextafter(scale, std::numeric_limits<float>::infinity());
  return scale;
}

NearestRowsOfPaddleAndOnnx nearest_rows_of_paddle_and_onnx(std::int64_t size, std::int64_t out,
                                                           double scale, bool corners) {
  if (out == 1) return {{0}, {0}};
  auto image = static_cast<float>(size), whole = static_cast<float>(out);
  auto by = scale > 0 ? static_cast<float>(scale) : scale_for_exact_size(size, out);
  auto ratio = corners ? (image - 1) / (whole - 1) : scale > 0 ? 1 / by : image / whole;
  NearestRowsOfPaddleAndOnnx rows;
  for (std::int64_t i = 0; i < out; ++i) {
    auto at = static_cast<float>(i);
    auto onnx_position = corners ? std::round(at * (image - 1) / (whole - 1)) : std::floor(at / by);
    double position = at * ratio;
    rows.paddle.push_back(
        std::min(static_cast<std::int64_t>(position + (corners ? 0.5 : 0)), size - 1));
    rows.onnx.push_back(std::min(static_cast<std::int64_t>(onnx_position), size - 1));
  }
  return rows;
}

constexpr std::int64_t kMaxComparedRows = 1 << 14;  // rows

// Whether ONNX's nearest Resize selects the same source rows as Paddle along `dim`: for the known
// size or, if the size is unknown, for all sizes up to kMaxComparedRows.
bool nearest_rows_match(const ResizeSizesOrScales& r, std::size_t dim, bool corners) {
  double scale = r.known_scales.empty() ? 0 : r.known_scales[dim];
  auto size = r.image_size[dim], out = r.output_size[dim];
  bool known = size > 0 && out > 0, scaling = scale > 0 && !corners;
  if (!known && scaling) size = out = kMaxComparedRows;
  if ((!known && !scaling) || out > kMaxComparedRows) return false;
  auto rows = nearest_rows_of_paddle_and_onnx(size, out, scale, corners);
  return rows.paddle == rows.onnx;
}

bool nearest_resize_matches_paddle(const NodeContext& n, Value x, const ResizeSizesOrScales& r,
                                   bool corners) {
  bool all = ort_has_kernel("Resize", n.require_known_dtype(x)) && n.dtype(x) != DType::int64;
  for (std::size_t i = 0; i < r.image_size.size(); ++i)
    all = all && nearest_rows_match(r, i, corners);
  return all;
}

// The source row of each of the `out` rows of a nearest resize, by Paddle's rounding. size, out:
// int64[1]; scale: float32[1], omitted for the ratio of the sizes
Value emit_nearest_row_indices(NodeContext& n, Value size, Value out, Value scale, bool corners) {
  Expr image{n, n.cast(size, DType::float32)}, whole{n, n.cast(out, DType::float32)};
  auto ratio =
      corners ? (image - 1) / max(whole - 1, 1)
      : scale ? Expr{n, scale}.emit("Reciprocal")  // ONNX Runtime rewrites a * (1 / b) to a / b
              : image / whole;
  auto position = min(arange(n, out).to(DType::float32) * ratio, image - 1);
  return (corners ? position.to(DType::float64) + 0.5 : position).to(DType::int64);
}

Value gather_nearest_rows(NodeContext& n, Value x, const ResizeSizesOrScales& r, bool corners) {
  auto image = shape_from_axis(n, x, 2), out = r.sizes ? r.sizes : emit_scaled_sizes(n, x, r);
  auto scales = r.known_scales.empty() ? r.scales : n.vector(r.known_scales, DType::float32);
  Value y = x;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(r.image_size.size()); ++i) {
    auto along = [&](Value v) { return v ? n.slice(v, {i}, {i + 1}, {0}) : v; };
    auto rows = emit_nearest_row_indices(n, along(image), along(out), along(scales), corners);
    y = n.emit("Gather", {y, rows}, {{"axis", i + 2}});
  }
  return y;
}

// ---- Resize ----

// Whether each resized dimension of the output is known to be at least 2, for all sizes of the
// image.
bool all_output_dims_exceed_one(const ResizeSizesOrScales& r) {
  for (std::size_t i = 0; i < r.output_size.size(); ++i) {
    bool doubles = !r.known_scales.empty() && r.known_scales[i] >= 2;
    if (r.output_size[i] < 2 && !(r.output_size[i] < 0 && doubles)) return false;
  }
  return true;
}

NodeContext::Attrs onnx_resize_mode_attrs(const NodeContext& n, InterpolationMethod method,
                                          const ResizeSizesOrScales& r) {
  bool corners = n.attr("align_corners", true), centered = n.attr("align_mode", 1) == 0;
  static constexpr std::string_view names[] = {"nearest", "linear", "cubic"};
  std::string counted =
      corners                                              ? "align_corners"
      : method == InterpolationMethod::cubic               ? "half_pixel"
      : method != InterpolationMethod::linear || !centered ? "asymmetric"
      // half_pixel and pytorch_half_pixel differ for an output of a single row, which Paddle
      // maps to the first row.
      // ONNX Runtime has a blocked (NCHWc) kernel for half_pixel only.
      : all_output_dims_exceed_one(r) ? "half_pixel"
                                      : "pytorch_half_pixel";
  NodeContext::Attrs attrs{{"mode", std::string(names[static_cast<int>(method)])},
                           {"coordinate_transformation_mode", counted}};
  if (method == InterpolationMethod::nearest)
    attrs.emplace_back("nearest_mode", std::string(corners ? "round_prefer_ceil" : "floor"));
  return attrs;
}

// The scales that yield exactly the known output sizes, empty if there are none. In contrast to the
// sizes of a Resize, scales are valid for every batch size.
Floats find_scales_for_exact_sizes(const ResizeSizesOrScales& r) {
  Floats scales;
  for (std::size_t i = 0; i < r.image_size.size(); ++i) {
    if (r.image_size[i] < 1 || r.output_size[i] < 1) return {};
    scales.push_back(scale_for_exact_size(r.image_size[i], r.output_size[i]));
    if (scaled_size(r.image_size[i], scales.back()) != r.output_size[i]) return {};
  }
  return scales;
}

Value emit_resize(NodeContext& n, Value x, const ResizeSizesOrScales& r,
                  const NodeContext::Attrs& attrs) {
  Value none = n.opset() < 13 ? n.vector({}, DType::float32) : Value{};
  Floats each =
      r.known_scales.empty() && !r.scales ? find_scales_for_exact_sizes(r) : r.known_scales;
  Values in{x, none};
  if (!each.empty()) {
    each.insert(each.begin(), {1, 1});
    in.push_back(n.vector(each, DType::float32));
  } else if (r.scales) {
    in.push_back(n.concat({n.vector({1, 1}, DType::float32), r.scales}, 0));
  } else {
    in.insert(in.end(), {none, n.concat({n.slice(n.emit_shape(x), {0}, {2}, {0}), r.sizes}, 0)});
  }
  auto y = n.emit("Resize", in, attrs);
  Ints shape{n.dim(x, 0), n.dim(x, 1)};
  shape.insert(shape.end(), r.output_size.begin(), r.output_size.end());
  n.declare_type(y, n.dtype(x), shape);
  return y;
}

Value interpolate(NodeContext& n, Value x, InterpolationMethod method,
                  const ResizeSizesOrScales& r) {
  bool corners = n.attr("align_corners", true);
  if (method == InterpolationMethod::cubic)
    n.require(corners || !std::count(r.output_size.begin(), r.output_size.end(), 1),
              "cubic interpolation of an image with one row has no lowering");
  if (method == InterpolationMethod::nearest && !nearest_resize_matches_paddle(n, x, r, corners))
    return gather_nearest_rows(n, x, r, corners);
  return emit_resize(n, x, r, onnx_resize_mode_attrs(n, method, r));
}

// Resizes [N,C,L] as [N,C,1,L]: all execution providers of ONNX Runtime resize images, not all
// resize rows.
Value interpolate_1d(NodeContext& n, Value x, InterpolationMethod method, ResizeSizesOrScales r) {
  auto one = n.int64_vector({1});
  if (r.sizes) r.sizes = n.concat({one, r.sizes}, 0);
  if (r.scales) r.scales = n.concat({n.vector({1}, DType::float32), r.scales}, 0);
  if (!r.known_scales.empty()) r.known_scales.insert(r.known_scales.begin(), 1);
  r.image_size.insert(r.image_size.begin(), 1), r.output_size.insert(r.output_size.begin(), 1);
  return n.squeeze(interpolate(n, n.unsqueeze(x, {2}), method, r), {2});
}

// Resizes each channel as an image of its own. If the image kept its channels, ONNX Runtime would
// move a preceding transposition from channels-last behind the Resize, for which it has no
// channels-last kernel with cubic interpolation.
Value interpolate_cubic_channels_as_images(NodeContext& n, Value x, const ResizeSizesOrScales& r) {
  auto channels = reshape_to_shape_parts(n, x, {n.int64_vector({-1, 1}), shape_from_axis(n, x, 2)});
  auto y = interpolate(n, channels, InterpolationMethod::cubic, r);
  return reshape_to_shape_parts(
      n, y, {n.slice(n.emit_shape(x), {0}, {2}, {0}), shape_from_axis(n, y, 2)});
}

LowerFn interp_rule(InterpolationMethod method, int min_dims, int max_dims, bool is_v1) {
  return [=](NodeContext& n) {
    bool last = is_channels_last(n, "data_layout");
    auto x = move_channels_first_if(n, n.input("X"), last);
    int dims = n.require_known_rank(x) - 2;
    n.require(dims >= min_dims && dims <= max_dims,
              "does not support images of rank " + std::to_string(dims + 2));
    auto r = read_resize_sizes_or_scales(
        n, x, is_v1 ? Floats{n.attr("scale", 0.0f)} : n.attr("scale", Floats{}), is_v1);
    if (is_v1) use_sizes_unless_scales_are_whole(n, x, r);
    auto y = dims == 1 ? interpolate_1d(n, x, method, r)
             : last && method == InterpolationMethod::cubic
                 ? interpolate_cubic_channels_as_images(n, x, r)
                 : interpolate(n, x, method, r);
    n.set_output("Out", move_channels_last_if(n, y, last));
  };
}

}  // namespace

std::span<const Rule> interpolate_rules() {
  static const Rule rules[] = {
      {"nearest_interp_v2", 11, interp_rule(InterpolationMethod::nearest, 2, 3, false)},
      {"linear_interp_v2", 11, interp_rule(InterpolationMethod::linear, 1, 1, false)},
      {"bilinear_interp_v2", 11, interp_rule(InterpolationMethod::linear, 2, 2, false)},
      {"trilinear_interp_v2", 11, interp_rule(InterpolationMethod::linear, 3, 3, false)},
      {"bicubic_interp_v2", 11, interp_rule(InterpolationMethod::cubic, 2, 2, false)},
      {"nearest_interp", 11, interp_rule(InterpolationMethod::nearest, 2, 3, true)},
      {"linear_interp", 11, interp_rule(InterpolationMethod::linear, 1, 1, true)},
      {"bilinear_interp", 11, interp_rule(InterpolationMethod::linear, 2, 2, true)},
      {"trilinear_interp", 11, interp_rule(InterpolationMethod::linear, 3, 3, true)},
      {"bicubic_interp", 11, interp_rule(InterpolationMethod::cubic, 2, 2, true)},
  };
  return rules;
}

}  // namespace oarlock
