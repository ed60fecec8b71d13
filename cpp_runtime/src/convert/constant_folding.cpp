// Shape arithmetic done at lowering time.  A dim that is not known stays kUnknown and does not
// spoil its neighbours, so `shape(x)[1:]` of an image batch is a constant although the batch is
// not.
#include <cstring>
#include <map>
#include <numeric>

#include "convert/graph_builder.h"
#include "paddle/validator.h"

namespace oarlock {

std::optional<Ints> as_ints(const Constant& c) {
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

using In = std::vector<const Info*>;
using Folded = std::optional<Known>;

std::int64_t int_attr(const onnx::Node& n, std::string_view name, std::int64_t otherwise) {
  for (auto& [key, value] : n.attrs)
    if (auto* v = std::get_if<std::int64_t>(&value); v && key == name) return *v;
  return otherwise;
}

Folded vector_of(Ints values) {
  return Known{{static_cast<std::int64_t>(values.size())}, std::move(values)};
}

Folded fold_shape(const onnx::Node& n, const In& in) {
  if (!in[0]->shape || !n.attrs.empty()) return std::nullopt;
  Ints dims = *in[0]->shape;
  for (std::int64_t& d : dims)
    if (d < 0) d = kUnknown;
  return vector_of(dims);
}

// Every index is known; the data may be partly unknown.
Folded fold_gather(const onnx::Node& n, const In& in) {
  if (int_attr(n, "axis", 0) != 0 || in[0]->known->shape.size() != 1) return std::nullopt;
  const Ints& data = in[0]->known->values;
  Known out{in[1]->known->shape, {}};
  for (std::int64_t i : in[1]->known->values) {
    std::int64_t at = i < 0 ? i + static_cast<std::int64_t>(data.size()) : i;
    if (i == kUnknown || at < 0 || at >= static_cast<std::int64_t>(data.size()))
      return std::nullopt;
    out.values.push_back(data[at]);
  }
  return out;
}

bool one_known(const Info& info) {
  return info.known && info.known->values.size() == 1 && info.known->values[0] != kUnknown;
}

Folded fold_slice(const onnx::Node&, const In& in) {
  if (in.size() < 3 || in[0]->known->shape.size() != 1) return std::nullopt;
  for (std::size_t i = 1; i < in.size(); ++i)
    if (!one_known(*in[i])) return std::nullopt;
  const Ints& data = in[0]->known->values;
  auto size = static_cast<std::int64_t>(data.size());
  std::int64_t step = in.size() > 4 ? in[4]->known->values[0] : 1;
  if (step != 1) return std::nullopt;
  auto clamp = [&](std::int64_t v) {
    return std::min(std::max(v < 0 ? v + size : v, std::int64_t{0}), size);
  };
  std::int64_t from = clamp(in[1]->known->values[0]),
               to = std::max(from, clamp(in[2]->known->values[0]));
  return vector_of(Ints(data.begin() + from, data.begin() + to));
}

Folded fold_concat(const onnx::Node&, const In& in) {
  Ints all;
  for (const Info* part : in) {
    if (part->known->shape.size() != 1) return std::nullopt;
    all.insert(all.end(), part->known->values.begin(), part->known->values.end());
  }
  return vector_of(all);
}

// Squeeze, Unsqueeze, Reshape between [] and [n]: the same elements, the inferred shape.
Folded fold_regroup(const onnx::Node& n, const In& in) {
  auto shape = infer(n, in)[0].shape;
  if (!shape || shape->size() > 1) return std::nullopt;
  const Ints& values = in[0]->known->values;
  if (shape->empty() && values.size() != 1) return std::nullopt;
  return Known{shape->empty() ? Ints{} : Ints{static_cast<std::int64_t>(values.size())}, values};
}

Folded fold_same(const onnx::Node& n, const In& in) {
  DType to = infer(n, in)[0].dtype;
  if (to != DType::int64 && to != DType::int32) return std::nullopt;
  for (std::int64_t v : in[0]->known->values)
    if (to == DType::int32 && v != kUnknown && v != static_cast<std::int32_t>(v))
      return std::nullopt;
  return *in[0]->known;
}

std::int64_t apply(char op, std::int64_t a, std::int64_t b) {
  std::int64_t r = 0;
  if (a == kUnknown || b == kUnknown) return kUnknown;
  switch (op) {
    case 'A':
      return __builtin_add_overflow(a, b, &r) ? kUnknown : r;
    case 'S':
      return __builtin_sub_overflow(a, b, &r) ? kUnknown : r;
    case 'M':
      return __builtin_mul_overflow(a, b, &r) ? kUnknown : r;
    default:
      return b == 0 || a < 0 || b < 0 ? kUnknown
                                      : a / b;  // signs round differently in Paddle and ONNX
  }
}

Folded fold_binary(const onnx::Node& n, const In& in) {
  if (in.size() != 2 || !in[1]->known) return std::nullopt;
  const Known &a = *in[0]->known, &b = *in[1]->known;
  std::size_t size = std::max(a.values.size(), b.values.size());
  if ((a.values.size() != size && a.values.size() != 1) ||
      (b.values.size() != size && b.values.size() != 1))
    return std::nullopt;
  Known out{a.shape.size() >= b.shape.size() ? a.shape : b.shape, {}};
  if (!out.shape.empty()) out.shape = {static_cast<std::int64_t>(size)};
  for (std::size_t i = 0; i < size; ++i)
    out.values.push_back(apply(n.op[0], a.values[a.values.size() == 1 ? 0 : i],
                               b.values[b.values.size() == 1 ? 0 : i]));
  return out;
}

using FoldRule = Folded (*)(const onnx::Node&, const In&);
FoldRule find_rule_of(std::string_view op) {
  static const std::map<std::string_view, FoldRule> rules = {
      {"Gather", fold_gather},   {"Slice", fold_slice},       {"Concat", fold_concat},
      {"Squeeze", fold_regroup}, {"Unsqueeze", fold_regroup}, {"Reshape", fold_regroup},
      {"Cast", fold_same},       {"Identity", fold_same},     {"Add", fold_binary},
      {"Sub", fold_binary},      {"Mul", fold_binary},        {"Div", fold_binary},
  };
  auto found = rules.find(op);
  return found == rules.end() ? nullptr : found->second;
}

}  // namespace

std::optional<Known> fold(const onnx::Node& node, const std::vector<const Info*>& in) {
  if (node.op == "Shape") return fold_shape(node, in);
  FoldRule rule = find_rule_of(node.op);
  if (!rule || in.empty()) return std::nullopt;
  bool regroup = rule == fold_regroup;
  for (std::size_t i = 0; i < in.size(); ++i)
    if (!in[i]->known && !(regroup && i > 0)) return std::nullopt;
  return rule(node, in);
}

}  // namespace oarlock
