#include "runtime/ort/ort_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>

#include "base/log.h"

namespace oarlock {
namespace {

constexpr int kOldestMinor =
    18;  // all functions of ort_c_api.h exist (wheels contain the library since 1.19)
constexpr int kNewestApi = 31;  // requesting a newer API than the library has prints a warning

struct ApiBase {
  const void* (*get_api)(std::uint32_t version);
  const char* (*version)();
};

constexpr int kFatal = 4;  // the highest severity; ONNX Runtime has none for no messages

void forward_ort_message_to_log(void*, int severity, const char* category, const char*, const char*,
                                const char* message) {
  log_message(static_cast<LogLevel>(std::clamp(severity, 0, 3)),
              std::string("ONNX Runtime, ") + (category ? category : ""), message ? message : "");
}

[[noreturn]] void fail(const std::string& why) { throw Error(ErrorCode::engine, "engine: " + why); }

std::string library_real_path(void* symbol, const std::string& requested_path) {
  Dl_info info{};
  if (::dladdr(symbol, &info) == 0 || !info.dli_fname) return requested_path;
  std::unique_ptr<char, void (*)(void*)> real(::realpath(info.dli_fname, nullptr), std::free);
  return real ? real.get() : info.dli_fname;
}

int parse_minor_version(const std::string& version) {
  return version.rfind("1.", 0) == 0 ? std::atoi(version.c_str() + 2) : 0;
}

std::vector<std::string> list_providers(const ort::Api& api) {
  char** names = nullptr;
  int count = 0;
  api.call<ort::GetAvailableProviders>(&names, &count);
  std::vector<std::string> all(names, names + count);
  api.call<ort::ReleaseAvailableProviders>(names, count);
  return all;
}

std::unique_ptr<Library> make_library(void* get_base, const std::string& requested_path) {
  auto base = reinterpret_cast<const ApiBase* (*)()>(get_base)();
  const char* version = base ? base->version() : nullptr;
  if (!version)
    fail("the library returns no API (" + library_real_path(get_base, requested_path) + ")");
  auto library = std::make_unique<Library>();
  library->info.path = library_real_path(get_base, requested_path);
  library->info.version = version;
  library->minor = parse_minor_version(library->info.version);
  if (library->minor < kOldestMinor)
    fail("ONNX Runtime " + library->info.version + " does not work, it must be 1." +
         std::to_string(kOldestMinor) + " or a later 1.x (" + library->info.path + ")");
  const void* table =
      base->get_api(static_cast<std::uint32_t>(std::min(library->minor, kNewestApi)));
  if (!table)
    fail("ONNX Runtime " + library->info.version + " has no API of the required version (" +
         library->info.path + ")");
  library->api = ort::Api(table);
  library->info.providers = list_providers(library->api);
  library->api.call<ort::CreateEnvWithCustomLogger>(&forward_ort_message_to_log, nullptr, kFatal,
                                                    "oarlock", &library->env);
  call_now_and_on_log_level_change([opened = library.get()](LogLevel level) {
    opened->api.call<ort::SetEnvLogLevel>(opened->env, static_cast<int>(level));
  });
  log_message(LogLevel::info, "oarlock",
              "opened ONNX Runtime " + library->info.version + ", " + library->info.path);
  library->api.call<ort::DisableTelemetryEvents>(library->env);
  library->api.call<ort::GetAllocatorWithDefaultOptions>(&library->allocator);
  return library;
}

// The libraries that pip installed for a program in `bin`:
// `../lib/python3.*/site-packages/onnxruntime/capi`.
std::vector<std::string> pip_installed_ort_library_paths() {
  namespace fs = std::filesystem;
  std::vector<std::string> libraries;
  std::error_code error;
  fs::path lib = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path() / "lib";
  for (const auto& python : fs::directory_iterator(lib, error)) {
    if (python.path().filename().string().rfind("python3", 0) != 0) continue;
    fs::path capi = python.path() / "site-packages" / "onnxruntime" / "capi";
    for (const auto& file : fs::directory_iterator(capi, error))
      if (file.path().filename().string().rfind("libonnxruntime.so", 0) == 0)
        libraries.push_back(file.path().string());
  }
  std::sort(libraries.begin(), libraries.end());
  return libraries;
}

std::vector<std::string> ort_library_path_candidates(const std::string& path) {
  if (!path.empty()) return {path};
  const char* named = std::getenv("OARLOCK_ORT_LIBRARY");
  if (named && *named) return {named};
  std::vector<std::string> all = pip_installed_ort_library_paths();
  all.insert(all.end(), {"libonnxruntime.so.1", "libonnxruntime.so"});
  return all;
}

}  // namespace

bool Library::has_provider(std::string_view name) const {
  return std::find(info.providers.begin(), info.providers.end(), name) != info.providers.end();
}

const Library& load_ort_library_once(const std::string& path) {
  static std::mutex mutex;
  static auto& opened = *new std::map<void*, std::unique_ptr<Library>>;  // never destroyed
  static auto& first_failures = *new std::map<void*, std::string>;
  std::lock_guard lock(mutex);
  std::string tried;
  for (const std::string& candidate : ort_library_path_candidates(path)) {
    void* handle = ::dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* base = handle ? ::dlsym(handle, "OrtGetApiBase") : nullptr;
    if (base) {
      auto& library = opened[base];
      if (!library) try {
          library = make_library(base, candidate);
        } catch (const Error& error) {
          // Without memory ONNX Runtime is left half initialized, and later attempts fail for
          // that reason, which is not the cause.
          throw Error(error.code(), first_failures.try_emplace(base, error.what()).first->second);
        }
      return *library;
    }
    const char* why = ::dlerror();
    tried += "\n  " + candidate + ": " + (why ? why : "holds no ONNX Runtime");
  }
  fail(
      "ONNX Runtime was not found; name its library by the option ort_library (--ort-library) or "
      "by "
      "OARLOCK_ORT_LIBRARY. Tried:" +
      tried);
}

OrtLibraryInfo ort_library_info(const std::string& path) {
  return load_ort_library_once(path).info;
}

}  // namespace oarlock
