// NodeContext: functions that emit common nodes and constants of every dtype.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "convert/graph_builder.h"
#include "convert/node_context.h"
#include "convert/registry.h"
#include "convert/scalar_bytes.h"

namespace oarlock {

Value NodeContext::cast(Value v, DType to) {
  require(find_dtype_row(to), "cannot cast to an unknown dtype");
  if (dtype(v) == to) return v;
  require(ort_has_kernel("Cast", to), "ONNX Runtime has no " + std::string(name_of(to)));
  return emit("Cast", {v}, {{"to", std::int64_t{onnx_of(to)}}});
}

Value NodeContext::transpose(Value v, const Ints& perm) {
  bool same = true;
  for (std::size_t i = 0; i < perm.size(); ++i) same &= perm[i] == static_cast<std::int64_t>(i);
  return same ? v : emit("Transpose", {v}, {{"perm", perm}});
}

Value NodeContext::swap_last_axes(Value v) {
  int r = rank(v);
  require(r >= 2, "'" + name(v) + "' needs a known rank of two or more to be transposed");
  Ints perm(static_cast<std::size_t>(r));
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[r - 1], perm[r - 2]);
  return emit("Transpose", {v}, {{"perm", perm}});
}

// Reshapes a weight without a node: the same bytes under a second name.  Returns Value{} if `v` is
// not a weight or the shape is unknown.
Value NodeContext::try_reshape_weight(Value v, const std::optional<Ints>& shape) {
  auto index = graph_.record_of(v).initializer;
  if (!index || !shape || std::count(shape->begin(), shape->end(), -1) > 1) return {};
  onnx::Initializer view = graph_.main_graph().initializers[*index];
  Ints to = *shape;
  std::int64_t count = 1, rest = 1;
  for (std::int64_t d : view.shape) count *= d;  // no overflow: the bytes exist
  for (std::int64_t d : to)
    if (__builtin_mul_overflow(rest, d < 0 ? 1 : d, &rest)) return {};
  for (std::int64_t& d : to)
    if (d < 0 && rest > 0) d = count / rest, rest = count;
  if (to == view.shape) return v;
  if (count == 0 || rest != count) return {};
  view.shape = to;
  view.name += format_shape(to);
  return graph_.add_initializer(std::move(view));
}

Value NodeContext::unsqueeze(Value v, const Ints& axes) {
  if (axes.empty()) return v;
  auto known = shape(v);
  auto final = static_cast<std::int64_t>(axes.size() + (known ? known->size() : 0));
  Ints sorted = axes;
  for (std::int64_t& a : sorted) a += a < 0 ? final : 0;
  std::sort(sorted.begin(), sorted.end());
  for (std::int64_t a : sorted)
    if (known && a >= 0 && a <= static_cast<std::int64_t>(known->size()))
      known->insert(known->begin() + a, 1);
    else
      known.reset();
  if (Value view = try_reshape_weight(v, known)) return view;
  if (known)
    return opset() < 13 ? emit("Unsqueeze", {v}, {{"axes", sorted}})
                        : emit("Unsqueeze", {v, int64_vector(sorted)});
  return opset() < 13 ? emit("Unsqueeze", {v}, {{"axes", axes}})
                      : emit("Unsqueeze", {v, int64_vector(axes)});
}

Value NodeContext::squeeze(Value v, const Ints& axes) {
  if (axes.empty()) return v;
  return opset() < 13 ? emit("Squeeze", {v}, {{"axes", axes}})
                      : emit("Squeeze", {v, int64_vector(axes)});
}

Value NodeContext::reshape(Value v, const Ints& shape) {
  bool copies = std::count(shape.begin(), shape.end(), 0) > 0;
  Value view = try_reshape_weight(v, copies ? std::nullopt : std::optional(shape));
  return view ? view : emit("Reshape", {v, int64_vector(shape)});
}

Value NodeContext::emit_shape(Value v) { return emit("Shape", {v}); }

Value NodeContext::slice(Value v, const Ints& starts, const Ints& ends, const Ints& axes,
                         const Ints& steps) {
  if (opset() < 10 && steps.empty())
    return emit("Slice", {v}, {{"axes", axes}, {"starts", starts}, {"ends", ends}});
  Values in{v, int64_vector(starts), int64_vector(ends), int64_vector(axes)};
  if (!steps.empty()) in.push_back(int64_vector(steps));
  return emit("Slice", in);
}

Value NodeContext::concat(const Values& parts, std::int64_t axis) {
  return parts.size() == 1 ? parts[0] : emit("Concat", parts, {{"axis", axis}});
}

Value NodeContext::scalar(double value, DType dtype) {
  return tensor({dtype, {}, encode_scalar(value, dtype)});
}

Value NodeContext::vector(const Floats& values, DType dtype) {
  std::string bytes;
  for (double v : values) bytes += encode_scalar(v, dtype);
  return tensor({dtype, {static_cast<std::int64_t>(values.size())}, bytes});
}

Value NodeContext::make_int_constant_of_known_value(DType dtype, const PartialValue& known) {
  std::string bytes;
  for (std::int64_t v : known.values) {
    auto narrow = static_cast<std::int32_t>(v);
    bytes += dtype == DType::int64
                 ? std::string(reinterpret_cast<const char*>(&v), sizeof v)
                 : std::string(reinterpret_cast<const char*>(&narrow), sizeof narrow);
  }
  return tensor({dtype, known.shape, bytes});
}

std::optional<double> NodeContext::find_constant_scalar(Value v) const {
  auto content = find_constant(v);
  if (!content || content->bytes.size() != size_of(content->dtype)) return std::nullopt;
  return decode_scalar(content->bytes, content->dtype);
}

}  // namespace oarlock
