// A temporary folder, removed with the object.
#pragma once
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "fixtures.h"

namespace oarlock {

struct Folder {
  std::filesystem::path path;

  explicit Folder(const std::string& name)
      : path(std::filesystem::temp_directory_path() /
             ("oarlock test " + name + " " + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const std::string& name) const { return (path / name).string(); }

  /// Copies a fixture's two files and returns their prefix.
  std::string with_fixture(const std::string& name) const {
    for (const char* end : {".pdmodel", ".pdiparams"})
      std::filesystem::copy_file(fixture(name + end), path / (name + end),
                                 std::filesystem::copy_options::overwrite_existing);
    return *this / name;
  }
};

inline std::string file_text(const std::string& path) {
  return std::string(MappedFile(path).bytes());
}

inline void put_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace oarlock
