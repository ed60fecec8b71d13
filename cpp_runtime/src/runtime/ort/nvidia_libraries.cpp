#include "runtime/ort/nvidia_libraries.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace oarlock {
namespace {

namespace fs = std::filesystem;

// The prefixes of NVIDIA's libraries, in order of dependence. The providers of ONNX Runtime 1.31
// need CUDA 13, cuDNN 9 and TensorRT 10; the prefixes also match the versions that older providers
// need.
constexpr const char* kCuda[] = {"libcudart.so.", "libnvrtc.so.",  "libcublasLt.so.",
                                 "libcublas.so.", "libcurand.so.", "libcufft.so.",
                                 "libcudnn.so."};
constexpr const char* kTensorRt[] = {"libnvinfer.so.", "libnvonnxparser.so."};

std::vector<fs::path> list_folder(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

// The first file `stem*` that can be opened; "" if there is none.
std::string dlopen_first_match_returning_path(const std::vector<std::string>& folders,
                                              const std::string& stem) {
  for (const std::string& folder : folders)
    for (const fs::path& file : list_folder(folder))
      if (file.filename().string().rfind(stem, 0) == 0 &&
          ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL))
        return file.string();
  return "";
}

}  // namespace

std::vector<std::string> nvidia_library_search_folders(const std::string& nvidia_dirs,
                                                       const std::string& ort_library_path) {
  std::vector<std::string> folders;
  std::istringstream list(nvidia_dirs);
  for (std::string folder; std::getline(list, folder, ':');)
    if (!folder.empty()) folders.push_back(folder);
  // the library is PACKAGES/onnxruntime/capi/libonnxruntime.so.*
  fs::path packages = fs::path(ort_library_path).parent_path().parent_path().parent_path();
  for (const fs::path& wheel : list_folder(packages / "nvidia"))
    if (std::error_code error; fs::is_directory(wheel / "lib", error))
      folders.push_back((wheel / "lib").string());
  if (std::error_code error; fs::is_directory(packages / "tensorrt_libs", error))
    folders.push_back((packages / "tensorrt_libs").string());
  return folders;
}

std::vector<NvidiaLibrary> open_nvidia_libraries(const std::vector<std::string>& folders,
                                                 bool tensorrt) {
  std::vector<NvidiaLibrary> libraries;
  for (const char* stem : kCuda)
    libraries.push_back({stem, dlopen_first_match_returning_path(folders, stem)});
  if (tensorrt)
    for (const char* stem : kTensorRt)
      libraries.push_back({stem, dlopen_first_match_returning_path(folders, stem)});
  return libraries;
}

std::string describe_library_search(const std::vector<NvidiaLibrary>& libraries,
                                    const std::vector<std::string>& folders) {
  std::string text = "\n  looked into:";
  for (const std::string& folder : folders) text += "\n    " + folder;
  if (folders.empty())
    text += " no folder (no NVIDIA wheels beside the engine, and nvidia_dirs names none)";
  for (const NvidiaLibrary& library : libraries)
    text += "\n  " + library.name +
            "*: " + (library.path.empty() ? "left to the system's loader" : library.path);
  return text;
}

}  // namespace oarlock
