// A little shape and dtype inference over emitted nodes: enough that the next step of a rule, or
// the next rule, knows what it works on.  Saying nothing is always right; ONNX Runtime does the
// whole of it again.
#include "convert/shape_inference.h"

#include <algorithm>
#include <map>

namespace oarlock {

std::optional<Ints> infer_broadcast(const std::optional<Ints>& a, const std::optional<Ints>& b) {
  if (!a || !b) return std::nullopt;
  Ints out(std::max(a->size(), b->size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::int64_t x = i < a->size() ? (*a)[a->size() - 1 - i] : 1,
                 y = i < b->size() ? (*b)[b->size() - 1 - i] : 1;
    out[out.size() - 1 - i] = x == 1 ? y : y == 1 || x == y ? x : x < 0 ? y : x;
  }
  return out;
}

// Only the rank survives without more work.
Info same_rank(const onnx::Node&, const std::vector<const Info*>& in) {
  Info info{in[0]->dtype, std::nullopt, std::nullopt};
  if (in[0]->shape) info.shape = Ints(in[0]->shape->size(), -1);
  return info;
}

namespace {

using In = std::vector<const Info*>;

// Axes are an attribute before opset 13 and an input since.
std::optional<Ints> axes(const onnx::Node& n, const In& in) {
  if (auto* given = infer_attr<Ints>(n, "axes")) return *given;
  if (in.size() > 1 && in[1]->known) return in[1]->known->values;
  return std::nullopt;
}

bool normalise(Ints& axes, std::int64_t rank) {
  for (std::int64_t& a : axes) {
    if (a < 0) a += rank;
    if (a < 0 || a >= rank) return false;
  }
  std::sort(axes.begin(), axes.end());
  return true;
}

Info same(const onnx::Node&, const In& in) {
  return {in[0]->dtype, in[0]->shape, std::nullopt, in[0]->sequence};
}

Info binary(const onnx::Node&, const In& in) {
  if (in.size() < 2) return {};
  return {in[0]->dtype != DType::none ? in[0]->dtype : in[1]->dtype,
          infer_broadcast(in[0]->shape, in[1]->shape), std::nullopt};
}

Info comparison(const onnx::Node& n, const In& in) {
  Info info = binary(n, in);
  info.dtype = DType::boolean;
  return info;
}

Info boolean(const onnx::Node&, const In& in) {
  return {DType::boolean, in[0]->shape, std::nullopt};
}

Info where(const onnx::Node&, const In& in) {
  if (in.size() < 3) return {};
  return {in[1]->dtype, infer_broadcast(in[0]->shape, infer_broadcast(in[1]->shape, in[2]->shape)),
          std::nullopt};
}

Info cast(const onnx::Node& n, const In& in) {
  auto* to = infer_attr<std::int64_t>(n, "to");
  return {to ? dtype_of_onnx(static_cast<int>(*to)) : DType::none, in[0]->shape, std::nullopt};
}

Info shape_of(const onnx::Node&, const In& in) {
  Info info{DType::int64, std::nullopt, std::nullopt};
  if (in[0]->shape) info.shape = Ints{static_cast<std::int64_t>(in[0]->shape->size())};
  return info;
}

Info transpose(const onnx::Node& n, const In& in) {
  auto* perm = infer_attr<Ints>(n, "perm");
  Info info{in[0]->dtype, std::nullopt, std::nullopt};
  if (!perm || !in[0]->shape || perm->size() != in[0]->shape->size()) return info;
  info.shape = Ints();
  for (std::int64_t p : *perm) {
    if (p < 0 || p >= static_cast<std::int64_t>(perm->size()))
      return {in[0]->dtype, std::nullopt, std::nullopt};
    info.shape->push_back((*in[0]->shape)[p]);
  }
  return info;
}

Info unsqueeze(const onnx::Node& n, const In& in) {
  Info info{in[0]->dtype, std::nullopt, std::nullopt};
  auto at = axes(n, in);
  if (!at || !in[0]->shape ||
      !normalise(*at, static_cast<std::int64_t>(in[0]->shape->size() + at->size())))
    return info;
  info.shape = in[0]->shape;
  for (std::int64_t a : *at) {
    if (a > static_cast<std::int64_t>(info.shape->size()))
      return {in[0]->dtype, std::nullopt, std::nullopt};
    info.shape->insert(info.shape->begin() + a, 1);
  }
  return info;
}

Info squeeze(const onnx::Node& n, const In& in) {
  Info info{in[0]->dtype, std::nullopt, std::nullopt};
  auto at = axes(n, in);
  if (!at || !in[0]->shape || !normalise(*at, static_cast<std::int64_t>(in[0]->shape->size())))
    return info;
  info.shape = in[0]->shape;
  for (auto a = at->rbegin(); a != at->rend(); ++a)
    if (*a < static_cast<std::int64_t>(info.shape->size()))
      info.shape->erase(info.shape->begin() + *a);
  return info;
}

// What is known of a shape of which only the length may be known.
std::optional<Ints> dims_of(const Info& shape) {
  constexpr std::int64_t most = 64;  // of dims
  if (shape.known) return shape.known->values;
  if (!shape.shape || shape.shape->size() != 1 || (*shape.shape)[0] < 0 || (*shape.shape)[0] > most)
    return std::nullopt;
  return Ints(static_cast<std::size_t>((*shape.shape)[0]), kUnknown);
}

// The dim left open by -1, where the sizes of all that is not copied are known.
std::int64_t open_dim(const Ints& from, const Ints& to) {
  std::int64_t elements = 1, taken = 1;
  for (std::size_t i = 0; i < std::max(from.size(), to.size()); ++i) {
    if (i < to.size() && i < from.size() && to[i] == 0) continue;
    if ((i < from.size() && from[i] <= 0) || (i < to.size() && (to[i] == kUnknown || to[i] == 0)))
      return -1;
    if (i < from.size() && __builtin_mul_overflow(elements, from[i], &elements)) return -1;
    if (i < to.size() && to[i] > 0 && __builtin_mul_overflow(taken, to[i], &taken)) return -1;
  }
  return elements % taken ? -1 : elements / taken;
}

Info reshape(const onnx::Node&, const In& in) {
  Info info{in[0]->dtype, in.size() < 2 ? std::nullopt : dims_of(*in[1]), std::nullopt};
  if (!info.shape) return info;
  Ints to = *info.shape;
  for (std::size_t i = 0; i < to.size(); ++i) {
    std::int64_t& d = (*info.shape)[i];
    if (d == 0) d = in[0]->shape && i < in[0]->shape->size() ? (*in[0]->shape)[i] : -1;
    if (to[i] == -1 && in[0]->shape) d = open_dim(*in[0]->shape, to);
    if (d == kUnknown) d = -1;
  }
  return info;
}

Info expand(const onnx::Node&, const In& in) {
  Info info{in[0]->dtype, std::nullopt, std::nullopt};
  auto to = in.size() < 2 ? std::nullopt : dims_of(*in[1]);
  if (to) std::replace(to->begin(), to->end(), kUnknown, std::int64_t{-1});
  info.shape = infer_broadcast(in[0]->shape, to);
  return info;
}

Info concat(const onnx::Node& n, const In& in) {
  auto* axis = infer_attr<std::int64_t>(n, "axis");
  Info info = same(n, in);
  if (!axis) return info;
  for (const Info* part : in) {
    if (!part->shape || !info.shape || part->shape->size() != info.shape->size())
      return {info.dtype, std::nullopt, std::nullopt};
  }
  auto rank = static_cast<std::int64_t>(info.shape->size());
  std::int64_t at = *axis < 0 ? *axis + rank : *axis, sum = 0;
  if (at < 0 || at >= rank) return {info.dtype, std::nullopt, std::nullopt};
  for (const Info* part : in)
    sum = (*part->shape)[at] < 0 || sum < 0 ? -1 : sum + (*part->shape)[at];
  for (const Info* part : in)
    for (std::size_t i = 0; i < info.shape->size(); ++i)
      if ((*info.shape)[i] < 0) (*info.shape)[i] = (*part->shape)[i];
  (*info.shape)[at] = sum;
  return info;
}

Info gather(const onnx::Node& n, const In& in) {
  auto* axis = infer_attr<std::int64_t>(n, "axis");
  Info info{in[0]->dtype, std::nullopt, std::nullopt};
  if (in.size() < 2 || !in[0]->shape || !in[1]->shape) return info;
  auto rank = static_cast<std::int64_t>(in[0]->shape->size());
  std::int64_t at = axis ? (*axis < 0 ? *axis + rank : *axis) : 0;
  if (at < 0 || at >= rank) return info;
  info.shape = in[0]->shape;
  info.shape->erase(info.shape->begin() + at);
  info.shape->insert(info.shape->begin() + at, in[1]->shape->begin(), in[1]->shape->end());
  return info;
}

Info dtype_only(const onnx::Node&, const In& in) {
  return {in[0]->dtype, std::nullopt, std::nullopt};
}

Info det(const onnx::Node&, const In& in) {
  Info info = dtype_only({}, in);
  if (in[0]->shape && in[0]->shape->size() >= 2)
    info.shape = Ints(in[0]->shape->begin(), in[0]->shape->end() - 2);
  return info;
}

const InferTable& table() {
  static const InferTable built = [] {
    InferTable t;
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
      t[name] = same;
    for (auto name : {"Add", "Sub", "Mul", "Div", "Pow", "Mod", "Max", "Min", "And", "Or", "Xor",
                      "BitwiseAnd", "BitwiseOr", "BitwiseXor"})
      t[name] = binary;
    for (auto name : {"Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"})
      t[name] = comparison;
    for (auto name : {"IsNaN", "IsInf"}) t[name] = boolean;
    for (auto name : {"Resize", "ReverseSequence"}) t[name] = same_rank;
    for (auto name : {"Einsum"}) t[name] = dtype_only;
    add_size_rules(t);
    for (auto name : {"SequenceInsert", "SequenceErase"})
      t[name] = [](const onnx::Node&, const In& in) {
        return Info{in[0]->dtype, std::nullopt, std::nullopt, true};
      };
    for (auto name : {"SequenceAt", "ConcatFromSequence"}) t[name] = dtype_only;
    t["SequenceLength"] = [](const onnx::Node&, const In&) {
      return Info{DType::int64, Ints{}, std::nullopt};
    };
    t["Where"] = where, t["Cast"] = cast, t["Shape"] = shape_of, t["Transpose"] = transpose,
    t["Unsqueeze"] = unsqueeze;
    t["Squeeze"] = squeeze, t["Reshape"] = reshape, t["Expand"] = expand, t["Concat"] = concat,
    t["Gather"] = gather;
    t["Det"] = det;
    t["NonZero"] = [](const onnx::Node&, const In&) {
      return Info{DType::int64, Ints{-1, -1}, std::nullopt};
    };
    t["Size"] = [](const onnx::Node&, const In&) {
      return Info{DType::int64, Ints{}, std::nullopt};
    };
    return t;
  }();
  return built;
}

}  // namespace

std::vector<Info> infer(const onnx::Node& node, const std::vector<const Info*>& in) {
  if (!node.domain.empty() || in.empty()) return {Info{}};
  if (auto several = infer_several(node, in); !several.empty()) return several;
  auto rule = table().find(node.op);
  return {rule == table().end() ? Info{} : rule->second(node, in)};
}

}  // namespace oarlock
