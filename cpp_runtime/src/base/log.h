// The log: where messages go, and from which level on.
#pragma once
#include <functional>

#include "oarlock/log.h"

namespace oarlock {

/// Passes a message to the log callback if `level` is at least the level of the log.
void log_message(LogLevel level, std::string_view source, std::string_view message);
/// Calls `listener` now and after each change of the level.
void call_now_and_on_log_level_change(std::function<void(LogLevel)> listener);

}  // namespace oarlock
