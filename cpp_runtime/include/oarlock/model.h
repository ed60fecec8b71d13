// A `.pdmodel` with its `.pdiparams`: read, judged, ready to be run or converted.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "oarlock/dtype.h"
#include "oarlock/error.h"

namespace oarlock {

/// One input or output.   shape: -1 where a dim may vary; symbols: its name then, "" elsewhere;
/// path: of the contract.
struct TensorSpec {
  std::string name;
  DType dtype = DType::none;
  std::vector<std::int64_t> shape;
  std::vector<std::string> symbols;
  std::string path;
  std::string offsets_of =
      {};  // int64[sequences + 1], where each begins: the tensor whose rows they are, "" for others
};

/// One weight and where it lies in the `.pdiparams`.
struct ParameterSpec {
  std::string name;
  DType dtype = DType::none;
  std::vector<std::int64_t> shape;
  std::size_t offset = 0, length = 0;
};

/// An assumption the trace made.   kind: dim, rank or value; the rest as it was recorded.
struct GuardSpec {
  std::string kind, var, expected, reader, where, text;
  std::int64_t axis = 0;
};

struct OnnxOptions {
  int opset = 17;
  std::string location;  // how the ONNX file names the weights; "" = the name of the `.pdiparams`
  bool inline_weights = false;
};

class OARLOCK_EXPORT Model {
 public:
  /// Open `prefix`.pdmodel and, when it is there, `prefix`.pdiparams; or the two files by name; or
  /// a folder of Paddle 1.x:
  /// `__model__` and a file for each value.   Error(file).
  static Model open(const std::string& prefix_or_pdmodel, const std::string& pdiparams = "");
  /// The same from memory.   name: for messages; pdiparams: a path, "" for none.
  static Model from_bytes(std::string_view pdmodel, const std::string& pdiparams,
                          const std::string& name = "model.pdmodel");

  std::vector<TensorSpec> inputs() const;
  std::vector<TensorSpec> outputs() const;
  std::vector<ParameterSpec> parameters() const;
  std::vector<GuardSpec> guards() const;
  std::map<std::string, std::size_t> op_counts() const;
  const std::string& producer() const;
  const std::string& verified() const;

  /// ModelProto bytes.   Error(unsupported) listing every op that has no lowering.
  std::string to_onnx(const OnnxOptions& options = {}) const;
  /// The lowest opset from `least` to `most` at which every op has a lowering.   Error(unsupported)
  int lowest_opset(int least = 17, int most = 21) const;
  /// The same graph as text, one node a line.
  std::string to_text(int opset = 17) const;

  struct Impl;
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

/// Every Paddle op type that has a lowering, sorted.
OARLOCK_EXPORT std::vector<std::string> lowered_ops();

}  // namespace oarlock
