// Unfolding of windows, folding, and unpooling.
#include <algorithm>
#include <limits>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/ops/conv_pool_geometry.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// The window attributes of unfold and fold. pads: Paddle's order: top, left, bottom, right.
struct UnfoldWindow {
  Ints kernel, strides, dilations, pads;
};

UnfoldWindow read_unfold_window(const NodeContext& n) {
  UnfoldWindow t{n.attr("kernel_sizes", Ints{}), n.attr("strides", Ints{}),
                 n.attr("dilations", Ints{}), n.attr("paddings", Ints{})};
  if (t.pads.size() == 2) t.pads.insert(t.pads.end(), {t.pads[0], t.pads[1]});
  return t;
}

void check_unfold_window_attrs(const NodeContext& n, const UnfoldWindow& t) {
  n.require(t.kernel.size() == 2 && t.strides.size() == 2 && t.dilations.size() == 2 &&
                t.pads.size() == 4,
            "'kernel_sizes', 'strides' and 'dilations' need 2 values each, 'paddings' 2 or 4");
  for (auto k : t.kernel) n.require(k >= 1 && k <= 1024, "'kernel_sizes' has " + std::to_string(k));
  for (auto s : t.strides)
    check_int32_size(n, s, "strides"), n.require(s > 0, "a stride is " + std::to_string(s));
  for (auto d : t.dilations)
    check_int32_size(n, d, "dilations"), n.require(d > 0, "a dilation is " + std::to_string(d));
  for (auto p : t.pads) n.require(p >= 0 && p < 1 << 20, "a padding is " + std::to_string(p));
}

// Unfolds the windows along `axis`: a new axis of kernel positions is inserted before `axis`, which
// then has one entry per window.
Value unfold_axis(NodeContext& n, Value x, std::int64_t axis, const UnfoldWindow& t,
                  std::size_t dim) {
  auto size = t.kernel[dim], by = t.dilations[dim];
  Values windows;
  for (std::int64_t i = 0; i < size; ++i) {
    auto behind = (size - 1 - i) * by;
    auto end = behind ? -behind : kSliceToEnd;
    windows.push_back(n.unsqueeze(n.slice(x, {i * by}, {end}, {axis}, {t.strides[dim]}), {axis}));
  }
  return n.concat(windows, axis);
}

// The windows of the images `x` as a value [N,C,KH,KW,OH,OW].
Value unfold_windows(NodeContext& n, Value x, const UnfoldWindow& t) {
  check_unfold_window_attrs(n, t);
  n.require(n.require_known_rank(x) == 4, "needs images of rank 4");
  if (std::any_of(t.pads.begin(), t.pads.end(), [](auto p) { return p > 0; }))
    x = n.emit("Pad",
               {x, n.int64_vector({0, 0, t.pads[0], t.pads[1], 0, 0, t.pads[2], t.pads[3]})});
  return n.transpose(unfold_axis(n, unfold_axis(n, x, 2, t, 0), 4, t, 1), {0, 1, 2, 4, 3, 5});
}

Expr num_elements_per_window(NodeContext& n, Value x, const UnfoldWindow& t) {
  return Expr{n, dim_as_vector(n, x, 1)} * static_cast<double>(t.kernel[0] * t.kernel[1]);
}

void unfold(NodeContext& n) {
  auto x = n.input("X");
  auto t = read_unfold_window(n);
  auto windows = unfold_windows(n, x, t);
  n.set_output("Y", reshape_to_shape_parts(n, windows,
                                           {n.int64_vector({0}), num_elements_per_window(n, x, t),
                                            n.int64_vector({-1})}));
}

// The op im2sequence: each window of an image becomes a row, and the rows of one image form a
// sequence.
void im2sequence(NodeContext& n) {
  auto x = n.input("X");
  n.require(!n.has_input("Y"), "sizes per image (Y) have no lowering");
  UnfoldWindow t{n.attr("kernels", Ints{}),
                 n.attr("strides", Ints{1, 1}),
                 {1, 1},
                 n.attr("paddings", Ints{0, 0, 0, 0})};
  auto windows = n.transpose(unfold_windows(n, x, t), {0, 4, 5, 1, 2, 3});
  n.set_output("Out", reshape_to_shape_parts(
                          n, windows, {n.int64_vector({-1}), num_elements_per_window(n, x, t)}));
  Expr num_images(n, dim_as_vector(n, x, 0)),
      each = Expr(n, dim_as_vector(n, windows, 1)) * Expr(n, dim_as_vector(n, windows, 2));
  n.set_row_splits("Out", arange(n, num_images + 1) * each);
}

void fold(NodeContext& n) {
  n.require_opset(18);
  auto t = read_unfold_window(n);
  check_unfold_window_attrs(n, t);
  Ints sizes = n.attr("output_sizes", Ints{});
  n.require(sizes.size() == 2, "'output_sizes' is not two numbers");
  for (auto s : sizes) require_unrollable_size(n, s, "an image size");
  n.set_output("Y",
               n.emit("Col2Im", {n.input("X"), n.int64_vector(sizes), n.int64_vector(t.kernel)},
                      {{"strides", t.strides}, {"dilations", t.dilations}, {"pads", t.pads}}));
}

// The output sizes of an unpooling: the input or attribute `output_size`. A size that Paddle
// computed from an unknown size (-1) is computed from the size of x at run time. int64[dims]
Value read_unpooled_size(NodeContext& n, Value x) {
  Ints kernel = n.attr("ksize", Ints{}), stride = n.attr("strides", Ints(kernel.size(), 1));
  Ints padding = n.attr("paddings", Ints(kernel.size(), 0));
  Values sizes{read_int_list_as_vector(n, {"output_size", "", ""})};
  auto known = n.find_constant_ints(sizes[0]);
  if (!known || std::all_of(known->begin(), known->end(), [](auto s) { return s > 0; }))
    return sizes[0];
  std::size_t dims = known->size();
  n.require(kernel.size() == dims && stride.size() == dims && padding.size() == dims,
            "'ksize' does not fit its sizes");
  sizes.clear();
  for (std::size_t i = 0; i < dims; ++i) {
    for (auto s : {kernel[i], stride[i], padding[i]}) check_int32_size(n, s, "ksize");
    auto constant_part =
        kernel[i] - 2 * padding[i];  // Paddle computes with -1 and declares -2 * stride + rest
    bool is_unknown = (*known)[i] <= 0 && (*known)[i] == -2 * stride[i] + constant_part;
    Expr size(n, dim_as_vector(n, x, static_cast<std::int64_t>(i) + 2));
    sizes.push_back(is_unknown ? ((size - 1) * static_cast<double>(stride[i]) +
                                  static_cast<double>(constant_part))
                                     .value()
                               : n.int64_vector({(*known)[i]}));
  }
  return n.concat(sizes, 0);
}

// Unpooling: scatters the values of each channel to their indices in a plane of zeros.
void unpool(NodeContext& n) {
  auto x = n.input("X"), at = n.cast(n.input("Indices"), DType::int64);
  auto size = read_unpooled_size(n, x);
  auto front = n.slice(n.emit_shape(x), {0}, {2}, {0});
  auto known = n.find_constant_ints(size);
  for (auto s : known.value_or(Ints{})) require_unrollable_size(n, s, "an image size");
  auto plane = known ? n.int64_vector({element_count(*known).value_or(-1)})
                     : reduce(n, "ReduceProd", size, {0}, true);
  auto zeros = n.emit("Expand", {n.scalar_like(0, x), n.concat({front, plane}, 0)});
  auto scattered =
      n.emit("ScatterElements", {zeros, n.reshape(at, {0, 0, -1}), n.reshape(x, {0, 0, -1})},
             {{"axis", std::int64_t{2}}});
  n.set_output("Out", reshape_to_shape_parts(n, scattered, {front, size}));
}

}  // namespace

std::span<const Rule> unfold_fold_and_unpool_rules() {
  static const Rule rules[] = {
      {"unfold", 11, unfold}, {"im2sequence", 11, im2sequence}, {"fold", 11, fold},
      {"unpool", 11, unpool}, {"unpool3d", 11, unpool},
  };
  return rules;
}

}  // namespace oarlock
