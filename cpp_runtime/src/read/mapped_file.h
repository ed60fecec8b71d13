// A file, mapped read-only.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace oarlock {

class MappedFile {
 public:
  MappedFile() = default;
  /// Map `path`.   Error(file) when it cannot be opened or is no regular file.
  explicit MappedFile(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

/// `dir/m.pdmodel` -> `m.pdmodel`
std::string base_name(const std::string& path);
/// Whether a regular file is there.
bool is_file(const std::string& path);

}  // namespace oarlock
