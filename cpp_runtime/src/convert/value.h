// Handles of the tensors in an ONNX graph under construction.
#pragma once
#include <cstdint>
#include <vector>

namespace oarlock {

/// A tensor of the graph. GraphBuilder stores the type and the name of a value, and the node that
/// computes the value. Values are compared by identity. Value{} is an omitted optional input.
class Value {
 public:
  Value() = default;
  explicit operator bool() const { return id_ != 0; }
  friend bool operator==(Value, Value) = default;

 private:
  friend class GraphBuilder;
  // id: index of the value's record in GraphBuilder; 0 is an omitted input.
  explicit Value(std::size_t id) : id_(static_cast<std::uint32_t>(id)) {}

  std::uint32_t id_ = 0;
};

using Values = std::vector<Value>;

}  // namespace oarlock
