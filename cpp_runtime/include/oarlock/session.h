// A model in the engine, ready to be called from any number of threads.
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

/// Sizes by input name.   Inputs that are left out have 1 where a dim may vary.
using Shapes = std::map<std::string, std::vector<std::int64_t>>;

struct Options {
  std::string device = "cpu";  // cpu | cuda | tensorrt
  int device_id = 0;
  int threads = 0;        // inside one op; 0: the engine's choice
  int inter_threads = 0;  // between ops; 0: one op at a time
  int optimize = -1;      // 0 none, 1 basic, 2 extended, 99 all; -1: all
  int spinning = -1;  // threads without work: 1 look for it (10 ms), 0 sleep; -1: look for 0.2 ms
  int arena = -1;     // memory: 1 kept for the next run, 0 given back; -1: the engine's choice
  int mem_pattern = -1;  // memory of one run: 1 planned from the last run of those shapes, 0 not;
                         // -1: the engine's choice
  bool tuned = true;     // what is left to the engine above is as `oarlock-runner tune` found best,
                         // where it was run
  bool deterministic = false;
  bool copy_weights = false;  // read the `.pdiparams` instead of mapping it: for files that are
                              // overwritten in place
  bool tf32 = true;           // cuda: matrix products of float32 in TF32
  bool fp16 = false;          // tensorrt: kernels of half precision where it chooses
  bool cuda_graph =
      false;  // cuda, tensorrt: launch the whole graph at once; inputs of fixed sizes only
  bool cpu_fallback =
      false;  // cuda, tensorrt: let nodes that the device has no kernel for compute on the CPU
  bool locate_guards =
      true;  // after a failed run, look for a violated guard; creates up to 4 small sessions, once
  std::string nvidia_dirs;  // folders of NVIDIA's libraries, `:` between them, before those beside
                            // the engine
  std::string cache_dir;    // where optimised graphs are kept, tensorrt: built engines; "" =
                            // OARLOCK_CACHE_DIR, or nowhere; "none" = nowhere
  std::string profile;      // prefix of a Chrome trace; "" = none
  std::string ort_library;  // path of libonnxruntime; "" = OARLOCK_ORT_LIBRARY, then the system's
  std::map<std::string, std::string>
      provider;  // further options of the CUDA or TensorRT provider, as ONNX Runtime names them
  bool offsets =
      false;  // give, after all outputs, where the packed sequences of each begin: `<name>.lod`
  std::vector<std::string> outputs;  // inner variables to give as well, after the model's outputs
  std::vector<Shapes> warmup;  // shapes to run once, on made-up inputs, before the session is there
};

/// The engine that a library file holds.
struct LibraryInfo {
  std::string path, version;
  std::vector<std::string> providers;
};
OARLOCK_EXPORT LibraryInfo library_info(const std::string& path = "");

class Session;

/// Ends runs of a session from outside: from another thread, or from a signal handler.
class OARLOCK_EXPORT Interrupt {
 public:
  explicit Interrupt(const Session& session);
  ~Interrupt();
  /// The runs that were given this end as soon as the op at work is done: Error(engine).
  void stop() noexcept;
  /// Later runs are not ended.
  void reset() noexcept;
  bool is_stopped() const noexcept;

  struct Impl;
  const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

using NamedView = std::pair<std::string_view, TensorView>;

class OARLOCK_EXPORT Session {
 public:
  /// Error(unsupported) for ops without a lowering, Error(engine) when the engine or the device is
  /// missing or refuses.
  explicit Session(const Model& model, const Options& options = {});
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  const std::vector<TensorSpec>& inputs() const;
  const std::vector<TensorSpec>& outputs() const;
  const LibraryInfo& library() const;

  /// Run on inputs in their order.   wanted: indices of outputs(), all of them when empty.
  /// Error(input) for a wrong number, dtype, rank or dim; Error(guard) where the trace had assumed
  /// otherwise; Error(file) where the mapped weights were overwritten meanwhile; Error(engine) when
  /// it is stopped.
  std::vector<Tensor> run(std::span<const TensorView> inputs,
                          std::span<const std::size_t> wanted = {},
                          const Interrupt* interrupt = nullptr) const;
  /// Run on inputs by name.   wanted: names of outputs.
  std::vector<Tensor> run(std::span<const NamedView> inputs,
                          std::span<const std::string> wanted = {}) const;
  /// Close the profile and give the name of its file, "" where none was asked for.
  std::string end_profile();

 private:
  friend class Interrupt;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace oarlock
