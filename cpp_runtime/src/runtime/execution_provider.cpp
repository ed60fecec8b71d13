#include "runtime/execution_provider.h"

#include <dlfcn.h>

#include <vector>

#include "runtime/graph_cache.h"
#include "runtime/ort/nvidia_libraries.h"
#include "runtime/ort/provider_settings.h"

namespace oarlock {
namespace {

[[noreturn]] void throw_provider_error(const Options& options, const std::string& what) {
  throw Error(ErrorCode::engine, options.device + ": " + what);
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

// Opens NVIDIA's libraries and adds the provider; an error lists the libraries that were found.
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

}  // namespace

void append_device_execution_providers(const Library& library, ort::SessionOptions* session,
                                       const Options& options) {
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
