#include "runtime/execution_provider.h"

#include <dlfcn.h>

#include <mutex>
#include <set>
#include <span>
#include <vector>

#include "runtime/graph_cache.h"
#include "runtime/ort/nvidia_libraries.h"
#include "runtime/ort/provider_settings.h"

namespace oarlock {
namespace {

[[noreturn]] void throw_provider_error(const Options& options, const std::string& what) {
  std::string provider = options.execution_provider.empty()
                             ? options.device
                             : "execution_provider " + options.execution_provider;
  throw Error(ErrorCode::engine, provider + ": " + what);
}

void require_provider_and_driver(const Library& library, const Options& options,
                                 const char* provider, const char* package) {
  if (!library.has_provider(provider))
    throw_provider_error(options, "ONNX Runtime " + library.info.version + " was built without " +
                                      provider + "; install " + package + " (" + library.info.path +
                                      ")");
  if (!::dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL))
    throw_provider_error(options,
                         "no NVIDIA driver on this machine (libcuda.so.1 cannot be opened)");
}

struct KeyValueLists {
  std::vector<const char*> keys, values;
  explicit KeyValueLists(const Settings& settings) {
    for (auto& [key, value] : settings)
      keys.push_back(key.c_str()), values.push_back(value.c_str());
  }
};

// Opens NVIDIA's libraries and appends the CUDA or TensorRT provider to the session options; an
// error lists the libraries that were found.
template <class T, class Create, class Update, class Append, class Release>
void append_nvidia_provider(const Library& library, ort::SessionOptions* session,
                            const Options& options, const Settings& settings) {
  auto folders = nvidia_library_search_folders(options.nvidia_dirs, library.info.path);
  auto libraries = open_nvidia_libraries(folders, options.device == "tensorrt");
  auto provider = ort::make<ort::Handle<T, Release>, Create>(library.api);
  KeyValueLists lists(settings);
  try {
    library.api.call<Update>(provider.get(), lists.keys.data(), lists.values.data(),
                             lists.keys.size());
    library.api.call<Append>(session, static_cast<const T*>(provider.get()));
  } catch (const Error& error) {
    throw_provider_error(options, std::string("cannot be used: ") + error.what() +
                                      describe_library_search(libraries, folders));
  }
}

void append_cuda_provider(const Library& library, ort::SessionOptions* session,
                          const Options& options) {
  append_nvidia_provider<ort::CudaOptions, ort::CreateCudaOptions, ort::UpdateCudaOptions,
                         ort::AppendCuda, ort::ReleaseCudaOptions>(library, session, options,
                                                                   cuda_settings(options));
}

constexpr int kPluginMinor = 22;  // older versions have no plug-in libraries

std::string join_names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// The name of an execution provider without the suffix `ExecutionProvider`. Functions of ONNX
// Runtime's API take the name without this suffix; lists of providers contain it.
std::string without_provider_suffix(std::string name) {
  constexpr std::string_view suffix = "ExecutionProvider";
  if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  return name;
}

// Calls `append`; an error of it is thrown again with the name of the provider.
template <class F>
void append_naming_provider_in_errors(const Options& options, F&& append) {
  try {
    append();
  } catch (const Error& error) {
    throw_provider_error(options, std::string("cannot be used: ") + error.what());
  }
}

void append_built_in_provider(const Library& library, ort::SessionOptions* session,
                              const Options& options) {
  std::string name = without_provider_suffix(options.execution_provider);
  if (!library.has_provider(name + "ExecutionProvider"))
    throw_provider_error(options,
                         "ONNX Runtime " + library.info.version + " does not contain it, but " +
                             join_names(library.info.providers) + " (" + library.info.path + ")");
  KeyValueLists lists(options.provider);
  append_naming_provider_in_errors(options, [&] {
    library.api.call<ort::AppendProvider>(session, name.c_str(), lists.keys.data(),
                                          lists.values.data(), lists.keys.size());
  });
}

// Registers the plug-in library of an execution provider only once per process: ONNX Runtime keeps
// it until the process ends, and rejects a second registration.
void register_plugin_once(const Library& library, const Options& options) {
  static std::mutex mutex;
  static auto& registered = *new std::set<std::pair<const Library*, std::string>>;
  std::lock_guard lock(mutex);
  if (registered.contains({&library, options.provider_library})) return;
  try {
    library.api.call<ort::RegisterProviderLibrary>(library.env, options.execution_provider.c_str(),
                                                   options.provider_library.c_str());
  } catch (const Error& error) {
    throw_provider_error(options, options.provider_library + " cannot be loaded: " + error.what());
  }
  registered.insert({&library, options.provider_library});
}

void append_plugin_provider(const Library& library, ort::SessionOptions* session,
                            const Options& options) {
  if (library.minor < kPluginMinor)
    throw_provider_error(options, "plug-in libraries need ONNX Runtime 1." +
                                      std::to_string(kPluginMinor) + ", not " +
                                      library.info.version);
  register_plugin_once(library, options);
  const ort::EpDevice* const* all = nullptr;
  std::size_t count = 0;
  library.api.call<ort::GetEpDevices>(static_cast<const ort::Env*>(library.env), &all, &count);
  const ort::EpDevice* first = nullptr;  // the one that the provider prefers
  std::vector<std::string> others;
  for (const ort::EpDevice* device : std::span(all, count)) {
    std::string name = library.api.get<ort::EpDeviceName>()(device);
    if (without_provider_suffix(name) != without_provider_suffix(options.execution_provider))
      others.push_back(name);
    else if (!first)
      first = device;
  }
  if (!first)
    throw_provider_error(options, options.provider_library +
                                      " has no device for it on this machine; there are "
                                      "devices of " +
                                      join_names(others));
  KeyValueLists lists(options.provider);
  append_naming_provider_in_errors(options, [&] {
    library.api.call<ort::AppendProviderDevices>(session, library.env, &first, std::size_t{1},
                                                 lists.keys.data(), lists.values.data(),
                                                 lists.keys.size());
  });
}

}  // namespace

void append_device_execution_providers(const Library& library, ort::SessionOptions* session,
                                       const Options& options) {
  if (!options.execution_provider.empty())
    return options.provider_library.empty() ? append_built_in_provider(library, session, options)
                                            : append_plugin_provider(library, session, options);
  if (options.device == "cpu") return;
  if (options.device == "cuda") {
    require_provider_and_driver(library, options, "CUDAExecutionProvider",
                                "onnxruntime-gpu[cuda,cudnn]");
    return append_cuda_provider(library, session, options);
  }
  require_provider_and_driver(library, options, "TensorrtExecutionProvider",
                              "onnxruntime-gpu and TensorRT 10");
  append_nvidia_provider<ort::TensorRtOptions, ort::CreateTensorRtOptions,
                         ort::UpdateTensorRtOptions, ort::AppendTensorRt,
                         ort::ReleaseTensorRtOptions>(
      library, session, options,
      tensorrt_settings(options, cache_folder_or_empty_if_disabled(options.cache_dir)));
  append_cuda_provider(library, session, options);  // for nodes that TensorRT does not support
}

}  // namespace oarlock
