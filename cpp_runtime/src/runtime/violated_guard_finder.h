// Finds the guard that the inputs violate, after a run failed inside ONNX Runtime.
#pragma once
#include <functional>
#include <map>
#include <mutex>

#include "runtime/guards.h"
#include "runtime/ort/ort_c_api.h"
#include "runtime/ort/ort_values.h"

namespace oarlock {

/// Inputs that violate a guard often make a later op fail; the guard explains the failure better
/// than the engine's error.  A failed run returns no values of guards, and the engine always runs a
/// whole graph.  So a separate session, whose graph ends at the guards, computes them.
class ViolatedGuardFinder {
 public:
  /// Creates a session that computes only these guards.
  using Create = std::function<ort::SessionHandle(const Strings& outputs)>;
  /// Runs such a session on the inputs of the failed run and returns its outputs.  Throws Error if
  /// this run fails too.
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
