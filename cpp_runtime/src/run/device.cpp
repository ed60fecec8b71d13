#include "run/device.h"

#include <dirent.h>
#include <dlfcn.h>

#include <algorithm>
#include <map>

namespace oarlock {
namespace {

using Settings = std::map<std::string, std::string>;

[[noreturn]] void missing(const Options& options, const std::string& what) {
  throw Error(Fault::engine, options.device + ": " + what);
}

std::vector<std::string> entries(const std::string& folder) {
  std::vector<std::string> names;
  if (DIR* dir = ::opendir(folder.c_str())) {
    while (dirent* entry = ::readdir(dir)) names.emplace_back(entry->d_name);
    ::closedir(dir);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string parent(const std::string& path) {
  auto slash = path.find_last_of('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

// The provider library has no search path of its own.  The nvidia wheels lie beside the engine's
// (site-packages/nvidia/*/lib); once opened by path, in the order of their dependence, they are found by name.
void preload_cuda(const Library& library) {
  std::string nvidia = parent(parent(parent(library.info.path))) + "/nvidia";
  for (const char* stem : {"libcudart.so.", "libnvrtc.so.", "libcublasLt.so.", "libcublas.so.", "libcurand.so.",
                           "libcufft.so.", "libcudnn.so.", "libnvinfer.so.", "libnvonnxparser.so."})
    for (const std::string& wheel : entries(nvidia))
      for (const std::string& file : entries(nvidia + "/" + wheel + "/lib"))
        if (file.rfind(stem, 0) == 0) ::dlopen((nvidia + "/" + wheel + "/lib/" + file).c_str(), RTLD_NOW | RTLD_GLOBAL);
}

void require_provider(const Library& library, const Options& options, const char* provider, const char* package) {
  if (!library.has_provider(provider))
    missing(options, "ONNX Runtime " + library.info.version + " was built without " + provider + "; install " +
                         package + " (" + library.info.path + ")");
  if (!::dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL))
    missing(options, "no NVIDIA driver on this machine (libcuda.so.1 cannot be opened)");
  preload_cuda(library);
}

struct Lists {
  std::vector<const char*> keys, values;
  explicit Lists(const Settings& settings) {
    for (auto& [key, value] : settings) keys.push_back(key.c_str()), values.push_back(value.c_str());
  }
};

template <class T, class Create, class Update, class Append, class Release>
void append(const Library& library, ort::SessionOptions* session, const Options& options, const Settings& settings) {
  auto provider = ort::make<ort::Handle<T, Release>, Create>(library.api);
  Lists lists(settings);
  try {
    library.api.call<Update>(provider.get(), lists.keys.data(), lists.values.data(), lists.keys.size());
    library.api.call<Append>(session, static_cast<const T*>(provider.get()));
  } catch (const Error& error) {
    missing(options, std::string("cannot be used: ") + error.what());
  }
}

Settings cuda_settings(const Options& options) {
  return {{"device_id", std::to_string(options.device_id)},
          {"cudnn_conv_algo_search", "HEURISTIC"},  // the default, EXHAUSTIVE, costs seconds at every new shape
          {"use_tf32", options.tf32 ? "1" : "0"}};
}

Settings tensorrt_settings(const Options& options) {
  Settings settings{{"device_id", std::to_string(options.device_id)}, {"trt_fp16_enable", options.fp16 ? "1" : "0"}};
  if (!options.cache_dir.empty()) {
    for (const char* what : {"engine", "timing"}) {
      settings[std::string("trt_") + what + "_cache_enable"] = "1";
      settings[std::string("trt_") + what + "_cache_path"] = options.cache_dir;
    }
  }
  return settings;
}

void append_cuda(const Library& library, ort::SessionOptions* session, const Options& options,
                 const Settings& further) {
  Settings settings = cuda_settings(options);
  for (auto& [key, value] : further) settings[key] = value;
  append<ort::CudaOptions, ort::CreateCudaOptions, ort::UpdateCudaOptions, ort::AppendCuda, ort::ReleaseCudaOptions>(
      library, session, options, settings);
}

}  // namespace

void append_device(const Library& library, ort::SessionOptions* session, const Options& options) {
  if (options.device == "cpu") return;
  if (options.device == "cuda") {
    require_provider(library, options, "CUDAExecutionProvider", "onnxruntime-gpu[cuda,cudnn]");
    return append_cuda(library, session, options, options.provider);
  }
  if (options.device != "tensorrt")
    throw Error(Fault::input, "device: '" + options.device + "' is none of cpu, cuda, tensorrt");
  require_provider(library, options, "TensorrtExecutionProvider", "onnxruntime-gpu and TensorRT 10");
  Settings settings = tensorrt_settings(options);
  for (auto& [key, value] : options.provider) settings[key] = value;
  append<ort::TensorRtOptions, ort::CreateTensorRtOptions, ort::UpdateTensorRtOptions, ort::AppendTensorRt,
         ort::ReleaseTensorRtOptions>(library, session, options, settings);
  append_cuda(library, session, options, {});  // for what TensorRT leaves over
}

}  // namespace oarlock
