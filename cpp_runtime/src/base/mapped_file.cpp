#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "oarlock/error.h"

namespace oarlock {
namespace {

struct FileDescriptor {
  int fd;
  ~FileDescriptor() {
    if (fd >= 0) ::close(fd);
  }
};

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw Error(ErrorCode::file, base_name(path) + ": " + why + " (" + path + ")");
}

std::int64_t to_nanoseconds(const timespec& t) {
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

FileStamp to_file_stamp(const struct stat& info) {
  return {static_cast<std::uint64_t>(info.st_size), static_cast<std::uint64_t>(info.st_ino),
          to_nanoseconds(info.st_mtim), to_nanoseconds(info.st_ctim)};
}

}  // namespace

MappedFile::MappedFile(const std::string& path) : path_(path) {
  FileDescriptor file{::open(
      path.c_str(), O_RDONLY | O_CLOEXEC |
                        O_NONBLOCK)};  // O_NONBLOCK: opening a pipe without a writer would block
  if (file.fd < 0) fail(path, std::string("cannot be opened: ") + std::strerror(errno));
  struct stat info{};
  if (::fstat(file.fd, &info) != 0)
    fail(path, std::string("cannot be read: ") + std::strerror(errno));
  if (!S_ISREG(info.st_mode)) fail(path, "is not a regular file");
  stamp_ = to_file_stamp(info);
  size_ = static_cast<std::size_t>(info.st_size);
  if (size_ == 0) return;  // mmap rejects empty files
  void* data = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (data == MAP_FAILED) fail(path, std::string("cannot be mapped: ") + std::strerror(errno));
  data_ = data;
  file_ = std::exchange(file.fd, -1);
}

bool MappedFile::was_overwritten() const {
  struct stat info{};
  if (file_ < 0 || ::fstat(file_, &info) != 0) return false;
  FileStamp now = to_file_stamp(info);
  return now.size != stamp_.size || now.modified_ns != stamp_.modified_ns;
}

MappedFile::MappedFile(MappedFile&& other) noexcept { *this = std::move(other); }

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(stamp_, other.stamp_);
  std::swap(file_, other.file_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(data_, size_);
  if (file_ >= 0) ::close(file_);
}

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

bool is_file(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

}  // namespace oarlock
