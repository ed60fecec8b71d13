// Sessions: models loaded into ONNX Runtime, callable from any number of threads.
#pragma once
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "oarlock/model.h"
#include "oarlock/tensor.h"

namespace oarlock {

/// Sizes by name. In `warmup`, the shapes of inputs; inputs without a shape get the smallest sizes
/// that their named dimensions and guards allow, else 1. In `shape_buckets`, the allowed sizes of a
/// dynamic dimension.
using Shapes = std::map<std::string, std::vector<std::int64_t>>;

using StringMap = std::map<std::string, std::string>;

/// The options of a session. session_options.inc lists the members with their defaults.
struct Options {
#define OARLOCK_OPTION(type, name, default_value, description) type name = default_value;
#include "oarlock/session_options.inc"
#undef OARLOCK_OPTION
};

/// A library file of ONNX Runtime: its path, version and execution providers.
struct OrtLibraryInfo {
  std::string path, version;
  std::vector<std::string> providers;
};
/// Loads the library that the option ort_library = `path` selects, and describes it. Throws
/// Error(engine).
OARLOCK_EXPORT OrtLibraryInfo ort_library_info(const std::string& path = "");

class Session;

/// Cancels runs of a session from another thread or a signal handler.
class OARLOCK_EXPORT CancellationToken {
 public:
  explicit CancellationToken(const Session& session);
  ~CancellationToken();
  /// Runs with this token end with Error(canceled) as soon as the current op is done.
  void stop() noexcept;
  /// Resets the token, so that later runs are not canceled.
  void reset() noexcept;
  bool is_stopped() const noexcept;

  struct Impl;
  const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

using NamedView = std::pair<std::string_view, TensorView>;

/// A model loaded into ONNX Runtime. Any number of threads may call run() at once.
class OARLOCK_EXPORT Session {
 public:
  /// Converts the model and loads it into ONNX Runtime, or loads its optimized graph from the
  /// cache; then runs `warmup`. Throws Error(input) for invalid options, Error(unsupported) for ops
  /// without a conversion, and Error(engine) if ONNX Runtime or the device is missing or fails, or
  /// if the device has no kernel for a node and cpu_fallback is off.
  explicit Session(const Model& model, const Options& options = {});
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  const std::vector<TensorSpec>& inputs() const;
  const std::vector<TensorSpec>& outputs() const;
  /// The ONNX Runtime library that runs the session.
  const OrtLibraryInfo& library() const;

  /// Runs on inputs in order. outputs: indices of outputs(), all if empty. Throws Error(input) for
  /// a wrong number, dtype or shape of inputs, and for memory that the session cannot use;
  /// Error(guard) for a violated guard; Error(file) if the mapped weights were overwritten;
  /// Error(canceled) if the run is canceled; Error(engine) if ONNX Runtime fails. A session with
  /// the option cuda_graph ignores `cancellation`.
  std::vector<Tensor> run(std::span<const TensorView> inputs,
                          std::span<const std::size_t> outputs = {},
                          const CancellationToken* cancellation = nullptr) const;
  /// Runs on inputs by name. outputs: names of outputs.
  std::vector<Tensor> run(std::span<const NamedView> inputs,
                          std::span<const std::string> outputs = {}) const;
  /// The inputs of run() in order, from inputs by name. Throws Error(input) if an input is missing,
  /// unknown or given twice.
  std::vector<TensorView> order_inputs(std::span<const NamedView> inputs) const;
  /// Runs on inputs in order and writes all outputs to the memory of `outputs`, which have the
  /// sizes of the results and no memory in common with inputs or each other. Inputs must have sizes
  /// of shape_buckets, because only run() pads. Not available with cuda_graph: use IoBinding.
  /// Throws the errors of run(), and Error(input) if the number, dtype or shape of an output
  /// differs from that of the result; its values are then undefined.
  void run_into(std::span<const TensorView> inputs, std::span<const Tensor> outputs,
                const CancellationToken* cancellation = nullptr) const;
  /// Ends profiling and returns the name of the profile file, "" if no profile was requested.
  std::string end_profile();

 private:
  friend class CancellationToken;
  friend class IoBinding;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace oarlock
