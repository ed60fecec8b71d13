// Sizes of what windows, products, reductions and selections give.   Like infer.cpp: what is not
// known stays unknown.
#include <algorithm>

#include "convert/shape_inference.h"

namespace oarlock {
namespace {

using In = std::vector<const Info*>;

std::int64_t number(const onnx::Node& n, std::string_view name, std::int64_t otherwise) {
  auto* found = infer_attr<std::int64_t>(n, name);
  return found ? *found : otherwise;
}

// Sums of what is not sane could overflow; such a node is left to ONNX Runtime to refuse.
bool sane(const Ints& values) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  return std::all_of(values.begin(), values.end(),
                     [](std::int64_t v) { return v > -most && v < most; });
}

Ints list(const onnx::Node& n, std::string_view name, Ints otherwise) {
  auto* found = infer_attr<Ints>(n, name);
  return found && found->size() == otherwise.size() && sane(*found) ? *found : otherwise;
}

// -1 where a factor is not known, or the product does not fit.
std::int64_t times(std::int64_t a, std::int64_t b) {
  std::int64_t r = 0;
  return a < 0 || b < 0 || __builtin_mul_overflow(a, b, &r) ? -1 : r;
}

Info of(const In& in, std::optional<Ints> shape) {
  return {in[0]->dtype, std::move(shape), std::nullopt};
}
Info dtype_only(const In& in) { return of(in, std::nullopt); }

bool usable(const In& in, std::size_t count) {
  return in.size() >= count &&
         std::all_of(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(count),
                     [](const Info* i) { return i->shape.has_value(); });
}

std::optional<Ints> known(const In& in, std::size_t i) {
  if (in.size() <= i || !in[i]->known) return std::nullopt;
  Ints values = in[i]->known->values;
  for (auto v : values)
    if (v == kUnknown) return std::nullopt;
  return values;
}

std::int64_t in_front(std::int64_t axis, const Ints& shape) {
  return axis < 0 ? axis + static_cast<std::int64_t>(shape.size()) : axis;
}

bool is_axis(std::int64_t axis, const Ints& shape) {
  return axis >= 0 && axis < static_cast<std::int64_t>(shape.size());
}

// ---- fewer dims ----

Info reduced(const onnx::Node& n, const In& in) {
  if (!usable(in, 1)) return dtype_only(in);
  bool keep = number(n, "keepdims", 1) != 0, computed = in.size() > 1;
  auto* attribute = infer_attr<Ints>(n, "axes");
  auto axes = attribute ? std::optional(*attribute) : known(in, 1);
  if (computed && !axes) return dtype_only(in);
  Ints shape = *in[0]->shape, out;
  std::vector<bool> gone(shape.size(), !axes);
  for (auto a : axes.value_or(Ints{}))
    if (is_axis(in_front(a, shape), shape))
      gone[static_cast<std::size_t>(in_front(a, shape))] = true;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (!gone[i] || keep) out.push_back(gone[i] ? 1 : shape[i]);
  return of(in, out);
}

Info position(const onnx::Node& n, const In& in) {
  Info info{DType::int64, std::nullopt, std::nullopt};
  if (!usable(in, 1)) return info;
  Ints shape = *in[0]->shape;
  auto axis = in_front(number(n, "axis", 0), shape);
  if (!is_axis(axis, shape)) return info;
  shape[static_cast<std::size_t>(axis)] = 1;
  if (number(n, "keepdims", 1) == 0) shape.erase(shape.begin() + axis);
  info.shape = shape;
  return info;
}

Info flattened(const onnx::Node& n, const In& in) {
  if (!usable(in, 1)) return of(in, Ints{-1, -1});
  const Ints& shape = *in[0]->shape;
  auto axis = in_front(number(n, "axis", 1), shape);
  std::int64_t rows = 1, columns = 1;
  for (std::size_t i = 0; i < shape.size(); ++i)
    (static_cast<std::int64_t>(i) < axis ? rows : columns) =
        times(static_cast<std::int64_t>(i) < axis ? rows : columns, shape[i]);
  return of(in, Ints{rows, columns});
}

// ---- products ----

Info matmul(const onnx::Node&, const In& in) {
  if (!usable(in, 2) || in[0]->shape->empty() || in[1]->shape->empty()) return dtype_only(in);
  Ints x = *in[0]->shape, y = *in[1]->shape;
  bool row = x.size() == 1, column = y.size() == 1;
  auto rows = row ? 0 : x[x.size() - 2], columns = column ? 0 : y.back();
  x.resize(x.size() - (row ? 1 : 2)), y.resize(y.size() - (column ? 1 : 2));
  Ints out = *infer_broadcast(x, y);
  if (!row) out.push_back(rows);
  if (!column) out.push_back(columns);
  return of(in, out);
}

Info gemm(const onnx::Node& n, const In& in) {
  if (!usable(in, 2) || in[0]->shape->size() != 2 || in[1]->shape->size() != 2)
    return of(in, Ints{-1, -1});
  return of(in, Ints{(*in[0]->shape)[number(n, "transA", 0) ? 1 : 0],
                     (*in[1]->shape)[number(n, "transB", 0) ? 0 : 1]});
}

// ---- windows ----

struct Slide {
  std::int64_t kernel, stride, dilation, pads;
  bool same, ceil;
};

std::int64_t slid(std::int64_t size, const Slide& s) {
  if (size < 0 || s.kernel < 0 || s.stride < 1 || s.ceil) return -1;
  if (s.same) return (size + s.stride - 1) / s.stride;
  auto reach = times(s.dilation, s.kernel - 1), length = size + s.pads - 1;
  return reach < 0 || length < reach ? -1 : (length - reach) / s.stride + 1;
}

std::int64_t slid_back(std::int64_t size, const Slide& s, std::int64_t extra) {
  auto stretched = times(s.stride, size - 1), reach = times(s.dilation, s.kernel - 1);
  bool fits = size >= 1 && !s.same && stretched >= 0 && reach >= 0 && sane({stretched, reach});
  return fits ? stretched + reach + 1 + extra - s.pads : -1;
}

Slide slide_along(const onnx::Node& n, const Ints& kernel, std::size_t dim) {
  std::size_t dims = kernel.size();
  Ints ones(dims, 1), pads = list(n, "pads", Ints(2 * dims, 0));
  auto* algorithm = infer_attr<std::string>(n, "auto_pad");
  return {kernel[dim],
          list(n, "strides", ones)[dim],
          list(n, "dilations", ones)[dim],
          pads[dim] + pads[dims + dim],
          algorithm && *algorithm != "NOTSET",
          number(n, "ceil_mode", 0) != 0};
}

Info conv(const onnx::Node& n, const In& in) {
  if (!usable(in, 2) || in[0]->shape->size() != in[1]->shape->size() || in[0]->shape->size() < 3)
    return dtype_only(in);
  const Ints &x = *in[0]->shape, &w = *in[1]->shape;
  Ints out{x[0], w[0]}, kernel(w.begin() + 2, w.end());
  for (std::size_t i = 0; i < kernel.size(); ++i)
    out.push_back(slid(x[i + 2], slide_along(n, kernel, i)));
  return of(in, out);
}

Info conv_transpose(const onnx::Node& n, const In& in) {
  if (!usable(in, 2) || in[0]->shape->size() != in[1]->shape->size() || in[0]->shape->size() < 3)
    return dtype_only(in);
  const Ints &x = *in[0]->shape, &w = *in[1]->shape;
  Ints out{x[0], times(w[1], number(n, "group", 1))}, kernel(w.begin() + 2, w.end());
  Ints extra = list(n, "output_padding", Ints(kernel.size(), 0));
  for (std::size_t i = 0; i < kernel.size(); ++i)
    out.push_back(slid_back(x[i + 2], slide_along(n, kernel, i), extra[i]));
  return of(in, out);
}

Info pool(const onnx::Node& n, const In& in) {
  auto* kernel = infer_attr<Ints>(n, "kernel_shape");
  if (!usable(in, 1) || !kernel || in[0]->shape->size() != kernel->size() + 2)
    return dtype_only(in);
  Ints out = *in[0]->shape;
  for (std::size_t i = 0; i < kernel->size(); ++i)
    out[i + 2] = slid(out[i + 2], slide_along(n, *kernel, i));
  return of(in, out);
}

Info global_pool(const onnx::Node&, const In& in) {
  if (!usable(in, 1)) return dtype_only(in);
  Ints out = *in[0]->shape;
  for (std::size_t i = 2; i < out.size(); ++i) out[i] = 1;
  return of(in, out);
}

// ---- parts and repeats ----

std::int64_t part(std::int64_t size, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (size < 0 || step == 0 || step == INT64_MIN) return -1;
  auto low = step > 0 ? std::int64_t{0} : std::int64_t{-1}, high = step > 0 ? size : size - 1;
  auto clamp = [&](std::int64_t v) {
    return v < -size ? low : std::clamp(v < 0 ? v + size : v, low, high);
  };
  auto length = step > 0 ? clamp(end) - clamp(start) : clamp(start) - clamp(end);
  auto by = step > 0 ? step : -step;
  return length <= 0 ? 0 : (length - 1) / by + 1;
}

Info slice(const onnx::Node&, const In& in) {
  if (!usable(in, 1)) return dtype_only(in);
  Ints out = *in[0]->shape;
  auto starts = known(in, 1), ends = known(in, 2), axes = known(in, 3), steps = known(in, 4);
  if (!axes) return of(in, Ints(out.size(), -1));
  bool all = starts && ends && starts->size() == axes->size() && ends->size() == axes->size() &&
             (in.size() < 5 || (steps && steps->size() == axes->size()));
  for (std::size_t i = 0; i < axes->size(); ++i) {
    auto axis = in_front((*axes)[i], out);
    if (!is_axis(axis, out)) return dtype_only(in);
    auto& size = out[static_cast<std::size_t>(axis)];
    size = all ? part(size, (*starts)[i], (*ends)[i], steps ? (*steps)[i] : 1) : -1;
  }
  return of(in, out);
}

Info tile(const onnx::Node&, const In& in) {
  if (!usable(in, 1)) return dtype_only(in);
  Ints out = *in[0]->shape;
  auto repeats = known(in, 1);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = repeats && i < repeats->size() ? times(out[i], (*repeats)[i]) : -1;
  return of(in, out);
}

Info pad(const onnx::Node& n, const In& in) {
  if (!usable(in, 1)) return dtype_only(in);
  Ints out = *in[0]->shape;
  auto* attribute = infer_attr<Ints>(n, "pads");
  auto pads = attribute ? std::optional(*attribute) : known(in, 1);
  bool fits = pads && pads->size() == 2 * out.size() && sane(*pads);
  for (std::size_t i = 0; i < out.size(); ++i) {
    auto sum = fits ? (*pads)[i] + (*pads)[out.size() + i] : -1;
    out[i] = fits && out[i] >= 0 && out[i] + sum >= 0 ? out[i] + sum : -1;
  }
  return of(in, out);
}

Info gather_elements(const onnx::Node&, const In& in) {
  return of(in, in.size() > 1 ? in[1]->shape : std::nullopt);
}

Info gather_nd(const onnx::Node& n, const In& in) {
  if (!usable(in, 2) || in[1]->shape->empty()) return dtype_only(in);
  const Ints &x = *in[0]->shape, &at = *in[1]->shape;
  auto taken = at.back() < 0 ? -1 : at.back() + number(n, "batch_dims", 0);
  if (taken < 0 || taken > static_cast<std::int64_t>(x.size())) return dtype_only(in);
  Ints out(at.begin(), at.end() - 1);
  out.insert(out.end(), x.begin() + taken, x.end());
  return of(in, out);
}

// ---- pictures ----

Info squares(const onnx::Node& n, const In& in) {
  auto by = number(n, "blocksize", 0);
  if (!usable(in, 1) || in[0]->shape->size() != 4 || by < 1) return dtype_only(in);
  Ints out = *in[0]->shape;
  auto divided = [](std::int64_t size, std::int64_t d) {
    return size < 0 || d < 1 ? -1 : size / d;
  };
  bool spread = n.op == "DepthToSpace";
  for (std::size_t i = 1; i < 4; ++i) {
    auto factor = i == 1 ? times(by, by) : by;
    out[i] = (i == 1) == spread ? divided(out[i], factor) : times(out[i], factor);
  }
  return of(in, out);
}

Info grid_sample(const onnx::Node&, const In& in) {
  if (!usable(in, 2) || in[0]->shape->size() < 3 || in[1]->shape->size() != in[0]->shape->size())
    return dtype_only(in);
  Ints out(in[0]->shape->begin(), in[0]->shape->begin() + 2);
  out.insert(out.end(), in[1]->shape->begin() + 1, in[1]->shape->end() - 1);
  return of(in, out);
}

// ---- from nothing ----

Info constant_of_shape(const onnx::Node& n, const In& in) {
  auto* value = infer_attr<onnx::Tensor>(n, "value");
  Info info{value ? value->dtype : DType::float32, std::nullopt, std::nullopt};
  if (in[0]->known) {
    info.shape = in[0]->known->values;
    for (auto& d : *info.shape) d = std::max(d, std::int64_t{-1});
  } else if (in[0]->shape && in[0]->shape->size() == 1 && (*in[0]->shape)[0] >= 0) {
    info.shape = Ints(static_cast<std::size_t>(std::min((*in[0]->shape)[0], std::int64_t{64})), -1);
  }
  return info;
}

Info eye_like(const onnx::Node& n, const In& in) {
  auto* dtype = infer_attr<std::int64_t>(n, "dtype");
  return {dtype ? dtype_of_onnx(static_cast<int>(*dtype)) : in[0]->dtype, in[0]->shape,
          std::nullopt};
}

}  // namespace

void add_size_rules(InferTable& t) {
  for (auto name : {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1",
                    "ReduceL2", "ReduceLogSumExp"})
    t[name] = reduced;
  for (auto name : {"ArgMax", "ArgMin"}) t[name] = position;
  for (auto name : {"MaxPool", "AveragePool"}) t[name] = pool;
  for (auto name : {"GlobalMaxPool", "GlobalAveragePool"}) t[name] = global_pool;
  t["Flatten"] = flattened, t["MatMul"] = matmul, t["Gemm"] = gemm, t["Conv"] = conv;
  t["ConvTranspose"] = conv_transpose, t["Slice"] = slice, t["Tile"] = tile, t["Pad"] = pad;
  t["GatherElements"] = gather_elements, t["GatherND"] = gather_nd;
  t["DepthToSpace"] = t["SpaceToDepth"] = squares, t["GridSample"] = grid_sample;
  t["ConstantOfShape"] = constant_of_shape, t["EyeLike"] = eye_like;
  t["Range"] = [](const onnx::Node&, const In& in) { return of(in, Ints{-1}); };
  t["Compress"] = [](const onnx::Node& n, const In& in) {
    return infer_attr<std::int64_t>(n, "axis") ? same_rank(n, in) : of(in, Ints{-1});
  };
}

namespace {

std::vector<Info> values_and_positions(const Info& values) {
  std::vector<Info> both(2, values);
  both[1].dtype = DType::int64;
  return both;
}

std::vector<Info> top_k(const onnx::Node& n, const In& in) {
  Info values = of(in, in[0]->shape);
  auto count = known(in, 1);
  auto axis = values.shape ? in_front(number(n, "axis", -1), *values.shape) : -1;
  if (values.shape && !is_axis(axis, *values.shape)) values.shape.reset();
  if (values.shape)
    (*values.shape)[static_cast<std::size_t>(axis)] =
        count && count->size() == 1 ? (*count)[0] : -1;
  return values_and_positions(values);
}

std::vector<Info> split(const onnx::Node& n, const In& in) {
  std::vector<Info> parts;
  auto axis = in[0]->shape ? in_front(number(n, "axis", 0), *in[0]->shape) : -1;
  for (auto size : known(in, 1).value_or(Ints{})) {
    Info part = of(in, in[0]->shape);
    if (part.shape && is_axis(axis, *part.shape))
      (*part.shape)[static_cast<std::size_t>(axis)] = size;
    parts.push_back(part);
  }
  return parts;
}

}  // namespace

std::vector<Info> infer_several(const onnx::Node& n, const std::vector<const Info*>& in) {
  if (n.op == "MaxPool") return values_and_positions(pool(n, in));
  if (n.op == "TopK") return top_k(n, in);
  if (n.op == "Split") return split(n, in);
  return {};
}

}  // namespace oarlock
