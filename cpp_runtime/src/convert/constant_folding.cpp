// Folds integer shape arithmetic at conversion time. Each element of a tensor is known or
// kUnknownElement, so `shape(x)[1:]` is constant even if the batch size is dynamic.
#include <cstring>
#include <map>
#include <numeric>

#include "convert/shape_inference.h"
#include "paddle/validator.h"

namespace oarlock {

std::optional<Ints> try_decode_ints(const Constant& c) {
  if (c.dtype != DType::int64 && c.dtype != DType::int32) return std::nullopt;
  std::size_t size = size_of(c.dtype), count = c.bytes.size() / size;
  Ints values(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::int32_t narrow = 0;
    if (c.dtype == DType::int64) {
      std::memcpy(&values[i], c.bytes.data() + i * size, size);
    } else {
      std::memcpy(&narrow, c.bytes.data() + i * size, size);
      values[i] = narrow;
    }
  }
  return values;
}

namespace {

using Inputs = std::vector<const ValueType*>;
using OptionalValue = std::optional<PartialValue>;

OptionalValue make_1d_partial_value(Ints values) {
  return PartialValue{{static_cast<std::int64_t>(values.size())}, std::move(values)};
}

OptionalValue partial_value_of_shape(const onnx::Node& n, const Inputs& in) {
  if (!in[0]->shape || !n.attrs.empty()) return std::nullopt;
  Ints dims = *in[0]->shape;
  for (std::int64_t& d : dims)
    if (d < 0) d = kUnknownElement;
  return make_1d_partial_value(dims);
}

// Folds a Gather. All indices of the Gather must be known; its data may be partly unknown.
OptionalValue partial_value_of_gather(const onnx::Node& n, const Inputs& in) {
  if (int_attr(n, "axis", 0) != 0 || in[0]->partial_value->shape.size() != 1) return std::nullopt;
  const Ints& data = in[0]->partial_value->values;
  PartialValue out{in[1]->partial_value->shape, {}};
  for (std::int64_t i : in[1]->partial_value->values) {
    std::int64_t at = i < 0 ? i + static_cast<std::int64_t>(data.size()) : i;
    if (i == kUnknownElement || at < 0 || at >= static_cast<std::int64_t>(data.size()))
      return std::nullopt;
    out.values.push_back(data[at]);
  }
  return out;
}

bool is_known_single_element(const ValueType& info) {
  return info.partial_value && info.partial_value->values.size() == 1 &&
         info.partial_value->values[0] != kUnknownElement;
}

OptionalValue partial_value_of_slice(const onnx::Node&, const Inputs& in) {
  if (in.size() < 3 || in[0]->partial_value->shape.size() != 1) return std::nullopt;
  for (std::size_t i = 1; i < in.size(); ++i)
    if (!is_known_single_element(*in[i])) return std::nullopt;
  const Ints& data = in[0]->partial_value->values;
  auto size = static_cast<std::int64_t>(data.size());
  std::int64_t step = in.size() > 4 ? in[4]->partial_value->values[0] : 1;
  if (step != 1) return std::nullopt;
  auto clamp = [&](std::int64_t v) {
    return std::min(std::max(v < 0 ? v + size : v, std::int64_t{0}), size);
  };
  std::int64_t from = clamp(in[1]->partial_value->values[0]),
               to = std::max(from, clamp(in[2]->partial_value->values[0]));
  return make_1d_partial_value(Ints(data.begin() + from, data.begin() + to));
}

OptionalValue partial_value_of_concat(const onnx::Node&, const Inputs& in) {
  Ints all;
  for (const ValueType* part : in) {
    if (part->partial_value->shape.size() != 1) return std::nullopt;
    all.insert(all.end(), part->partial_value->values.begin(), part->partial_value->values.end());
  }
  return make_1d_partial_value(all);
}

// Folds Squeeze, Unsqueeze and Reshape between the shapes [] and [n]: the elements are unchanged.
OptionalValue partial_value_of_reshape(const onnx::Node& n, const Inputs& in) {
  auto shape = infer_node_output_types(n, in)[0].shape;
  if (!shape || shape->size() > 1) return std::nullopt;
  const Ints& values = in[0]->partial_value->values;
  if (shape->empty() && values.size() != 1) return std::nullopt;
  return PartialValue{shape->empty() ? Ints{} : Ints{static_cast<std::int64_t>(values.size())},
                      values};
}

OptionalValue partial_value_of_identity_or_cast(const onnx::Node& n, const Inputs& in) {
  DType to = infer_node_output_types(n, in)[0].dtype;
  if (to != DType::int64 && to != DType::int32) return std::nullopt;
  for (std::int64_t v : in[0]->partial_value->values)
    if (to == DType::int32 && v != kUnknownElement && v != static_cast<std::int32_t>(v))
      return std::nullopt;
  return *in[0]->partial_value;
}

// One element of partial_value_of_binary().  op: the first letter of the ONNX op (A, S, M;
// otherwise Div). kUnknownElement if an operand is unknown, the result overflows or the division is
// not folded.
std::int64_t fold_binary_element(char op, std::int64_t a, std::int64_t b) {
  std::int64_t r = 0;
  if (a == kUnknownElement || b == kUnknownElement) return kUnknownElement;
  switch (op) {
    case 'A':
      return __builtin_add_overflow(a, b, &r) ? kUnknownElement : r;
    case 'S':
      return __builtin_sub_overflow(a, b, &r) ? kUnknownElement : r;
    case 'M':
      return __builtin_mul_overflow(a, b, &r) ? kUnknownElement : r;
    default:
      return b == 0 || a < 0 || b < 0
                 ? kUnknownElement
                 : a / b;  // Paddle and ONNX round negative quotients differently
  }
}

OptionalValue partial_value_of_binary(const onnx::Node& n, const Inputs& in) {
  if (in.size() != 2 || !in[1]->partial_value) return std::nullopt;
  const PartialValue &a = *in[0]->partial_value, &b = *in[1]->partial_value;
  std::size_t size = std::max(a.values.size(), b.values.size());
  if ((a.values.size() != size && a.values.size() != 1) ||
      (b.values.size() != size && b.values.size() != 1))
    return std::nullopt;
  PartialValue out{a.shape.size() >= b.shape.size() ? a.shape : b.shape, {}};
  if (!out.shape.empty()) out.shape.assign(1, static_cast<std::int64_t>(size));
  for (std::size_t i = 0; i < size; ++i)
    out.values.push_back(fold_binary_element(n.op[0], a.values[a.values.size() == 1 ? 0 : i],
                                             b.values[b.values.size() == 1 ? 0 : i]));
  return out;
}

using FoldRule = OptionalValue (*)(const onnx::Node&, const Inputs&);
FoldRule find_fold_rule(std::string_view op) {
  static const std::map<std::string_view, FoldRule> rules = {
      {"Gather", partial_value_of_gather},
      {"Slice", partial_value_of_slice},
      {"Concat", partial_value_of_concat},
      {"Squeeze", partial_value_of_reshape},
      {"Unsqueeze", partial_value_of_reshape},
      {"Reshape", partial_value_of_reshape},
      {"Cast", partial_value_of_identity_or_cast},
      {"Identity", partial_value_of_identity_or_cast},
      {"Add", partial_value_of_binary},
      {"Sub", partial_value_of_binary},
      {"Mul", partial_value_of_binary},
      {"Div", partial_value_of_binary},
  };
  auto found = rules.find(op);
  return found == rules.end() ? nullptr : found->second;
}

}  // namespace

std::optional<PartialValue> fold_node_to_partial_value(const onnx::Node& node,
                                                       const std::vector<const ValueType*>& in) {
  if (node.op == "Shape") return partial_value_of_shape(node, in);
  FoldRule rule = find_fold_rule(node.op);
  if (!rule || in.empty()) return std::nullopt;
  bool is_reshape = rule == partial_value_of_reshape;
  for (std::size_t i = 0; i < in.size(); ++i)
    if (!in[i]->partial_value && !(is_reshape && i > 0)) return std::nullopt;
  return rule(node, in);
}

}  // namespace oarlock
