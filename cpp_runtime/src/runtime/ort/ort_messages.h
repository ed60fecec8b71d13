// Translation of ONNX Runtime's error messages.
#pragma once
#include <string>
#include <string_view>

namespace oarlock {

/// The reason of a failed run: the message of a run-time assertion, a translation of a known
/// message followed by the original in brackets, or the original without its source location.
std::string translated_failure_reason(std::string_view message);

}  // namespace oarlock
