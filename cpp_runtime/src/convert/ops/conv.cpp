// Convolutions and their transposes, in one, two and three dimensions.
#include <algorithm>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/ops/conv_pool_geometry.h"
#include "convert/registry.h"
#include "convert/runtime_assert.h"

namespace oarlock {
namespace {

Window read_conv_window(const NodeContext& n, Value x, Value filter) {
  n.require(n.require_known_rank(filter) >= 3, "the filter has no window");
  auto dims = static_cast<std::size_t>(n.rank(filter) - 2);
  Window w = read_strides_and_paddings(n, spatial_sizes_or_minus_one(n, filter, dims));
  w.dilations = n.attr("dilations", Ints(dims, 1));
  n.require(w.dilations.size() == dims, "dilations do not fit " + std::to_string(dims) + " dims");
  for (auto d : w.dilations) check_int32_size(n, d, "dilations");
  drop_dilations_and_resolve_same_padding(w, spatial_sizes_or_minus_one(n, x, dims));
  return w;
}

NodeContext::Attrs onnx_conv_attrs(const Window& w, std::int64_t groups) {
  NodeContext::Attrs attrs{{"strides", w.strides}, {"dilations", w.dilations}, {"group", groups}};
  bool known = std::count(w.kernel.begin(), w.kernel.end(), -1) == 0;
  if (known) attrs.emplace_back("kernel_shape", w.kernel);
  if (w.is_same_padding)
    attrs.emplace_back("auto_pad", std::string("SAME_UPPER"));
  else
    attrs.emplace_back("pads", w.pads);
  return attrs;
}

std::int64_t read_groups(const NodeContext& n) {
  auto groups = n.attr("groups", 1);
  n.require(groups > 0, "attribute 'groups' is " + std::to_string(groups));
  return groups;
}

Values onnx_conv_inputs(NodeContext& n, Value x, Value filter) {
  Values in{x, filter};
  if (n.has_input("Bias")) in.push_back(n.reshape(n.input("Bias"), {-1}));
  return in;
}

void conv(NodeContext& n) {
  bool last = is_channels_last(n, "data_format");
  auto x = move_channels_first_if(n, n.input("Input"), last),
       filter = assert_nonempty_except_axis(n, n.input("Filter"));
  Window w = read_conv_window(n, x, filter);
  widen_end_pads_or_reject_small_image(n, w, spatial_sizes_or_minus_one(n, x, w.kernel.size()));
  auto y = n.emit("Conv", onnx_conv_inputs(n, x, filter), onnx_conv_attrs(w, read_groups(n)));

  n.set_output("Output", move_channels_last_if(n, y, last));
}

// The output padding of a transposed convolution: `output_size` minus the size that the window
// yields, one per dim.
Ints compute_output_padding(const NodeContext& n, const Window& w, const Ints& output_size) {
  std::size_t dims = w.kernel.size();
  n.require(std::count(w.kernel.begin(), w.kernel.end(), -1) == 0,
            "'output_size' needs the filter's size to be known");
  Ints extra(dims);
  for (std::size_t i = 0; i < dims; ++i) {
    auto rest =
        output_size[i] + w.pads[i] + w.pads[dims + i] - w.dilations[i] * (w.kernel[i] - 1) - 1;
    extra[i] = ((rest % w.strides[i]) + w.strides[i]) % w.strides[i];
  }
  return extra;
}

// A transposed convolution that computes a larger result and crops it: for SAME padding with
// unknown input sizes, and for output sizes known only at run time (`size`, int64[dims] or
// omitted).
Value emit_conv_transpose_cropped_at_runtime(NodeContext& n, Value x, Value filter, Window w,
                                             Value size) {
  std::size_t dims = w.kernel.size();
  Expr all(n, w.is_same_padding ? emit_total_same_padding(n, x, w) : n.int64_vector(Ints(dims, 0))),
      begin = all / 2;
  n.require(!w.is_same_padding || std::count(w.kernel.begin(), w.kernel.end(), -1) == 0,
            "padding SAME needs the filter's size to be known");
  w.is_same_padding = false;
  auto attrs = onnx_conv_attrs(w, read_groups(n));
  Ints extra = n.attr("output_padding", Ints{});
  if (size) extra.assign(dims, 0);
  for (std::size_t i = 0; size && i < dims; ++i) extra[i] = w.strides[i] - 1;
  if (!extra.empty()) attrs.emplace_back("output_padding", extra);
  auto whole = n.emit("ConvTranspose", onnx_conv_inputs(n, x, filter), attrs);
  auto rank = static_cast<std::int64_t>(dims) + 2;
  Expr full(n, n.slice(n.emit_shape(whole), {2}, {rank}, {0}));
  auto end = size ? begin + Expr(n, size) : full - all + begin;
  Ints axes = all_axes(static_cast<int>(rank));
  return n.emit("Slice", {whole, begin, end, n.int64_vector({axes.begin() + 2, axes.end()})});
}

// The output sizes that a conv_transpose op requests, int64[dims]; Value{} if the op requests none.
Value find_output_size_value(NodeContext& n, std::size_t dims) {
  if (!n.has_input("OutputSizeTensor") && !n.has_attr("output_size")) return {};
  auto sizes = read_int_list_as_vector(n, {"output_size", "", ""});
  auto known = n.find_constant_ints(sizes);
  if (!known) return sizes;
  if (known->size() == 1) known->assign(dims, (*known)[0]);
  if (known->empty()) return {};
  n.require(known->size() == dims, "'output_size' does not fit the window");
  for (auto s : *known) check_int32_size(n, s, "output_size");
  return n.int64_vector(*known);
}

void lower_conv_transpose_op(NodeContext& n) {
  bool last = is_channels_last(n, "data_format");
  auto x = move_channels_first_if(n, n.input("Input"), last), filter = n.input("Filter");
  if (n.require_known_rank(x) == 5) x = assert_nonempty_except_axis(n, x);
  Window w = read_conv_window(n, x, filter);
  auto size = find_output_size_value(n, w.kernel.size());
  auto known = size ? n.find_constant_ints(size) : Ints{};
  if (w.is_same_padding || !known)
    return n.set_output(
        "Output", move_channels_last_if(
                      n, emit_conv_transpose_cropped_at_runtime(n, x, filter, w, size), last));
  auto attrs = onnx_conv_attrs(w, read_groups(n));
  Ints extra = n.attr("output_padding", Ints{});
  if (size) extra = compute_output_padding(n, w, *known);
  if (!extra.empty()) attrs.emplace_back("output_padding", extra);
  auto y = n.emit("ConvTranspose", onnx_conv_inputs(n, x, filter), attrs);

  n.set_output("Output", move_channels_last_if(n, y, last));
}

}  // namespace

std::span<const Rule> conv_rules() {
  static const Rule rules[] = {
      {"conv2d", 7, conv},
      {"depthwise_conv2d", 7, conv},
      {"conv3d", 7, conv},
      {"conv2d_transpose", 7, lower_conv_transpose_op, {.ignore_declared_shape = true}},
      {"depthwise_conv2d_transpose", 7, lower_conv_transpose_op, {.ignore_declared_shape = true}},
      {"conv3d_transpose", 7, lower_conv_transpose_op, {.ignore_declared_shape = true}},
  };
  return rules;
}

}  // namespace oarlock
