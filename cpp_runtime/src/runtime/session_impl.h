// The implementation of sessions, which Session and IoBinding share.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "oarlock/session.h"
#include "runtime/device_memory_runs.h"
#include "runtime/graph_cache.h"
#include "runtime/guards.h"
#include "runtime/model_impl.h"
#include "runtime/named_dimensions.h"
#include "runtime/ort/arena_allocator.h"
#include "runtime/ort/ort_values.h"
#include "runtime/pooling_shape_check.h"
#include "runtime/shape_buckets.h"
#include "runtime/violated_guard_finder.h"

namespace oarlock {

struct CancellationToken::Impl {
  const Library& library;
  ort::RunOptionsHandle options =
      ort::make<ort::RunOptionsHandle, ort::CreateRunOptions>(library.api);
  std::atomic<bool> stopped = false;
};

/// Checks dtype and shape of an input, that it has data, and that its size fits into memory. Throws
/// Error(input).
void check_input(const TensorSpec& spec, const TensorView& view);
/// Throws Error(input) if an output is in the memory of an input, as the run would read inputs that
/// it has already overwritten, or in that of another output.
void require_disjoint_memory(std::span<const TensorView> inputs, std::span<const Tensor> outputs);
/// ONNX Runtime's run options of the token; null for null.
const ort::RunOptions* run_options_of_cancellation(const CancellationToken* cancellation);

struct Session::Impl {
  Impl(const Model& model, const Options& options);

  std::vector<Tensor> run(std::span<const TensorView> input_views,
                          std::span<const std::size_t> output_indices,
                          const CancellationToken* cancellation = nullptr) const;
  /// Computes all outputs, and writes them to the memory of `output_tensors`.
  void run_into(std::span<const TensorView> input_views, std::span<const Tensor> output_tensors,
                const CancellationToken* cancellation) const;

  /// Checks all that is known before a run: guards on shapes, number, dtypes and shapes of inputs,
  /// sizes of named dimensions and buckets, row splits, and that pooling windows fit.
  void check_inputs(std::span<const TensorView> input_views) const;
  /// Checks number, dtypes and shapes of inputs, and that they have data.
  void check_input_types_and_shapes(std::span<const TensorView> input_views) const;
  /// Checks that a tensor can hold output `index`: dtype and fixed sizes.
  void check_tensor_for_output(std::size_t index, const Tensor& tensor) const;
  /// Fails if the mapped file with the weights was overwritten.
  void check_weights_unchanged() const;
  /// ONNX Runtime's description of memory on `device`.  Throws Error(input) if the session cannot
  /// use such memory.
  const ort::MemoryInfo* memory_info(const Device& device) const;
  /// A value that refers to the memory of `view`.
  ort::ValueHandle make_ort_value_in_view_memory(const TensorView& view) const;
  /// Checks the guards that a run fetched after all outputs, and takes their values.  Throws
  /// Error(guard).
  void check_fetched_guards(OrtValues& results) const;
  /// Throws the best description of a failed run: that it was canceled, a violated guard, or
  /// `error` with the source line of the op that failed.
  [[noreturn]] void throw_run_error(const Error& error, std::span<const TensorView> input_views,
                                    const CancellationToken* cancellation) const;
  std::string format_input_specs() const;
  bool is_complex_output(std::string_view name) const;
  /// The index of the output with this name.  Throws Error(input).
  std::size_t find_output(std::string_view name) const;
  /// The index of the input with this name.  Throws Error(input).
  std::size_t find_input(std::string_view name) const;

  Model model;  // owns the program that the guards point into
  const Library& library;
  Options options;
  ort::MemoryHandle cpu_memory;
  ort::MemoryHandle cuda_memory, pinned_memory;  // null if the session runs on the CPU
  PageArena* arena = nullptr;                    // null unless the option memory is `smallest`
  ort::SessionHandle session;
  std::vector<TensorSpec> inputs, outputs;
  std::vector<const char*> input_names,
      all_output_names;  // all_output_names: of outputs and of fetched guards
  std::vector<std::size_t> all_outputs;
  std::set<std::string, std::less<>>
      complex_outputs;  // outputs that ONNX Runtime returns as pairs of real numbers
  Guards guards;

 private:
  struct SerializedOnnxModel {
    std::string bytes, folder;  // ModelProto bytes, and the folder of the weights
  };

  void check_no_ops_left_on_cpu() const;
  ort::SessionHandle load_cached_or_create_session() const;
  ort::OptionsHandle make_ort_options_for_graph(const SerializedOnnxModel& graph,
                                                const Options& session_options) const;
  SerializedOnnxModel lower_and_serialize_model(const Strings& only_guards = {}) const;
  ort::SessionHandle create(const SerializedOnnxModel& graph) const;
  ort::SessionHandle create(const std::string& bytes, const ort::SessionOptions* settings) const;
  ort::SessionHandle create_session_and_cache_graph(const SerializedOnnxModel& graph,
                                                    CacheDraft draft,
                                                    const GraphCache& cache) const;
  ort::SessionHandle load_session_of_cached_graph(const std::string& path) const;
  void set_ort_values_to_views(OrtValues& values, std::span<const TensorView> views) const;
  void warm_up(const Shapes& shapes) const;
  std::vector<Tensor> run_padded(std::span<const TensorView> input_views,
                                 std::span<const std::size_t> output_indices,
                                 const CancellationToken* cancellation) const;
  std::vector<Tensor> run_unpadded(std::span<const TensorView> input_views,
                                   std::span<const std::size_t> output_indices,
                                   const CancellationToken* cancellation) const;
  std::vector<Tensor> run_engine(ort::Session* engine, const OrtValues& in, Names names,
                                 const ort::RunOptions* run_options = nullptr) const;
  std::vector<Tensor> capture_once_and_run_cuda_graph(
      std::span<const TensorView> input_views, const OrtValues& values,
      std::span<const std::size_t> output_indices) const;
  std::vector<const char*> requested_and_guard_output_names(
      std::span<const std::size_t> output_indices) const;
  void throw_if_guard_explains_failure(std::span<const TensorView> input_views,
                                       const Error& error) const;

  NamedDimensions named_dimensions;
  ShapeBuckets shape_buckets;
  PoolingShapeCheck pooling_check;
  mutable std::once_flag cuda_graph_once;
  mutable std::unique_ptr<CapturedCudaGraph>
      cuda_graph_run;  // must be destroyed before the session
  mutable ViolatedGuardFinder guard_finder;
  mutable std::atomic<std::uint64_t> last_weights_check = 0;
};

}  // namespace oarlock
