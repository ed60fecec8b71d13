// A little shape and dtype inference over emitted nodes: enough that the next step of a rule, or the next rule, knows
// what it works on.  Saying nothing is always right; ONNX Runtime does the whole of it again.
#include <algorithm>
#include <map>

#include "lower/graph.h"

namespace oarlock {
namespace {

using In = std::vector<const Info*>;

template <class T>
const T* attr(const onnx::Node& n, std::string_view name) {
  for (auto& [key, value] : n.attrs)
    if (key == name) return std::get_if<T>(&value);
  return nullptr;
}

// Axes are an attribute before opset 13 and an input since.
std::optional<Ints> axes(const onnx::Node& n, const In& in) {
  if (auto* given = attr<Ints>(n, "axes")) return *given;
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

Info same(const onnx::Node&, const In& in) { return {in[0]->dtype, in[0]->shape, std::nullopt}; }

std::optional<Ints> broadcast(const std::optional<Ints>& a, const std::optional<Ints>& b) {
  if (!a || !b) return std::nullopt;
  Ints out(std::max(a->size(), b->size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::int64_t x = i < a->size() ? (*a)[a->size() - 1 - i] : 1, y = i < b->size() ? (*b)[b->size() - 1 - i] : 1;
    out[out.size() - 1 - i] = x == 1 ? y : y == 1 || x == y ? x : x < 0 ? y : x;
  }
  return out;
}

Info binary(const onnx::Node&, const In& in) {
  if (in.size() < 2) return {};
  return {in[0]->dtype != DType::none ? in[0]->dtype : in[1]->dtype, broadcast(in[0]->shape, in[1]->shape),
          std::nullopt};
}

Info comparison(const onnx::Node& n, const In& in) {
  Info info = binary(n, in);
  info.dtype = DType::boolean;
  return info;
}

Info boolean(const onnx::Node&, const In& in) { return {DType::boolean, in[0]->shape, std::nullopt}; }

Info where(const onnx::Node&, const In& in) {
  if (in.size() < 3) return {};
  return {in[1]->dtype, broadcast(in[0]->shape, broadcast(in[1]->shape, in[2]->shape)), std::nullopt};
}

Info cast(const onnx::Node& n, const In& in) {
  auto* to = attr<std::int64_t>(n, "to");
  return {to ? dtype_of_onnx(static_cast<int>(*to)) : DType::none, in[0]->shape, std::nullopt};
}

Info shape_of(const onnx::Node&, const In& in) {
  Info info{DType::int64, std::nullopt, std::nullopt};
  if (in[0]->shape) info.shape = Ints{static_cast<std::int64_t>(in[0]->shape->size())};
  return info;
}

Info transpose(const onnx::Node& n, const In& in) {
  auto* perm = attr<Ints>(n, "perm");
  Info info{in[0]->dtype, std::nullopt, std::nullopt};
  if (!perm || !in[0]->shape || perm->size() != in[0]->shape->size()) return info;
  info.shape = Ints();
  for (std::int64_t p : *perm) {
    if (p < 0 || p >= static_cast<std::int64_t>(perm->size())) return {in[0]->dtype, std::nullopt, std::nullopt};
    info.shape->push_back((*in[0]->shape)[p]);
  }
  return info;
}

Info unsqueeze(const onnx::Node& n, const In& in) {
  Info info{in[0]->dtype, std::nullopt, std::nullopt};
  auto at = axes(n, in);
  if (!at || !in[0]->shape || !normalise(*at, static_cast<std::int64_t>(in[0]->shape->size() + at->size())))
    return info;
  info.shape = in[0]->shape;
  for (std::int64_t a : *at) {
    if (a > static_cast<std::int64_t>(info.shape->size())) return {in[0]->dtype, std::nullopt, std::nullopt};
    info.shape->insert(info.shape->begin() + a, 1);
  }
  return info;
}

Info squeeze(const onnx::Node& n, const In& in) {
  Info info{in[0]->dtype, std::nullopt, std::nullopt};
  auto at = axes(n, in);
  if (!at || !in[0]->shape || !normalise(*at, static_cast<std::int64_t>(in[0]->shape->size()))) return info;
  info.shape = in[0]->shape;
  for (auto a = at->rbegin(); a != at->rend(); ++a)
    if (*a < static_cast<std::int64_t>(info.shape->size())) info.shape->erase(info.shape->begin() + *a);
  return info;
}

Info reshape(const onnx::Node&, const In& in) {
  Info info{in[0]->dtype, std::nullopt, std::nullopt};
  if (in.size() < 2 || !in[1]->known) {
    if (in.size() > 1 && in[1]->shape && in[1]->shape->size() == 1 && (*in[1]->shape)[0] >= 0)
      info.shape = Ints(static_cast<std::size_t>((*in[1]->shape)[0]), -1);
    return info;
  }
  info.shape = in[1]->known->values;
  for (std::size_t i = 0; i < info.shape->size(); ++i) {
    std::int64_t& d = (*info.shape)[i];
    if (d == 0) d = in[0]->shape && i < in[0]->shape->size() ? (*in[0]->shape)[i] : -1;
    if (d == kUnknown) d = -1;
  }
  return info;
}

Info expand(const onnx::Node&, const In& in) {
  Info info{in[0]->dtype, std::nullopt, std::nullopt};
  if (in.size() < 2 || !in[1]->known) return info;
  Ints to = in[1]->known->values;
  std::replace(to.begin(), to.end(), kUnknown, std::int64_t{-1});
  info.shape = broadcast(in[0]->shape, to);
  return info;
}

Info concat(const onnx::Node& n, const In& in) {
  auto* axis = attr<std::int64_t>(n, "axis");
  Info info = same(n, in);
  if (!axis) return info;
  for (const Info* part : in) {
    if (!part->shape || !info.shape || part->shape->size() != info.shape->size())
      return {info.dtype, std::nullopt, std::nullopt};
  }
  auto rank = static_cast<std::int64_t>(info.shape->size());
  std::int64_t at = *axis < 0 ? *axis + rank : *axis, sum = 0;
  if (at < 0 || at >= rank) return {info.dtype, std::nullopt, std::nullopt};
  for (const Info* part : in) sum = (*part->shape)[at] < 0 || sum < 0 ? -1 : sum + (*part->shape)[at];
  for (const Info* part : in)
    for (std::size_t i = 0; i < info.shape->size(); ++i)
      if ((*info.shape)[i] < 0) (*info.shape)[i] = (*part->shape)[i];
  (*info.shape)[at] = sum;
  return info;
}

Info gather(const onnx::Node& n, const In& in) {
  auto* axis = attr<std::int64_t>(n, "axis");
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

// Only the rank survives without more work.
Info same_rank(const onnx::Node&, const In& in) {
  Info info{in[0]->dtype, std::nullopt, std::nullopt};
  if (in[0]->shape) info.shape = Ints(in[0]->shape->size(), -1);
  return info;
}

Info dtype_only(const onnx::Node&, const In& in) { return {in[0]->dtype, std::nullopt, std::nullopt}; }

using Rule = Info (*)(const onnx::Node&, const In&);

const std::map<std::string_view, Rule>& table() {
  static const std::map<std::string_view, Rule> built = [] {
    std::map<std::string_view, Rule> t;
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
    for (auto name : {"Add", "Sub", "Mul", "Div", "Pow", "Mod", "Max", "Min", "And", "Or", "Xor", "BitwiseAnd",
                      "BitwiseOr", "BitwiseXor"})
      t[name] = binary;
    for (auto name : {"Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"}) t[name] = comparison;
    for (auto name : {"IsNaN", "IsInf"}) t[name] = boolean;
    for (auto name : {"Slice", "Pad", "Conv", "MaxPool", "AveragePool", "Tile", "Resize", "ReverseSequence"})
      t[name] = same_rank;
    for (auto name :
         {"MatMul",         "Gemm",       "ConvTranspose", "ReduceSum",         "ReduceMean",      "ReduceMax",
          "ReduceMin",      "ReduceProd", "ReduceL1",      "ReduceL2",          "ReduceLogSumExp", "Flatten",
          "GatherElements", "GatherND",   "Compress",      "GlobalAveragePool", "GlobalMaxPool",   "DepthToSpace",
          "SpaceToDepth",   "Einsum"})
      t[name] = dtype_only;
    t["Where"] = where, t["Cast"] = cast, t["Shape"] = shape_of, t["Transpose"] = transpose, t["Unsqueeze"] = unsqueeze;
    t["Squeeze"] = squeeze, t["Reshape"] = reshape, t["Expand"] = expand, t["Concat"] = concat, t["Gather"] = gather;
    t["NonZero"] = [](const onnx::Node&, const In&) { return Info{DType::int64, Ints{-1, -1}, std::nullopt}; };
    t["Size"] = [](const onnx::Node&, const In&) { return Info{DType::int64, Ints{}, std::nullopt}; };
    for (auto name : {"ArgMax", "ArgMin"})
      t[name] = [](const onnx::Node&, const In&) { return Info{DType::int64, std::nullopt, std::nullopt}; };
    return t;
  }();
  return built;
}

}  // namespace

std::vector<Info> infer(const onnx::Node& node, const std::vector<const Info*>& in) {
  if (!node.domain.empty() || in.empty()) return {Info{}};
  auto rule = table().find(node.op);
  return {rule == table().end() ? Info{} : rule->second(node, in)};
}

}  // namespace oarlock
