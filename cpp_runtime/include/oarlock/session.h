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

/// Shapes by input name.  Inputs that are left out get 1 for dynamic dimensions.
using Shapes = std::map<std::string, std::vector<std::int64_t>>;

struct Options {
  std::string device = "cpu";  // cpu | cuda | tensorrt
  int device_id = 0;
  int threads = 0;        // threads inside one op; 0: ONNX Runtime's default
  int inter_threads = 0;  // threads between ops; 0: one op at a time
  int optimize = -1;      // 0 none, 1 basic, 2 extended, 99 all; -1: all
  int spinning = -1;      // idle threads: 1 spin (10 ms), 0 sleep; -1: spin for 0.2 ms
  int arena = -1;         // memory: 1 cached for the next run, 0 freed; -1: ONNX Runtime's default
  int mem_pattern = -1;   // 1: plan memory from the last run with the same shapes, 0: do not; -1:
                          // ONNX Runtime's default
  bool tuned = true;      // options left at their defaults use the values found by `oarlock-runner
                          // tune`, if it was run
  bool deterministic = false;
  bool copy_weights = false;  // read the `.pdiparams` instead of mapping it, for files that are
                              // overwritten in place
  bool tf32 = true;           // cuda: compute matrix products of float32 in TF32
  bool fp16 = false;          // tensorrt: allow kernels of half precision
  bool cuda_graph =
      false;  // cuda, tensorrt: launch the whole graph at once; inputs must have fixed sizes
  bool cpu_fallback = false;  // cuda, tensorrt: run nodes without a device kernel on the CPU
  bool locate_guards = true;  // after a failed run, search for a violated guard; creates up to 4
                              // small sessions, once
  std::string nvidia_dirs;    // folders of NVIDIA's libraries, separated by `:`, searched before
                              // those next to ONNX Runtime
  std::string cache_dir;      // folder for optimized graphs and, with tensorrt, built engines; "" =
                              // OARLOCK_CACHE_DIR, or none; "none" = none
  std::string profile;        // file prefix of a Chrome trace; "" = none
  std::string ort_library;    // path of libonnxruntime; "" = OARLOCK_ORT_LIBRARY, then the system's
  std::map<std::string, std::string>
      provider;  // additional options of the CUDA or TensorRT provider, by ONNX Runtime's names
  bool offsets =
      false;  // also return the row splits of packed sequences as `<name>.lod`, after all outputs
  std::vector<std::string> outputs;  // inner variables to return after the model's outputs
  std::vector<Shapes>
      warmup;  // shapes to run once, on synthetic inputs, when the session is created
};

/// The ONNX Runtime in a library file.
struct LibraryInfo {
  std::string path, version;
  std::vector<std::string> providers;
};
OARLOCK_EXPORT LibraryInfo library_info(const std::string& path = "");

class Session;

/// Cancels runs of a session from another thread or a signal handler.
class OARLOCK_EXPORT CancellationToken {
 public:
  explicit CancellationToken(const Session& session);
  ~CancellationToken();
  /// Runs with this token end with Error(engine) as soon as the current op is done.
  void stop() noexcept;
  /// Later runs are not cancelled.
  void reset() noexcept;
  bool is_stopped() const noexcept;

  struct Impl;
  const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// The former name of CancellationToken.
using Interrupt = CancellationToken;

using NamedView = std::pair<std::string_view, TensorView>;

class OARLOCK_EXPORT Session {
 public:
  /// Throws Error(unsupported) for ops without a conversion, Error(engine) if ONNX Runtime or the
  /// device is missing or fails.
  explicit Session(const Model& model, const Options& options = {});
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  const std::vector<TensorSpec>& inputs() const;
  const std::vector<TensorSpec>& outputs() const;
  const LibraryInfo& library() const;

  /// Runs on inputs in order. outputs: indices of outputs(), all if empty.  Throws Error(input) for
  /// a wrong number, dtype, rank or dim; Error(guard) for a violated guard; Error(file) if the
  /// mapped weights were overwritten; Error(engine) if the run is cancelled.
  std::vector<Tensor> run(std::span<const TensorView> inputs,
                          std::span<const std::size_t> outputs = {},
                          const CancellationToken* cancellation = nullptr) const;
  /// Runs on inputs by name. outputs: names of outputs.
  std::vector<Tensor> run(std::span<const NamedView> inputs,
                          std::span<const std::string> outputs = {}) const;
  /// Closes the profile and returns the name of its file, "" if none was requested.
  std::string end_profile();

 private:
  friend class CancellationToken;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace oarlock
