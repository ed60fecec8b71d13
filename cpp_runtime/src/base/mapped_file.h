// Read-only memory-mapped files.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace oarlock {

/// File metadata that changes when the file is written or replaced.  Times are in nanoseconds.
struct FileStamp {
  std::uint64_t size = 0, inode = 0;
  std::int64_t modified_ns = 0, changed_ns = 0;
  bool operator==(const FileStamp&) const = default;
};

class MappedFile {
 public:
  MappedFile() = default;
  /// Maps `path`.  Throws Error(file) if it cannot be opened or is not a regular file.
  explicit MappedFile(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }
  const std::string& path() const { return path_; }
  /// The metadata at the time the file was opened.
  const FileStamp& stamp() const { return stamp_; }
  /// Whether the mapped file itself was written or truncated after it was opened.  Replacing it by
  /// renaming another file does not count.  Mapped bytes beyond a new end cannot be read.
  bool was_overwritten() const;

 private:
  std::string path_;
  FileStamp stamp_;
  int file_ = -1;  // stays open for `was_overwritten`
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

/// `dir/m.pdmodel` -> `m.pdmodel`
std::string base_name(const std::string& path);
/// Whether `path` is a regular file.
bool is_file(const std::string& path);

}  // namespace oarlock
