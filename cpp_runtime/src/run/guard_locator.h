// After a run that failed inside the engine: which guard do the inputs violate?
#pragma once
#include <functional>
#include <map>
#include <mutex>

#include "run/guards.h"
#include "run/ort.h"
#include "run/values.h"

namespace oarlock {

/// A violated guard often makes a later op fail, and says more than the engine's error.  A failed run has no values of
/// guards, and the engine always runs all of a graph, so they are computed by a session of their own.
class GuardLocator {
 public:
  /// A session whose outputs are these guards and nothing else.
  using Create = std::function<ort::SessionHandle(const Strings& outputs)>;
  /// The outputs of such a session for the inputs of the failed run.  Error where it fails too.
  using Run = std::function<std::vector<Tensor>(ort::Session*, Names outputs)>;

  /// Error(guard) for the first guard that does not hold, of those computed before the op of block 0 with the index
  /// `failed_op`.  Sessions are kept: over its lifetime it creates at most `kMaxSessions`, and then stops looking for
  /// guards that need another one.
  void locate(const Guards& guards, std::size_t failed_op, const Create& create, const Run& run);

  static constexpr std::size_t kMaxSessions = 4;

 private:
  std::mutex busy_;
  std::map<std::size_t, ort::SessionHandle> sessions_;  // by how many guards they compute
};

}  // namespace oarlock
