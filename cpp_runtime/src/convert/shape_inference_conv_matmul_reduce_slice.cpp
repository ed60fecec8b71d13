// Inference of sizes for convolutions, pools, products, reductions and selections.  A
// size that cannot be inferred is left unknown, which is no error.
#include <algorithm>

#include "convert/shape_inference.h"

namespace oarlock {
namespace {

using Inputs = std::vector<const ValueType*>;

// Whether the absolute values are below 2**40, so that sums of them do not overflow.
bool are_below_overflow_limit(const Ints& values) {
  constexpr std::int64_t limit = std::int64_t{1} << 40;
  return std::all_of(values.begin(), values.end(),
                     [](std::int64_t v) { return v > -limit && v < limit; });
}

Ints valid_ints_attr_or_default(const onnx::Node& n, std::string_view name, Ints default_value) {
  auto* found = find_node_attr<Ints>(n, name);
  return found && found->size() == default_value.size() && are_below_overflow_limit(*found)
             ? *found
             : default_value;
}

// The product of two sizes; -1 if one of them is unknown or the product overflows.
std::int64_t multiply_sizes(std::int64_t a, std::int64_t b) {
  std::int64_t r = 0;
  return a < 0 || b < 0 || __builtin_mul_overflow(a, b, &r) ? -1 : r;
}

ValueType type_with_first_input_dtype(const Inputs& in, std::optional<Ints> shape) {
  return {in[0]->dtype, std::move(shape), std::nullopt};
}
ValueType infer_dtype_only(const Inputs& in) {
  return type_with_first_input_dtype(in, std::nullopt);
}

bool first_inputs_have_shapes(const Inputs& in, std::size_t count) {
  return in.size() >= count &&
         std::all_of(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(count),
                     [](const ValueType* i) { return i->shape.has_value(); });
}

std::optional<Ints> find_known_input_ints(const Inputs& in, std::size_t i) {
  if (in.size() <= i || !in[i]->partial_value) return std::nullopt;
  Ints values = in[i]->partial_value->values;
  for (auto v : values)
    if (v == kUnknownElement) return std::nullopt;
  return values;
}

std::int64_t normalize_axis(std::int64_t axis, const Ints& shape) {
  return axis < 0 ? axis + static_cast<std::int64_t>(shape.size()) : axis;
}

bool is_normalized_axis(std::int64_t axis, const Ints& shape) {
  return axis >= 0 && axis < static_cast<std::int64_t>(shape.size());
}

// ---- reductions ----

ValueType infer_reduce(const onnx::Node& n, const Inputs& in) {
  if (!first_inputs_have_shapes(in, 1)) return infer_dtype_only(in);
  bool keepdims = int_attr(n, "keepdims", 1) != 0, computed = in.size() > 1;
  auto* attribute = find_node_attr<Ints>(n, "axes");
  auto axes = attribute ? std::optional(*attribute) : find_known_input_ints(in, 1);
  if (computed && !axes) return infer_dtype_only(in);
  Ints shape = *in[0]->shape, out;
  bool reduces_all = !axes || (axes->empty() && int_attr(n, "noop_with_empty_axes", 0) == 0);
  std::vector<bool> is_reduced(shape.size(), reduces_all);
  for (auto a : axes.value_or(Ints{}))
    if (is_normalized_axis(normalize_axis(a, shape), shape))
      is_reduced[static_cast<std::size_t>(normalize_axis(a, shape))] = true;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (!is_reduced[i] || keepdims) out.push_back(is_reduced[i] ? 1 : shape[i]);
  return type_with_first_input_dtype(in, out);
}

ValueType infer_arg_reduce(const onnx::Node& n, const Inputs& in) {
  ValueType info{DType::int64, std::nullopt, std::nullopt};
  if (!first_inputs_have_shapes(in, 1)) return info;
  Ints shape = *in[0]->shape;
  auto axis = normalize_axis(int_attr(n, "axis", 0), shape);
  if (!is_normalized_axis(axis, shape)) return info;
  shape[static_cast<std::size_t>(axis)] = 1;
  if (int_attr(n, "keepdims", 1) == 0) shape.erase(shape.begin() + axis);
  info.shape = shape;
  return info;
}

ValueType infer_flatten(const onnx::Node& n, const Inputs& in) {
  if (!first_inputs_have_shapes(in, 1)) return type_with_first_input_dtype(in, Ints{-1, -1});
  const Ints& shape = *in[0]->shape;
  auto axis = normalize_axis(int_attr(n, "axis", 1), shape);
  std::int64_t rows = 1, columns = 1;
  for (std::size_t i = 0; i < shape.size(); ++i)
    (static_cast<std::int64_t>(i) < axis ? rows : columns) =
        multiply_sizes(static_cast<std::int64_t>(i) < axis ? rows : columns, shape[i]);
  return type_with_first_input_dtype(in, Ints{rows, columns});
}

// ---- products ----

ValueType infer_matmul(const onnx::Node&, const Inputs& in) {
  if (!first_inputs_have_shapes(in, 2) || in[0]->shape->empty() || in[1]->shape->empty())
    return infer_dtype_only(in);
  Ints x = *in[0]->shape, y = *in[1]->shape;
  bool row = x.size() == 1, column = y.size() == 1;
  auto rows = row ? 0 : x[x.size() - 2], columns = column ? 0 : y.back();
  x.resize(x.size() - (row ? 1 : 2)), y.resize(y.size() - (column ? 1 : 2));
  Ints out = *broadcast_shapes_unchecked(x, y);
  if (!row) out.push_back(rows);
  if (!column) out.push_back(columns);
  return type_with_first_input_dtype(in, out);
}

ValueType infer_gemm(const onnx::Node& n, const Inputs& in) {
  if (!first_inputs_have_shapes(in, 2) || in[0]->shape->size() != 2 || in[1]->shape->size() != 2)
    return type_with_first_input_dtype(in, Ints{-1, -1});
  return type_with_first_input_dtype(in, Ints{(*in[0]->shape)[int_attr(n, "transA", 0) ? 1 : 0],
                                              (*in[1]->shape)[int_attr(n, "transB", 0) ? 0 : 1]});
}

// ---- windows ----

struct WindowDim {
  std::int64_t kernel, stride, dilation, pads;
  bool is_same_padding, ceil_mode;
};

std::int64_t window_count(std::int64_t size, const WindowDim& s) {
  if (size < 0 || s.kernel < 0 || s.stride < 1 || s.ceil_mode) return -1;
  if (s.is_same_padding) return (size + s.stride - 1) / s.stride;
  auto reach = multiply_sizes(s.dilation, s.kernel - 1), length = size + s.pads - 1;
  return reach < 0 || length < reach ? -1 : (length - reach) / s.stride + 1;
}

std::int64_t conv_transpose_size(std::int64_t size, const WindowDim& s, std::int64_t extra) {
  auto stretched = multiply_sizes(s.stride, size - 1),
       reach = multiply_sizes(s.dilation, s.kernel - 1);
  bool fits = size >= 1 && !s.is_same_padding && stretched >= 0 && reach >= 0 &&
              are_below_overflow_limit({stretched, reach});
  return fits ? stretched + reach + 1 + extra - s.pads : -1;
}

WindowDim read_window_dim(const onnx::Node& n, const Ints& kernel, std::size_t dim) {
  std::size_t dims = kernel.size();
  Ints ones(dims, 1), pads = valid_ints_attr_or_default(n, "pads", Ints(2 * dims, 0));
  auto* algorithm = find_node_attr<std::string>(n, "auto_pad");
  return {kernel[dim],
          valid_ints_attr_or_default(n, "strides", ones)[dim],
          valid_ints_attr_or_default(n, "dilations", ones)[dim],
          pads[dim] + pads[dims + dim],
          algorithm && algorithm->starts_with("SAME_"),
          int_attr(n, "ceil_mode", 0) != 0};
}

ValueType infer_conv(const onnx::Node& n, const Inputs& in) {
  if (!first_inputs_have_shapes(in, 2) || in[0]->shape->size() != in[1]->shape->size() ||
      in[0]->shape->size() < 3)
    return infer_dtype_only(in);
  const Ints &x = *in[0]->shape, &w = *in[1]->shape;
  Ints out{x[0], w[0]}, kernel(w.begin() + 2, w.end());
  for (std::size_t i = 0; i < kernel.size(); ++i)
    out.push_back(window_count(x[i + 2], read_window_dim(n, kernel, i)));
  return type_with_first_input_dtype(in, out);
}

ValueType infer_conv_transpose(const onnx::Node& n, const Inputs& in) {
  if (!first_inputs_have_shapes(in, 2) || in[0]->shape->size() != in[1]->shape->size() ||
      in[0]->shape->size() < 3)
    return infer_dtype_only(in);
  const Ints &x = *in[0]->shape, &w = *in[1]->shape;
  Ints out{x[0], multiply_sizes(w[1], int_attr(n, "group", 1))}, kernel(w.begin() + 2, w.end());
  Ints extra = valid_ints_attr_or_default(n, "output_padding", Ints(kernel.size(), 0));
  for (std::size_t i = 0; i < kernel.size(); ++i)
    out.push_back(conv_transpose_size(x[i + 2], read_window_dim(n, kernel, i), extra[i]));
  return type_with_first_input_dtype(in, out);
}

ValueType infer_pool(const onnx::Node& n, const Inputs& in) {
  auto* kernel = find_node_attr<Ints>(n, "kernel_shape");
  if (!first_inputs_have_shapes(in, 1) || !kernel || in[0]->shape->size() != kernel->size() + 2)
    return infer_dtype_only(in);
  Ints out = *in[0]->shape;
  for (std::size_t i = 0; i < kernel->size(); ++i)
    out[i + 2] = window_count(out[i + 2], read_window_dim(n, *kernel, i));
  return type_with_first_input_dtype(in, out);
}

ValueType infer_global_pool(const onnx::Node&, const Inputs& in) {
  if (!first_inputs_have_shapes(in, 1)) return infer_dtype_only(in);
  Ints out = *in[0]->shape;
  for (std::size_t i = 2; i < out.size(); ++i) out[i] = 1;
  return type_with_first_input_dtype(in, out);
}

// ---- slices and repeats ----

std::int64_t slice_length(std::int64_t size, std::int64_t start, std::int64_t end,
                          std::int64_t step) {
  if (size < 0 || step == 0 || step == INT64_MIN) return -1;
  auto low = step > 0 ? std::int64_t{0} : std::int64_t{-1}, high = step > 0 ? size : size - 1;
  auto clamp = [&](std::int64_t v) {
    return v < -size ? low : std::clamp(v < 0 ? v + size : v, low, high);
  };
  auto length = step > 0 ? clamp(end) - clamp(start) : clamp(start) - clamp(end);
  auto by = step > 0 ? step : -step;
  return length <= 0 ? 0 : (length - 1) / by + 1;
}

ValueType infer_slice(const onnx::Node&, const Inputs& in) {
  if (!first_inputs_have_shapes(in, 1)) return infer_dtype_only(in);
  Ints out = *in[0]->shape;
  auto starts = find_known_input_ints(in, 1), ends = find_known_input_ints(in, 2),
       axes = find_known_input_ints(in, 3), steps = find_known_input_ints(in, 4);
  if (!axes) return type_with_first_input_dtype(in, Ints(out.size(), -1));
  bool all = starts && ends && starts->size() == axes->size() && ends->size() == axes->size() &&
             (in.size() < 5 || (steps && steps->size() == axes->size()));
  for (std::size_t i = 0; i < axes->size(); ++i) {
    auto axis = normalize_axis((*axes)[i], out);
    if (!is_normalized_axis(axis, out)) return infer_dtype_only(in);
    auto& size = out[static_cast<std::size_t>(axis)];
    size = all ? slice_length(size, (*starts)[i], (*ends)[i], steps ? (*steps)[i] : 1) : -1;
  }
  return type_with_first_input_dtype(in, out);
}

ValueType infer_tile(const onnx::Node&, const Inputs& in) {
  if (!first_inputs_have_shapes(in, 1)) return infer_dtype_only(in);
  Ints out = *in[0]->shape;
  auto repeats = find_known_input_ints(in, 1);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = repeats && i < repeats->size() ? multiply_sizes(out[i], (*repeats)[i]) : -1;
  return type_with_first_input_dtype(in, out);
}

ValueType infer_pad(const onnx::Node& n, const Inputs& in) {
  if (!first_inputs_have_shapes(in, 1)) return infer_dtype_only(in);
  Ints out = *in[0]->shape;
  auto* attribute = find_node_attr<Ints>(n, "pads");
  auto pads = attribute ? std::optional(*attribute) : find_known_input_ints(in, 1);
  bool fits = pads && pads->size() == 2 * out.size() && are_below_overflow_limit(*pads);
  for (std::size_t i = 0; i < out.size(); ++i) {
    auto sum = fits ? (*pads)[i] + (*pads)[out.size() + i] : -1;
    out[i] = fits && out[i] >= 0 && out[i] + sum >= 0 ? out[i] + sum : -1;
  }
  return type_with_first_input_dtype(in, out);
}

ValueType infer_gather_elements(const onnx::Node&, const Inputs& in) {
  return type_with_first_input_dtype(in, in.size() > 1 ? in[1]->shape : std::nullopt);
}

ValueType infer_gather_nd(const onnx::Node& n, const Inputs& in) {
  if (!first_inputs_have_shapes(in, 2) || in[1]->shape->empty()) return infer_dtype_only(in);
  const Ints &x = *in[0]->shape, &at = *in[1]->shape;
  auto index_length = at.back() < 0 ? -1 : at.back() + int_attr(n, "batch_dims", 0);
  if (index_length < 0 || index_length > static_cast<std::int64_t>(x.size()))
    return infer_dtype_only(in);
  Ints out(at.begin(), at.end() - 1);
  out.insert(out.end(), x.begin() + index_length, x.end());
  return type_with_first_input_dtype(in, out);
}

// ---- images ----

ValueType infer_depth_space_rearrangement(const onnx::Node& n, const Inputs& in) {
  auto by = int_attr(n, "blocksize", 0);
  if (!first_inputs_have_shapes(in, 1) || in[0]->shape->size() != 4 || by < 1)
    return infer_dtype_only(in);
  Ints out = *in[0]->shape;
  auto divided = [](std::int64_t size, std::int64_t d) {
    return size < 0 || d < 1 ? -1 : size / d;
  };
  bool to_space = n.op == "DepthToSpace";
  for (std::size_t i = 1; i < 4; ++i) {
    auto factor = i == 1 ? multiply_sizes(by, by) : by;
    out[i] = (i == 1) == to_space ? divided(out[i], factor) : multiply_sizes(out[i], factor);
  }
  return type_with_first_input_dtype(in, out);
}

ValueType infer_grid_sample(const onnx::Node&, const Inputs& in) {
  if (!first_inputs_have_shapes(in, 2) || in[0]->shape->size() < 3 ||
      in[1]->shape->size() != in[0]->shape->size())
    return infer_dtype_only(in);
  Ints out(in[0]->shape->begin(), in[0]->shape->begin() + 2);
  out.insert(out.end(), in[1]->shape->begin() + 1, in[1]->shape->end() - 1);
  return type_with_first_input_dtype(in, out);
}

// ---- creation ----

ValueType infer_constant_of_shape(const onnx::Node& n, const Inputs& in) {
  auto* value = find_node_attr<onnx::Tensor>(n, "value");
  ValueType info{value ? value->dtype : DType::float32, std::nullopt, std::nullopt};
  if (in[0]->partial_value) {
    info.shape = in[0]->partial_value->values;
    for (auto& d : *info.shape) d = std::max(d, std::int64_t{-1});
  } else if (in[0]->shape && in[0]->shape->size() == 1 && (*in[0]->shape)[0] >= 0) {
    info.shape = Ints(static_cast<std::size_t>(std::min((*in[0]->shape)[0], std::int64_t{64})), -1);
  }
  return info;
}

ValueType infer_eye_like(const onnx::Node& n, const Inputs& in) {
  auto* dtype = find_node_attr<std::int64_t>(n, "dtype");
  return {dtype ? find_dtype_by_onnx_number(static_cast<int>(*dtype)) : in[0]->dtype, in[0]->shape,
          std::nullopt};
}

}  // namespace

void add_conv_matmul_reduce_slice_inference(InferenceTable& t) {
  for (auto name : {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1",
                    "ReduceL2", "ReduceLogSumExp"})
    t[name] = infer_reduce;
  for (auto name : {"ArgMax", "ArgMin"}) t[name] = infer_arg_reduce;
  t["AveragePool"] = infer_pool;
  for (auto name : {"GlobalMaxPool", "GlobalAveragePool"}) t[name] = infer_global_pool;
  t["Flatten"] = infer_flatten, t["MatMul"] = infer_matmul, t["Gemm"] = infer_gemm,
  t["Conv"] = infer_conv;
  t["ConvTranspose"] = infer_conv_transpose, t["Slice"] = infer_slice, t["Tile"] = infer_tile,
  t["Pad"] = infer_pad;
  t["GatherElements"] = infer_gather_elements, t["GatherND"] = infer_gather_nd;
  t["DepthToSpace"] = t["SpaceToDepth"] = infer_depth_space_rearrangement,
  t["GridSample"] = infer_grid_sample;
  t["ConstantOfShape"] = infer_constant_of_shape, t["EyeLike"] = infer_eye_like;
  t["Range"] = [](const onnx::Node&, const Inputs& in) {
    return type_with_first_input_dtype(in, Ints{-1});
  };
  t["Compress"] = [](const onnx::Node& n, const Inputs& in) {
    return find_node_attr<std::int64_t>(n, "axis") ? infer_same_rank(n, in)
                                                   : type_with_first_input_dtype(in, Ints{-1});
  };
}

namespace {

std::vector<ValueType> value_and_index_types(const ValueType& values) {
  std::vector<ValueType> both(2, values);
  both[1].dtype = DType::int64;
  return both;
}

std::vector<ValueType> infer_top_k(const onnx::Node& n, const Inputs& in) {
  ValueType values = type_with_first_input_dtype(in, in[0]->shape);
  auto count = find_known_input_ints(in, 1);
  auto axis = values.shape ? normalize_axis(int_attr(n, "axis", -1), *values.shape) : -1;
  if (values.shape && !is_normalized_axis(axis, *values.shape)) values.shape.reset();
  if (values.shape)
    (*values.shape)[static_cast<std::size_t>(axis)] =
        count && count->size() == 1 ? (*count)[0] : -1;
  return value_and_index_types(values);
}

std::vector<ValueType> infer_split(const onnx::Node& n, const Inputs& in) {
  std::vector<ValueType> types;
  auto axis = in[0]->shape ? normalize_axis(int_attr(n, "axis", 0), *in[0]->shape) : -1;
  for (auto size : find_known_input_ints(in, 1).value_or(Ints{})) {
    ValueType part = type_with_first_input_dtype(in, in[0]->shape);
    if (part.shape && is_normalized_axis(axis, *part.shape))
      (*part.shape)[static_cast<std::size_t>(axis)] = size;
    types.push_back(part);
  }
  return types;
}

}  // namespace

std::vector<ValueType> infer_multiple_outputs(const onnx::Node& n,
                                              const std::vector<const ValueType*>& in) {
  if (n.op == "MaxPool") return value_and_index_types(infer_pool(n, in));
  if (n.op == "TopK") return infer_top_k(n, in);
  if (n.op == "Split") return infer_split(n, in);
  return {};
}

}  // namespace oarlock
