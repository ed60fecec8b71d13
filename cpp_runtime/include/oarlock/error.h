// The one exception of this library.
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>

#if defined(__GNUC__)
#define OARLOCK_EXPORT __attribute__((visibility("default")))
#else
#define OARLOCK_EXPORT
#endif

namespace oarlock {

/// Whose fault it is: the file's, an assumption of the trace, the caller's tensors, a missing rule,
/// or the engine.
enum class Fault { file, guard, input, unsupported, engine };

/// The name of a fault as it is seen from Python, C and the command line.
constexpr std::string_view name_of(Fault fault) {
  constexpr std::string_view names[] = {"file", "guard", "input", "unsupported", "engine"};
  return names[static_cast<int>(fault)];
}

/// Everything that can go wrong, said in one voice: `op: what was wrong (X=float32[2,3])`.
class OARLOCK_EXPORT Error : public std::runtime_error {
 public:
  Error(Fault fault, const std::string& message) : std::runtime_error(message), fault_(fault) {}
  Fault fault() const noexcept { return fault_; }

 private:
  Fault fault_;
};

}  // namespace oarlock
