// Shape and dtype inference of emitted nodes, as far as conversion rules need it. A shape or dtype
// may always be left unknown, because ONNX Runtime infers all of them again.
#include "convert/shape_inference.h"

#include <algorithm>
#include <map>

namespace oarlock {

std::optional<Ints> broadcast_shapes_unchecked(const std::optional<Ints>& a,
                                               const std::optional<Ints>& b) {
  if (!a || !b) return std::nullopt;
  Ints out(std::max(a->size(), b->size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::int64_t x = i < a->size() ? (*a)[a->size() - 1 - i] : 1,
                 y = i < b->size() ? (*b)[b->size() - 1 - i] : 1;
    out[out.size() - 1 - i] = x == 1 ? y : y == 1 || x == y ? x : x < 0 ? y : x;
  }
  return out;
}

ValueType infer_same_rank(const onnx::Node&, const std::vector<const ValueType*>& in) {
  ValueType info{in[0]->dtype, std::nullopt, std::nullopt};
  if (in[0]->shape) info.shape = Ints(in[0]->shape->size(), -1);
  return info;
}

namespace {

using Inputs = std::vector<const ValueType*>;

// The axes of a node: its attribute before opset 13, its second input since; nullopt if they are
// not known.
std::optional<Ints> read_axes(const onnx::Node& n, const Inputs& in) {
  if (auto* axes_attr = find_node_attr<Ints>(n, "axes")) return *axes_attr;
  if (in.size() > 1 && in[1]->partial_value) return in[1]->partial_value->values;
  return std::nullopt;
}

bool try_normalize_and_sort_axes(Ints& axes, std::int64_t rank) {
  for (std::int64_t& a : axes) {
    if (a < 0) a += rank;
    if (a < 0 || a >= rank) return false;
  }
  std::sort(axes.begin(), axes.end());
  return true;
}

ValueType infer_same_type(const onnx::Node&, const Inputs& in) {
  return {in[0]->dtype, in[0]->shape, std::nullopt, in[0]->is_sequence};
}

ValueType infer_binary(const onnx::Node&, const Inputs& in) {
  if (in.size() < 2) return {};
  return {in[0]->dtype != DType::none ? in[0]->dtype : in[1]->dtype,
          broadcast_shapes_unchecked(in[0]->shape, in[1]->shape), std::nullopt};
}

ValueType infer_comparison(const onnx::Node& n, const Inputs& in) {
  ValueType info = infer_binary(n, in);
  info.dtype = DType::boolean;
  return info;
}

ValueType infer_boolean_of_same_shape(const onnx::Node&, const Inputs& in) {
  return {DType::boolean, in[0]->shape, std::nullopt};
}

ValueType infer_where(const onnx::Node&, const Inputs& in) {
  if (in.size() < 3) return {};
  return {in[1]->dtype,
          broadcast_shapes_unchecked(in[0]->shape,
                                     broadcast_shapes_unchecked(in[1]->shape, in[2]->shape)),
          std::nullopt};
}

ValueType infer_cast(const onnx::Node& n, const Inputs& in) {
  auto* to = find_node_attr<std::int64_t>(n, "to");
  return {to ? find_dtype_by_onnx_number(static_cast<int>(*to)) : DType::none, in[0]->shape,
          std::nullopt};
}

ValueType infer_shape(const onnx::Node&, const Inputs& in) {
  ValueType info{DType::int64, std::nullopt, std::nullopt};
  if (in[0]->shape) info.shape = Ints{static_cast<std::int64_t>(in[0]->shape->size())};
  return info;
}

ValueType infer_transpose(const onnx::Node& n, const Inputs& in) {
  auto* perm = find_node_attr<Ints>(n, "perm");
  ValueType info{in[0]->dtype, std::nullopt, std::nullopt};
  if (!perm || !in[0]->shape || perm->size() != in[0]->shape->size()) return info;
  info.shape = Ints();
  for (std::int64_t p : *perm) {
    if (p < 0 || p >= static_cast<std::int64_t>(perm->size()))
      return {in[0]->dtype, std::nullopt, std::nullopt};
    info.shape->push_back((*in[0]->shape)[p]);
  }
  return info;
}

ValueType infer_unsqueeze(const onnx::Node& n, const Inputs& in) {
  ValueType info{in[0]->dtype, std::nullopt, std::nullopt};
  auto at = read_axes(n, in);
  if (!at || !in[0]->shape ||
      !try_normalize_and_sort_axes(*at,
                                   static_cast<std::int64_t>(in[0]->shape->size() + at->size())))
    return info;
  info.shape = in[0]->shape;
  for (std::int64_t a : *at) {
    if (a > static_cast<std::int64_t>(info.shape->size()))
      return {in[0]->dtype, std::nullopt, std::nullopt};
    info.shape->insert(info.shape->begin() + a, 1);
  }
  return info;
}

ValueType infer_squeeze(const onnx::Node& n, const Inputs& in) {
  ValueType info{in[0]->dtype, std::nullopt, std::nullopt};
  auto at = read_axes(n, in);
  if (!at || !in[0]->shape ||
      !try_normalize_and_sort_axes(*at, static_cast<std::int64_t>(in[0]->shape->size())))
    return info;
  info.shape = in[0]->shape;
  for (auto a = at->rbegin(); a != at->rend(); ++a)
    if (*a < static_cast<std::int64_t>(info.shape->size()))
      info.shape->erase(info.shape->begin() + *a);
  return info;
}

// The elements of an input that is a shape. An element that is not known at conversion time is
// kUnknownElement, not -1, which the shape of a Reshape may contain.
std::optional<Ints> shape_input_dims(const ValueType& shape) {
  constexpr std::int64_t max_rank = 64;  // number of dims
  if (shape.partial_value) return shape.partial_value->values;
  if (!shape.shape || shape.shape->size() != 1 || (*shape.shape)[0] < 0 ||
      (*shape.shape)[0] > max_rank)
    return std::nullopt;
  return Ints(static_cast<std::size_t>((*shape.shape)[0]), kUnknownElement);
}

// The size of the dim that a Reshape from `from` to `to` declares as -1; -1 unless the sizes of all
// dims that the Reshape does not copy are known.
std::int64_t infer_unknown_dim(const Ints& from, const Ints& to) {
  std::int64_t elements = 1, known_product = 1;
  for (std::size_t i = 0; i < std::max(from.size(), to.size()); ++i) {
    if (i < to.size() && i < from.size() && to[i] == 0) continue;
    if ((i < from.size() && from[i] <= 0) ||
        (i < to.size() && (to[i] == kUnknownElement || to[i] == 0)))
      return -1;
    if (i < from.size() && __builtin_mul_overflow(elements, from[i], &elements)) return -1;
    if (i < to.size() && to[i] > 0 && __builtin_mul_overflow(known_product, to[i], &known_product))
      return -1;
  }
  return elements % known_product ? -1 : elements / known_product;
}

ValueType infer_reshape(const onnx::Node&, const Inputs& in) {
  ValueType info{in[0]->dtype, in.size() < 2 ? std::nullopt : shape_input_dims(*in[1]),
                 std::nullopt};
  if (!info.shape) return info;
  Ints to = *info.shape;
  for (std::size_t i = 0; i < to.size(); ++i) {
    std::int64_t& d = (*info.shape)[i];
    if (d == 0) d = in[0]->shape && i < in[0]->shape->size() ? (*in[0]->shape)[i] : -1;
    if (to[i] == -1 && in[0]->shape) d = infer_unknown_dim(*in[0]->shape, to);
    if (d == kUnknownElement) d = -1;
  }
  return info;
}

ValueType infer_expand(const onnx::Node&, const Inputs& in) {
  ValueType info{in[0]->dtype, std::nullopt, std::nullopt};
  auto to = in.size() < 2 ? std::nullopt : shape_input_dims(*in[1]);
  if (to) std::replace(to->begin(), to->end(), kUnknownElement, std::int64_t{-1});
  info.shape = broadcast_shapes_unchecked(in[0]->shape, to);
  return info;
}

ValueType infer_concat(const onnx::Node& n, const Inputs& in) {
  auto* axis = find_node_attr<std::int64_t>(n, "axis");
  ValueType info = infer_same_type(n, in);
  if (!axis) return info;
  for (const ValueType* part : in) {
    if (!part->shape || !info.shape || part->shape->size() != info.shape->size())
      return {info.dtype, std::nullopt, std::nullopt};
  }
  auto rank = static_cast<std::int64_t>(info.shape->size());
  std::int64_t at = *axis < 0 ? *axis + rank : *axis, sum = 0;
  if (at < 0 || at >= rank) return {info.dtype, std::nullopt, std::nullopt};
  for (const ValueType* part : in)
    sum = (*part->shape)[at] < 0 || sum < 0 ? -1 : sum + (*part->shape)[at];
  for (const ValueType* part : in)
    for (std::size_t i = 0; i < info.shape->size(); ++i)
      if ((*info.shape)[i] < 0) (*info.shape)[i] = (*part->shape)[i];
  (*info.shape)[at] = sum;
  return info;
}

ValueType infer_gather(const onnx::Node& n, const Inputs& in) {
  auto* axis = find_node_attr<std::int64_t>(n, "axis");
  ValueType info{in[0]->dtype, std::nullopt, std::nullopt};
  if (in.size() < 2 || !in[0]->shape || !in[1]->shape) return info;
  auto rank = static_cast<std::int64_t>(in[0]->shape->size());
  std::int64_t at = axis ? (*axis < 0 ? *axis + rank : *axis) : 0;
  if (at < 0 || at >= rank) return info;
  info.shape = in[0]->shape;
  info.shape->erase(info.shape->begin() + at);
  info.shape->insert(info.shape->begin() + at, in[1]->shape->begin(), in[1]->shape->end());
  return info;
}

ValueType infer_dtype_only(const onnx::Node&, const Inputs& in) {
  return {in[0]->dtype, std::nullopt, std::nullopt};
}

ValueType infer_det(const onnx::Node&, const Inputs& in) {
  ValueType info = infer_dtype_only({}, in);
  if (in[0]->shape && in[0]->shape->size() >= 2)
    info.shape = Ints(in[0]->shape->begin(), in[0]->shape->end() - 2);
  return info;
}

const InferenceTable& onnx_type_inference_rules() {
  static const InferenceTable rules = [] {
    InferenceTable t;
    for (auto name : {"Abs",
                      "Acos",
                      "Acosh",
                      "Asin",
                      "Asinh",
                      "Atan",
                      "Atanh",
                      "Ceil",
                      "Celu",
                      "Clip",
                      "Cos",
                      "Cosh",
                      "CumSum",
                      "Elu",
                      "Erf",
                      "Exp",
                      "Floor",
                      "Gelu",
                      "HardSigmoid",
                      "HardSwish",
                      "Identity",
                      "InstanceNormalization",
                      "LayerNormalization",
                      "LRN",
                      "LeakyRelu",
                      "Log",
                      "LogSoftmax",
                      "Mish",
                      "Neg",
                      "Reciprocal",
                      "Relu",
                      "Round",
                      "ScatterElements",
                      "ScatterND",
                      "Selu",
                      "Sigmoid",
                      "Sign",
                      "Sin",
                      "Sinh",
                      "Softmax",
                      "Softplus",
                      "Softsign",
                      "Sqrt",
                      "Tan",
                      "Tanh",
                      "ThresholdedRelu",
                      "Trilu",
                      "Not",
                      "BatchNormalization",
                      "PRelu"})
      t[name] = infer_same_type;
    for (auto name : {"Add", "Sub", "Mul", "Div", "Pow", "Mod", "Max", "Min", "And", "Or", "Xor",
                      "BitwiseAnd", "BitwiseOr", "BitwiseXor"})
      t[name] = infer_binary;
    for (auto name : {"Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"})
      t[name] = infer_comparison;
    for (auto name : {"IsNaN", "IsInf"}) t[name] = infer_boolean_of_same_shape;
    for (auto name : {"Resize", "ReverseSequence"}) t[name] = infer_same_rank;
    for (auto name : {"Einsum"}) t[name] = infer_dtype_only;
    add_conv_matmul_reduce_slice_inference(t);
    for (auto name : {"SequenceInsert", "SequenceErase"})
      t[name] = [](const onnx::Node&, const Inputs& in) {
        return ValueType{in[0]->dtype, std::nullopt, std::nullopt, true};
      };
    for (auto name : {"SequenceAt", "ConcatFromSequence"}) t[name] = infer_dtype_only;
    t["SequenceLength"] = [](const onnx::Node&, const Inputs&) {
      return ValueType{DType::int64, Ints{}, std::nullopt};
    };
    t["Where"] = infer_where, t["Cast"] = infer_cast, t["Shape"] = infer_shape,
    t["Transpose"] = infer_transpose, t["Unsqueeze"] = infer_unsqueeze;
    t["Squeeze"] = infer_squeeze, t["Reshape"] = infer_reshape, t["Expand"] = infer_expand,
    t["Concat"] = infer_concat, t["Gather"] = infer_gather;
    t["Det"] = infer_det;
    t["NonZero"] = [](const onnx::Node&, const Inputs&) {
      return ValueType{DType::int64, Ints{-1, -1}, std::nullopt};
    };
    t["Size"] = [](const onnx::Node&, const Inputs&) {
      return ValueType{DType::int64, Ints{}, std::nullopt};
    };
    return t;
  }();
  return rules;
}

}  // namespace

std::vector<ValueType> infer_node_output_types(const onnx::Node& node,
                                               const std::vector<const ValueType*>& in) {
  if (!node.domain.empty() || in.empty()) return {ValueType{}};
  if (auto several = infer_multiple_outputs(node, in); !several.empty()) return several;
  auto rule = onnx_type_inference_rules().find(node.op);
  return {rule == onnx_type_inference_rules().end() ? ValueType{} : rule->second(node, in)};
}

}  // namespace oarlock
