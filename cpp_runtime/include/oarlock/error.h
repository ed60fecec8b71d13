// The exception type of this library.
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

/// The cause of an error: an invalid file, a violated guard of the trace, invalid inputs or
/// options, an op without a conversion, ONNX Runtime, a run that was canceled or whose deadline
/// passed, or a full queue.
enum class ErrorCode { file, guard, input, unsupported, engine, canceled, busy };

/// The name of an error code in Python, C and on the command line.
constexpr std::string_view name_of(ErrorCode code) {
  constexpr std::string_view names[] = {"file",   "guard",    "input", "unsupported",
                                        "engine", "canceled", "busy"};
  return names[static_cast<int>(code)];
}

/// The exception that all functions of the library throw. The message starts with what failed (a
/// file, an op, `run`, `options`, `tensor` or `engine`) and a colon.
class OARLOCK_EXPORT Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const noexcept { return code_; }
  [[deprecated("use code()")]] ErrorCode fault() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace oarlock
