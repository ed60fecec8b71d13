// Loading of NVIDIA's libraries.  ONNX Runtime's providers have no search path, so their
// dependencies are opened before them, by path and in order of dependence, and then found by name.
#pragma once
#include <string>
#include <vector>

#include "oarlock/session.h"

namespace oarlock {

/// One library of NVIDIA that the providers need. name: the beginning of the file name, such as
/// `libcudart.so.`; path: the file that was opened; "" if none of the
/// folders has it.
struct NvidiaLibrary {
  std::string name, path;
};

/// The folders to search: those of the option nvidia_dirs, then those of NVIDIA's wheels beside
/// ONNX Runtime's. nvidia_dirs: the folders of the option, separated by `:`.
std::vector<std::string> nvidia_library_search_folders(const std::string& nvidia_dirs,
                                                       const std::string& ort_library_path);

/// Opens the libraries that exist. tensorrt: also opens the two libraries of TensorRT
std::vector<NvidiaLibrary> open_nvidia_libraries(const std::vector<std::string>& folders,
                                                 bool tensorrt);

/// A description of the search for an error message, one line per library.
std::string describe_library_search(const std::vector<NvidiaLibrary>& libraries,
                                    const std::vector<std::string>& folders);

}  // namespace oarlock
