// Declarations shared by shape_inference.cpp and shape_inference_sizes.cpp.
#pragma once
#include <map>
#include <string_view>

#include "convert/graph_builder.h"

namespace oarlock {

using InferenceTable =
    std::map<std::string_view,
             ValueType (*)(const onnx::Node&, const std::vector<const ValueType*>&)>;

/// Adds the rules of shape_inference_sizes.cpp.
void add_conv_matmul_reduce_slice_inference(InferenceTable& table);

/// The types of all outputs of an op with several; empty for other ops.
std::vector<ValueType> infer_multiple_outputs(const onnx::Node& node,
                                              const std::vector<const ValueType*>& in);

/// The attribute if it has that type, or null.
template <class T>
const T* find_node_attr(const onnx::Node& n, std::string_view name) {
  for (auto& [key, value] : n.attrs)
    if (key == name) return std::get_if<T>(&value);
  return nullptr;
}

/// An integer attribute, or the default value if it is absent or of another type.
inline std::int64_t int_attr(const onnx::Node& n, std::string_view name,
                             std::int64_t default_value) {
  auto* found = find_node_attr<std::int64_t>(n, name);
  return found ? *found : default_value;
}

/// The broadcast shape; nullopt if either is unknown.  Sizes that do not fit are not rejected: the
/// size of `a` is returned, and ONNX Runtime rejects the node.
std::optional<Ints> broadcast_shapes_unchecked(const std::optional<Ints>& a,
                                               const std::optional<Ints>& b);

/// The type of the first input, with unknown sizes.
ValueType infer_same_rank(const onnx::Node& n, const std::vector<const ValueType*>& in);

}  // namespace oarlock
