#include "base/atomic_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/mapped_file.h"
#include "oarlock/error.h"

namespace oarlock {
namespace {

std::atomic<const char*> partial_path = nullptr;

}  // namespace

void remove_partial_file_in_signal_handler() noexcept {
  if (const char* path = partial_path.exchange(nullptr)) ::unlink(path);
}

void write_atomically(const std::string& path, std::string_view bytes) {
  struct stat existing{};
  if (::stat(path.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode))
    throw Error(
        ErrorCode::file,
        base_name(path) + ": exists already and is not a regular file, so it is not replaced");
  std::string temporary = path + ".XXXXXX";
  int fd = ::mkstemp(temporary.data());
  if (fd >= 0) partial_path = temporary.c_str();
  auto fail = [&](const char* step) {
    std::string why = std::strerror(errno);
    partial_path = nullptr;
    if (fd >= 0) ::close(fd), ::unlink(temporary.c_str());
    throw Error(ErrorCode::file, base_name(path) + ": cannot be " + step + ": " + why);
  };
  if (fd < 0) fail("created");
  for (std::size_t done = 0; done < bytes.size();) {
    ssize_t count = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (count <= 0) fail("written");
    done += static_cast<std::size_t>(count);
  }
  if (::fchmod(fd, 0644) != 0 || ::fsync(fd) != 0) fail("written");
  if (::rename(temporary.c_str(), path.c_str()) != 0) fail("renamed into place");
  partial_path = nullptr;
  ::close(fd);
}

bool try_sync_to_disk(const std::string& path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool synced = ::fsync(fd) == 0;
  ::close(fd);
  return synced;
}

}  // namespace oarlock
