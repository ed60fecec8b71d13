#include "base/log.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/json.h"

namespace oarlock {
namespace {

constexpr std::string_view kLevelNames[] = {"verbose", "info", "warning", "error", "off"};

struct Log {
  std::mutex mutex;
  LogLevel level = LogLevel::off;
  bool writes_json = false;
  std::shared_ptr<const LogCallback> callback;
  std::vector<std::function<void(LogLevel)>> listeners;

  Log() {
    const char* setting = std::getenv("OARLOCK_LOG");
    if (setting && *setting && !set(setting))
      std::fprintf(stderr,
                   "oarlock: OARLOCK_LOG=%s is not one of verbose, debug, info, warning, error, "
                   "off, or a level and json as info,json\n",
                   setting);
  }

  // Sets level and format: a level, `json`, which means `info,json`, or both separated by a comma.
  bool set(std::string_view setting) {
    std::optional<LogLevel> found;
    bool json = false;
    while (!setting.empty()) {
      std::string_view word = setting.substr(0, setting.find(','));
      setting.remove_prefix(std::min(setting.size(), word.size() + 1));
      if (word == "json")
        json = true;
      else if (auto named = find_log_level(word); named && !found)
        found = named;
      else
        return false;
    }
    level = found.value_or(LogLevel::info);
    writes_json = json;
    return true;
  }
};

// The current time as `2026-01-31T12:00:00.123Z`.
std::string utc_timestamp() {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  std::time_t seconds = static_cast<std::time_t>(milliseconds / 1000);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char date[32], text[40];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text, sizeof text, "%s.%03dZ", date, static_cast<int>(milliseconds % 1000));
  return text;
}

Log& global_log() {
  static auto& log = *new Log;  // never destroyed: ONNX Runtime logs while the process ends
  return log;
}

}  // namespace

std::optional<LogLevel> find_log_level(std::string_view name) {
  if (name == "debug") return LogLevel::verbose;  // the name in Python
  for (std::size_t i = 0; i < std::size(kLevelNames); ++i)
    if (kLevelNames[i] == name) return static_cast<LogLevel>(i);
  return std::nullopt;
}

void log_message(LogLevel level, std::string_view source, std::string_view message) {
  Log& log = global_log();
  std::shared_ptr<const LogCallback> callback;
  bool json = false;
  {
    std::lock_guard lock(log.mutex);
    if (level < log.level) return;
    callback = log.callback;
    json = log.writes_json;
  }
  if (callback) return (*callback)(level, source, message);
  std::string name(kLevelNames[static_cast<std::size_t>(level)]), text(message), from(source);
  std::string line = json ? "{\"time\": \"" + utc_timestamp() + "\", \"level\": \"" + name +
                                "\", \"source\": " + quote_json(from) +
                                ", \"message\": " + quote_json(text) + "}\n"
                          : "[" + name + "] " + from + ": " + text + "\n";
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
