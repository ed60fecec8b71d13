// Pictures made larger or smaller: Resize, at the coordinates that Paddle counts with.
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

enum class Method { nearest, linear, cubic };

// One of sizes, scales and each is set.
struct Resizing {
  Ints image, out;  // of the picture and of the result, -1 where not known
  Value sizes;      // int64[dims]
  Value scales;     // float32[dims], computed at run time
  Floats each;      // scales that are known
};

bool all_known(const Ints& sizes) { return std::count(sizes.begin(), sizes.end(), -1) == 0; }

// ---- what is asked for ----

// "" and nothing known where the picture is not scaled.
void read_scales(Node& n, Resizing& r, Floats each) {
  auto dims = r.image.size();
  if (n.has("Scale")) {
    auto one = n.const_number(n.in("Scale"));
    if (!one) {
      auto given = n.reshape(n.cast(n.in("Scale"), DType::float32), {-1});
      r.scales = n.emit("Expand", {given, n.ints({static_cast<std::int64_t>(dims)})});
      return;
    }
    each = {*one};
  }
  if (each.size() == 1) each.assign(dims, each[0]);
  if (each.empty() || *std::min_element(each.begin(), each.end()) <= 0) return;
  n.require(each.size() == dims, "'scale' does not fit " + std::to_string(dims) + " dims");
  for (double s : each) n.require(s < 1 << 20, "'scale' is " + std::to_string(s));
  r.each = each;
}

std::int64_t scaled(std::int64_t size, double scale) {
  return size < 0 ? -1
                  : static_cast<std::int64_t>(static_cast<float>(size) * static_cast<float>(scale));
}

Ints out_attributes(const Node& n, std::size_t dims) {
  static constexpr std::array names{"out_d", "out_h", "out_w"};
  Ints sizes;
  for (auto i = names.size() - dims; i < names.size(); ++i) {
    sizes.push_back(n.attr(names[i], 0));
    check_size(n, sizes.back(), names[i]);
    n.require(sizes.back() > 0, "neither a size nor a scale is given");
  }
  return sizes;
}

void set_sizes(Node& n, Resizing& r, const Value& sizes) {
  auto known = n.partial_ints(sizes);
  n.require(!known || known->size() == r.image.size(), "sizes do not fit the dims of the picture");
  r.out = known.value_or(Ints(r.image.size(), -1));
  auto dims = static_cast<std::int64_t>(r.image.size());
  r.sizes = n.shape(sizes) == Ints{dims} ? sizes : n.reshape(sizes, {dims});
  r.scales = "", r.each.clear();
}

// Sizes that are operands come before a scale, and a scale before sizes that are attributes.
Resizing read_resizing(Node& n, const Value& x, const Floats& scale, bool first) {
  auto shape = *n.shape(x);
  Resizing r{Ints(shape.begin() + 2, shape.end()), {}, "", "", {}};
  read_scales(n, r, scale);
  bool scales = !r.each.empty() || !r.scales.empty();
  for (std::size_t i = 0; i < r.image.size(); ++i)
    r.out.push_back(r.each.empty() ? -1 : scaled(r.image[i], r.each[i]));
  n.require(first || !scales || !n.has("OutSize") || n.has("SizeTensor"),
            "a size and a scale at once has no lowering");
  if (n.has("OutSize") || n.has("SizeTensor"))
    set_sizes(n, r, int_list(n, {"", "OutSize", "SizeTensor"}));
  else if (!scales)
    set_sizes(n, r, n.ints(out_attributes(n, r.image.size())));
  return r;
}

// int64[dims]
Value scaled_sizes(Node& n, const Value& x, const Resizing& r) {
  if (all_known(r.out)) return n.ints(r.out);
  auto image = n.cast(sizes_from(n, x, 2), DType::float32);
  auto larger =
      n.emit("Mul", {image, r.each.empty() ? r.scales : n.floats(r.each, DType::float32)});
  return n.cast(n.emit("Floor", {larger}), DType::int64);
}

// The first forms take only the sizes from a scale; places are counted with the ratio of the sizes.
void forget_scales(Node& n, const Value& x, Resizing& r) {
  bool whole =
      std::all_of(r.each.begin(), r.each.end(), [](double s) { return s == std::floor(s); });
  if (!r.sizes.empty() || (!r.each.empty() && whole)) return;
  set_sizes(n, r, scaled_sizes(n, x, r));
}

// ---- the nearest row: rounding decides, and ONNX Runtime divides where Paddle multiplies ----

struct Rows {
  Ints paddle, onnx;
};

// The scale that gives a size.   Not a hair too small: ONNX's shape inference rounds down what is a
// double there.
float scale_between(std::int64_t size, std::int64_t out) {
  float scale = static_cast<float>(out) / static_cast<float>(size);
  while (std::floor(static_cast<double>(size) * scale) < static_cast<double>(out))
    scale = std::nextafter(scale, std::numeric_limits<float>::infinity());
  return scale;
}

Rows nearest_rows(std::int64_t size, std::int64_t out, double scale, bool corners) {
  if (out == 1) return {{0}, {0}};
  auto image = static_cast<float>(size), whole = static_cast<float>(out);
  auto by = scale > 0 ? static_cast<float>(scale) : scale_between(size, out);
  auto ratio = corners ? (image - 1) / (whole - 1) : scale > 0 ? 1 / by : image / whole;
  Rows rows;
  for (std::int64_t i = 0; i < out; ++i) {
    auto at = static_cast<float>(i);
    auto there = corners ? std::round(at * (image - 1) / (whole - 1)) : std::floor(at / by);
    double place = at * ratio;
    rows.paddle.push_back(
        std::min(static_cast<std::int64_t>(place + (corners ? 0.5 : 0)), size - 1));
    rows.onnx.push_back(std::min(static_cast<std::int64_t>(there), size - 1));
  }
  return rows;
}

constexpr std::int64_t kCompared = 1 << 14;  // rows

// Whether Resize takes the rows that Paddle takes, whatever is not known.
bool agrees(const Resizing& r, std::size_t dim, bool corners) {
  double scale = r.each.empty() ? 0 : r.each[dim];
  auto size = r.image[dim], out = r.out[dim];
  bool known = size > 0 && out > 0, scaling = scale > 0 && !corners;
  if (!known && scaling) size = out = kCompared;
  if ((!known && !scaling) || out > kCompared) return false;
  auto rows = nearest_rows(size, out, scale, corners);
  return rows.paddle == rows.onnx;
}

bool resize_agrees(const Node& n, const Value& x, const Resizing& r, bool corners) {
  bool all = has_kernel("Resize", n.need_dtype(x)) && n.dtype(x) != DType::int64;
  for (std::size_t i = 0; i < r.image.size(); ++i) all = all && agrees(r, i, corners);
  return all;
}

// size, out: int64[1]; scale: float32[1], or "" for that of the sizes
Value computed_rows(Node& n, const Value& size, const Value& out, const Value& scale,
                    bool corners) {
  Expr image{n, n.cast(size, DType::float32)}, whole{n, n.cast(out, DType::float32)};
  auto ratio = corners ? (image - 1) / max(whole - 1, 1)
               : scale.empty()
                   ? image / whole
                   : Expr{n, scale}.emit("Reciprocal");  // ONNX Runtime makes a * (1 / b) a / b
  auto place = min(counted(n, out).to(DType::float32) * ratio, image - 1);
  return (corners ? place.to(DType::float64) + 0.5 : place).to(DType::int64);
}

Value by_rows(Node& n, const Value& x, const Resizing& r, bool corners) {
  auto image = sizes_from(n, x, 2), out = r.sizes.empty() ? scaled_sizes(n, x, r) : r.sizes;
  auto scales = r.each.empty() ? r.scales : n.floats(r.each, DType::float32);
  Value y = x;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(r.image.size()); ++i) {
    auto along = [&](const Value& v) { return v.empty() ? v : n.slice(v, {i}, {i + 1}, {0}); };
    auto rows = computed_rows(n, along(image), along(out), along(scales), corners);
    y = n.emit("Gather", {y, rows}, {{"axis", i + 2}});
  }
  return y;
}

// ---- Resize ----

Node::Attrs modes(const Node& n, Method method) {
  bool corners = n.attr("align_corners", true), centred = n.attr("align_mode", 1) == 0;
  static constexpr std::string_view names[] = {"nearest", "linear", "cubic"};
  std::string counted = corners                   ? "align_corners"
                        : method == Method::cubic ? "half_pixel"
                        : method == Method::linear && centred
                            ? "pytorch_half_pixel"  // where a single row is the first
                            : "asymmetric";
  Node::Attrs attrs{{"mode", std::string(names[static_cast<int>(method)])},
                    {"coordinate_transformation_mode", counted}};
  if (method == Method::nearest)
    attrs.emplace_back("nearest_mode", std::string(corners ? "round_prefer_ceil" : "floor"));
  return attrs;
}

// Sizes as scales, which say nothing of the batch, where these give just such sizes.
Floats scales_of(const Resizing& r) {
  Floats each;
  for (std::size_t i = 0; i < r.image.size(); ++i) {
    if (r.image[i] < 1 || r.out[i] < 1) return {};
    each.push_back(scale_between(r.image[i], r.out[i]));
    if (scaled(r.image[i], each.back()) != r.out[i]) return {};
  }
  return each;
}

Value resized(Node& n, const Value& x, const Resizing& r, const Node::Attrs& attrs) {
  Value none = n.opset() < 13 ? n.floats({}, DType::float32) : "";
  Floats each = r.each.empty() && r.scales.empty() ? scales_of(r) : r.each;
  Values in{x, none};
  if (!each.empty()) {
    each.insert(each.begin(), {1, 1});
    in.push_back(n.floats(each, DType::float32));
  } else if (!r.scales.empty()) {
    in.push_back(n.concat({n.floats({1, 1}, DType::float32), r.scales}, 0));
  } else {
    in.insert(in.end(), {none, n.concat({n.slice(n.shape_of(x), {0}, {2}, {0}), r.sizes}, 0)});
  }
  auto y = n.emit("Resize", in, attrs);
  Ints shape{n.dim(x, 0), n.dim(x, 1)};
  shape.insert(shape.end(), r.out.begin(), r.out.end());
  n.declare(y, n.dtype(x), shape);
  return y;
}

Value interpolated(Node& n, const Value& x, Method method, const Resizing& r) {
  bool corners = n.attr("align_corners", true);
  if (method == Method::cubic)
    n.require(corners || !std::count(r.out.begin(), r.out.end(), 1),
              "a cubic picture of one row has no lowering");
  if (method == Method::nearest && !resize_agrees(n, x, r, corners))
    return by_rows(n, x, r, corners);
  return resized(n, x, r, modes(n, method));
}

// One dim more, for which ONNX Runtime has kernels everywhere.
Value interpolated_line(Node& n, const Value& x, Method method, Resizing r) {
  auto one = n.ints({1});
  if (!r.sizes.empty()) r.sizes = n.concat({one, r.sizes}, 0);
  if (!r.scales.empty()) r.scales = n.concat({n.floats({1}, DType::float32), r.scales}, 0);
  if (!r.each.empty()) r.each.insert(r.each.begin(), 1);
  r.image.insert(r.image.begin(), 1), r.out.insert(r.out.begin(), 1);
  return n.squeeze(interpolated(n, n.unsqueeze(x, {2}), method, r), {2});
}

// One picture for each channel: ONNX Runtime would move channels that were last behind the Resize
// again, where it has no cubic kernel.
Value interpolated_apart(Node& n, const Value& x, const Resizing& r) {
  auto apart = reshaped(n, x, {n.ints({-1, 1}), sizes_from(n, x, 2)});
  auto y = interpolated(n, apart, Method::cubic, r);
  return reshaped(n, y, {n.slice(n.shape_of(x), {0}, {2}, {0}), sizes_from(n, y, 2)});
}

Lower interp(Method method, int least, int most, bool first) {
  return [=](Node& n) {
    bool last = channels_last(n, "data_layout");
    auto x = to_channels_first(n, n.in("X"), last);
    int dims = n.need_rank(x) - 2;
    n.require(dims >= least && dims <= most,
              "takes no picture of rank " + std::to_string(dims + 2));
    auto r = read_resizing(n, x, first ? Floats{n.attr("scale", 0.0f)} : n.attr("scale", Floats{}),
                           first);
    if (first) forget_scales(n, x, r);
    auto y = dims == 1                         ? interpolated_line(n, x, method, r)
             : last && method == Method::cubic ? interpolated_apart(n, x, r)
                                               : interpolated(n, x, method, r);
    n.out("Out", to_channels_last(n, y, last));
  };
}

}  // namespace

std::span<const Rule> interp_rules() {
  static const Rule rules[] = {
      {"nearest_interp_v2", 11, interp(Method::nearest, 2, 3, false)},
      {"linear_interp_v2", 11, interp(Method::linear, 1, 1, false)},
      {"bilinear_interp_v2", 11, interp(Method::linear, 2, 2, false)},
      {"trilinear_interp_v2", 11, interp(Method::linear, 3, 3, false)},
      {"bicubic_interp_v2", 11, interp(Method::cubic, 2, 2, false)},
      {"nearest_interp", 11, interp(Method::nearest, 2, 3, true)},
      {"linear_interp", 11, interp(Method::linear, 1, 1, true)},
      {"bilinear_interp", 11, interp(Method::linear, 2, 2, true)},
      {"trilinear_interp", 11, interp(Method::linear, 3, 3, true)},
      {"bicubic_interp", 11, interp(Method::cubic, 2, 2, true)},
  };
  return rules;
}

}  // namespace oarlock
