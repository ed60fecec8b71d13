// ONNX models as plain data: written by the converter, read by the writer.
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

/// A constant tensor. bytes: little-endian, C order.
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

/// A weight: embedded bytes, or a range of the external `.pdiparams`.
struct Initializer {
  std::string name;
  DType dtype = DType::none;
  Ints shape;
  std::string bytes;  // if not external
  bool is_external = false;
  std::size_t offset = 0, length = 0;
};

/// An input or output of a graph. symbols: the name of each dim that is -1, "" if it has none;
/// has_shape: false if the rank is unknown.
struct ValueInfo {
  std::string name;
  DType dtype = DType::none;
  Ints shape;
  Strings symbols;
  bool has_shape = true;
  bool is_sequence = false;  // a sequence of tensors of that dtype
};

struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<Initializer> initializers;
  std::vector<ValueInfo> inputs, outputs;
};

struct Model {
  int ir_version = 8;
  int opset = 17;
  Graph graph;
  std::vector<std::pair<std::string, std::string>> metadata;
  Strings domains;       // domains other than ONNX's own, each at version 1
  std::string location;  // file name of the external data: the `.pdiparams`
};

/// Serializes to ModelProto bytes, deterministically.
std::string to_bytes(const Model& model);

/// Formats a graph with one line per node, `y = LeakyRelu<alpha=0.1>(x)`; subgraphs are indented.
std::string to_text(const Graph& graph);

/// Rewrites a serialized model without subgraphs whose matrix products hold at most 1/8 of all
/// weights, as in image networks: the 2-D float32 weights that only these products use become graph
/// inputs with default values. ONNX Runtime does not pack weights that are graph inputs at session
/// creation. A model with subgraphs or with a larger share of such weights is returned unchanged.
/// Throws Error(file).
std::string make_matmul_weights_inputs_if_minor_share(std::string model);

/// Dequantizes int8 weights by Cast and Mul where ops that compute in float read them.
void dequantize_weights_of_float_ops_by_multiplication(Graph& graph);

/// Quantizes graph outputs before a Transpose that reads them, if its result is quantized: ONNX
/// Runtime would quantize the outputs themselves.
void quantize_outputs_before_transpose(Graph& graph);

/// Splits each loop that appends to a sequence, of which only the concatenation is used, into
/// chunks of iterations, and concatenates the elements of each chunk: appending to a long sequence
/// takes quadratic time in ONNX Runtime.
void concat_loop_sequences_in_chunks(Graph& graph);

/// Removes nodes and initializers that no output needs.
void prune(Graph& graph);

/// Copies small constants into the subgraphs that read them; ONNX's shape inference needs this.
void localize_small_int_constants(Graph& graph);

}  // namespace oarlock::onnx
