// A file, mapped read-only.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace oarlock {

/// What changes when a file is written to or replaced.   Times in nanoseconds.
struct Stamp {
  std::uint64_t size = 0, inode = 0;
  std::int64_t modified = 0, changed = 0;
  bool operator==(const Stamp&) const = default;
};

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
  /// Taken when the file was opened.
  const Stamp& stamp() const { return stamp_; }
  /// Whether the mapped file itself was written to or cut since, not merely replaced by another of
  /// its name: the bytes are no longer what was opened, and those behind a new end cannot be read.
  bool was_overwritten() const;

 private:
  std::string path_;
  Stamp stamp_;
  int file_ = -1;  // kept open to ask after it
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

/// `dir/m.pdmodel` -> `m.pdmodel`
std::string base_name(const std::string& path);
/// Whether a regular file is there.
bool is_file(const std::string& path);

}  // namespace oarlock
