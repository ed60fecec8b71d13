#include "base/log.h"

#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace oarlock {
namespace {

constexpr std::string_view kLevelNames[] = {"verbose", "info", "warning", "error", "off"};

struct Log {
  std::mutex mutex;
  LogLevel level = LogLevel::off;
  std::shared_ptr<const LogCallback> callback;
  std::vector<std::function<void(LogLevel)>> listeners;

  Log() {
    const char* name = std::getenv("OARLOCK_LOG");
    if (!name || !*name) return;
    if (auto found = find_log_level(name))
      level = *found;
    else
      std::fprintf(stderr,
                   "oarlock: OARLOCK_LOG=%s is none of verbose, info, warning, error, off\n", name);
  }
};

Log& global_log() {
  static auto& log = *new Log;  // never destroyed: ONNX Runtime logs while the process ends
  return log;
}

}  // namespace

std::optional<LogLevel> find_log_level(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kLevelNames); ++i)
    if (kLevelNames[i] == name) return static_cast<LogLevel>(i);
  return std::nullopt;
}

void log_message(LogLevel level, std::string_view source, std::string_view message) {
  Log& log = global_log();
  std::shared_ptr<const LogCallback> callback;
  {
    std::lock_guard lock(log.mutex);
    if (level < log.level) return;
    callback = log.callback;
  }
  if (callback) return (*callback)(level, source, message);
  std::string line = "[" + std::string(kLevelNames[static_cast<std::size_t>(level)]) + "] " +
                     std::string(source) + ": " + std::string(message) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void call_now_and_on_log_level_change(std::function<void(LogLevel)> listener) {
  Log& log = global_log();
  std::lock_guard lock(log.mutex);
  listener(log.level);
  log.listeners.push_back(std::move(listener));
}

void set_log_callback(LogLevel level, LogCallback callback) {
  Log& log = global_log();
  auto shared = callback ? std::make_shared<const LogCallback>(std::move(callback)) : nullptr;
  std::lock_guard lock(log.mutex);
  log.level = level;
  log.callback = std::move(shared);
  for (auto& listener : log.listeners) listener(level);
}

}  // namespace oarlock
