// NVIDIA's libraries.  The engine's providers have no search path of their own: what they need is
// opened before them, by path, in the order of dependence, and then found by name.
#pragma once
#include <string>
#include <vector>

#include "oarlock/session.h"

namespace oarlock {

/// Where one library was found.   path: "" where it was left to the system's loader and that did
/// not have it either.
struct NvidiaLibrary {
  std::string name, path;
};

/// Folders to look into: those that were named, then those of NVIDIA's wheels beside the engine's.
std::vector<std::string> nvidia_folders(const std::string& named, const std::string& engine);

/// Open all of them, as far as they are there.   tensorrt: its two as well
std::vector<NvidiaLibrary> open_nvidia(const std::vector<std::string>& folders, bool tensorrt);

/// One line each, for an error: what was found where, and what was not.
std::string report(const std::vector<NvidiaLibrary>& libraries,
                   const std::vector<std::string>& folders);

}  // namespace oarlock
