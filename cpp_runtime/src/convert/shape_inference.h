// What the two halves of the inference share.
#pragma once
#include <map>
#include <string_view>

#include "convert/graph_builder.h"

namespace oarlock {

using InferTable =
    std::map<std::string_view, Info (*)(const onnx::Node&, const std::vector<const Info*>&)>;

/// The rows of infer_sizes.cpp.
void add_size_rules(InferTable& table);

/// All outputs of an op that has several.   Empty for every other op.
std::vector<Info> infer_several(const onnx::Node& node, const std::vector<const Info*>& in);

/// An attribute of that type, or null.
template <class T>
const T* infer_attr(const onnx::Node& n, std::string_view name) {
  for (auto& [key, value] : n.attrs)
    if (key == name) return std::get_if<T>(&value);
  return nullptr;
}

/// The shape of two shapes broadcast; nullopt where one is not known.
std::optional<Ints> infer_broadcast(const std::optional<Ints>& a, const std::optional<Ints>& b);

/// Only the rank survives.
Info same_rank(const onnx::Node& n, const std::vector<const Info*>& in);

}  // namespace oarlock
