// The log: where messages go, and from which level on.
#pragma once
#include <functional>

#include "oarlock/log.h"

namespace oarlock {

/// Passes a message to the callback if its level is wanted.
void log_message(LogLevel level, std::string_view source, std::string_view message);
/// Calls `listener` now and after each change of the level.
void call_now_and_on_log_level_change(std::function<void(LogLevel)> listener);

}  // namespace oarlock
