// Finds the guard that the inputs violate, after a run failed inside ONNX Runtime.
#pragma once
#include <functional>
#include <map>
#include <mutex>

#include "runtime/guards.h"
#include "runtime/ort/ort_c_api.h"
#include "runtime/ort/ort_values.h"

namespace oarlock {

/// Finds the violated guard after a failed run. Inputs that violate a guard often make a later op
/// fail; the guard explains the failure better than ONNX Runtime's error. A failed run returns no
/// values of guards, and ONNX Runtime always runs a whole graph, so the values of guards are
/// computed by a separate session, whose graph ends at the guards.
class ViolatedGuardFinder {
 public:
  /// A function that creates a session which computes only the guards with the names `outputs`.
  using Create = std::function<ort::SessionHandle(const Strings& outputs)>;
  /// A function that runs a session of `Create` on the inputs of the failed run, and returns its
  /// outputs. Throws Error if this run fails too.
  using Run = std::function<std::vector<Tensor>(ort::Session*, Names outputs)>;

  /// Checks the guards computed before op `failed_op` of block 0; throws Error(guard) for the
  /// first violated one. Sessions are cached.  At most `kMaxSessions` are created over the lifetime
  /// of the object; guards that would need another session are not checked.
  void locate(const Guards& guards, std::size_t failed_op, const Create& create, const Run& run);

  static constexpr std::size_t kMaxSessions = 4;

 private:
  std::mutex mutex_;
  std::map<std::size_t, ort::SessionHandle> sessions_;  // by the number of guards that they compute
};

}  // namespace oarlock
