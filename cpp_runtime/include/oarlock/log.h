// Logging: level and receiver of the messages of Oarlock and ONNX Runtime.
#pragma once
#include <functional>
#include <optional>
#include <string_view>

#include "oarlock/error.h"

namespace oarlock {

enum class LogLevel { verbose = 0, info = 1, warning = 2, error = 3, off = 4 };

/// The level with this name: `verbose` (or `debug`), `info`, `warning`, `error` or `off`.
OARLOCK_EXPORT std::optional<LogLevel> find_log_level(std::string_view name);

/// source: `oarlock`, or `ONNX Runtime, ` and the category of the message. A callback is called by
/// any thread, also by several at once; an exception that it throws ends the process.
using LogCallback =
    std::function<void(LogLevel level, std::string_view source, std::string_view message)>;

/// Sends the messages of all sessions of the process with at least level `level` to `callback`; if
/// `callback` is empty, they are written to standard error. If this function is not called, the
/// level is the value of the environment variable OARLOCK_LOG, by default `off`: errors are
/// exceptions, so that no message is needed for them. With `OARLOCK_LOG=json`, or a level and json
/// as `warning,json`, each message is one line of JSON with time, level, source and message.
OARLOCK_EXPORT void set_log_callback(LogLevel level, LogCallback callback = {});

}  // namespace oarlock
