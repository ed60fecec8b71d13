// A validated model (`.pdmodel` and `.pdiparams`) that can be run or converted.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oarlock/dim_range.h"
#include "oarlock/dtype.h"
#include "oarlock/error.h"

namespace oarlock {

/// An input or output of a model. shape: -1 for dynamic dimensions; symbols: of each dynamic
/// dimension its name, or `INPUT.AXIS` if it has none; "" for others, and for all dimensions in
/// Model::outputs(); path: position in the model's nested inputs or outputs, such as
/// `out.0.logits`; ranges: the allowed sizes of the named dimensions of an input, nullopt for other
/// dimensions; empty if no dimension has a name. Dimensions with the same name have the same size.
struct TensorSpec {
  std::string name;
  DType dtype = DType::none;
  std::vector<std::int64_t> shape;
  std::vector<std::string> symbols;
  std::string path;
  std::string offsets_of =
      {};  // the tensor whose row splits (int64[sequences + 1]) this is, "" for others
  std::vector<std::optional<DimRange>> ranges = {};
};

/// A weight and its position in the `.pdiparams`.
struct ParameterSpec {
  std::string name;
  DType dtype = DType::none;
  std::vector<std::int64_t> shape;
  std::size_t offset = 0, length = 0;
};

/// A guard: a property of inputs that the trace relies on. kind: dim, rank or value; var: the
/// variable; axis: for dim; expected: the value in the trace (Python repr, or the digest of a large
/// tensor); reader: what read it, or `assert: ` and a message; where, text: the source line and its
/// text.
struct GuardSpec {
  std::string kind, var, expected, reader, where, text;
  std::int64_t axis = 0;
};

struct OnnxOptions {
  int opset = 17;  // 7 to 23
  std::string
      location;  // name of the weights file in the ONNX file; "" = the name of the `.pdiparams`
  bool inline_weights = false;
  bool signed_activations = false;  // quantize activations to int8, as TensorRT requires
};

class OARLOCK_EXPORT Model {
 public:
  /// Opens a model. prefix_or_pdmodel: the path without the suffix .pdmodel or .json, that file, a
  /// directory with inference or model .json or .pdmodel, or a folder of Paddle 1.x with __model__;
  /// pdiparams: the parameter file, "" for the one with the same prefix, if it exists. Throws
  /// Error(file).
  static Model open(const std::string& prefix_or_pdmodel, const std::string& pdiparams = "");
  /// Opens a model whose `.pdmodel` is in memory. name: for messages; pdiparams: the path of the
  /// file with the parameters, "" for none.
  static Model from_bytes(std::string_view pdmodel, const std::string& pdiparams,
                          const std::string& name = "model.pdmodel");
  /// Opens a model whose program (`.pdmodel` or `.json`) and parameters are in memory; both are
  /// copied. name: for messages. Sessions do not write such a model to the cache of optimized
  /// graphs.
  static Model from_memory(std::string_view program, std::string_view pdiparams,
                           const std::string& name = "model.pdmodel");
  /// Copies `count` bytes at `offset` of a `.pdiparams` to `to`. The function may throw;
  /// from_memory passes its exception on unchanged.
  using ReadFunction = std::function<void(std::uint64_t offset, void* to, std::size_t count)>;
  /// Opens a model whose program is in memory; its parameters, for example decrypted ones, are read
  /// by `read`. params_size: the number of bytes of the parameters.
  static Model from_memory(std::string_view program, std::uint64_t params_size,
                           const ReadFunction& read, const std::string& name = "model.pdmodel");

  std::vector<TensorSpec> inputs() const;
  std::vector<TensorSpec> outputs() const;
  std::vector<ParameterSpec> parameters() const;
  std::vector<GuardSpec> guards() const;
  /// The number of ops of each type, in all blocks, without feed and fetch.
  std::map<std::string, std::size_t> op_counts() const;
  /// The name and version of the software that wrote the model; "" if the model has no contract.
  const std::string& producer() const;
  /// What the verification on save reported: the tried sizes and the largest difference; "" if the
  /// model was not verified.
  const std::string& verification_summary() const;

  /// Converts to ModelProto bytes. Throws Error(unsupported) that lists every op without a
  /// conversion, and Error(input) if the opset is not in 7 .. 23, or if the weights are in memory
  /// and inline_weights is off.
  std::string to_onnx(const OnnxOptions& options = {}) const;
  /// The lowest opset from `min_opset` to `max_opset` that has conversions of all ops.  Throws
  /// Error(unsupported).
  int lowest_opset(int min_opset = 17, int max_opset = 21) const;
  /// The ONNX graph as text, one node per line.
  std::string to_text(int opset = 17) const;

  struct Impl;
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

/// The Paddle op types for which the converter has a rule, sorted; independent of any model.
OARLOCK_EXPORT std::vector<std::string> convertible_op_types();

}  // namespace oarlock
