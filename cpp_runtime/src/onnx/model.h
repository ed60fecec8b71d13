// An ONNX model as plain data: what the lowering writes and the writer encodes.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "oarlock/dtype.h"
#include "paddle/program.h"

namespace oarlock::onnx {

/// A tensor with its bytes.   bytes: little-endian, C order.
struct Tensor {
  DType dtype = DType::none;
  Ints shape;
  std::string bytes;
};

struct Graph;

/// The value of a node's attribute.
using Attr = std::variant<std::int64_t, float, std::string, Ints, std::vector<float>, Strings,
                          Tensor, std::shared_ptr<Graph>>;

struct Node {
  std::string op, domain, name;
  Strings inputs, outputs;
  std::vector<std::pair<std::string, Attr>> attrs;
};

/// A weight: embedded bytes, or a stretch of the `.pdiparams`.
struct Initializer {
  std::string name;
  DType dtype = DType::none;
  Ints shape;
  std::string bytes;  // where not external
  bool external = false;
  std::size_t offset = 0, length = 0;
};

/// An input or output.   symbols: the name of each dim that is -1, "" where it has none; known:
/// whether there is a shape.
struct ValueInfo {
  std::string name;
  DType dtype = DType::none;
  Ints shape;
  Strings symbols;
  bool known = true;
  bool sequence = false;  // of tensors of that dtype
};

struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<Initializer> initializers;
  std::vector<ValueInfo> inputs, outputs;
};

struct Model {
  int ir = 8;
  int opset = 17;
  Graph graph;
  std::vector<std::pair<std::string, std::string>> metadata;
  Strings domains;       // besides ONNX's own, each at version 1
  std::string location;  // of external data: the name of the `.pdiparams`
};

/// ModelProto bytes; the same model gives the same bytes.
std::string to_bytes(const Model& model);

/// One line per node: `y = LeakyRelu<alpha=0.1>(x)`; subgraphs indented.
std::string to_text(const Graph& graph);

/// ModelProto bytes of a network for pictures in which the weights of its few products are inputs
/// with a default, which the engine does not copy into another order when it starts; others as they
/// were.   Error(file).
std::string without_packing(std::string model);

/// Drop nodes and initializers that no output needs.
void prune(Graph& graph);

/// Give each subgraph its own small constants, without which shape inference goes wrong there.
void keep_local(Graph& graph);

}  // namespace oarlock::onnx
