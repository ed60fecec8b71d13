#include "paddle/temporary_combined_params.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/mapped_file.h"
#include "oarlock/error.h"

namespace oarlock {
namespace {

namespace fs = std::filesystem;

/// The path of the file of a parameter; fails if the name leads out of the folder or is not in
/// normal form, so that no file has two names.  Names may contain `/`.
fs::path param_path_in_folder(const std::string& folder, const std::string& name) {
  fs::path inner(name);
  bool escapes_folder =
      name.empty() || inner.is_absolute() || inner.lexically_normal().string() != name;
  for (const fs::path& part : inner) escapes_folder |= part == "..";
  if (escapes_folder)
    throw Error(ErrorCode::file,
                base_name(folder) + ": a value is named '" + name + "', which is not a file in it");
  return fs::path(folder) / inner;
}

void write_bytes(int fd, std::string_view bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    ssize_t count = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (count <= 0)
      throw Error(ErrorCode::file, std::string("the values of a folder cannot be put together: ") +
                                       std::strerror(errno));
    done += static_cast<std::size_t>(count);
  }
}

std::string mkstemp_template() {
  std::error_code error;
  fs::path folder = fs::temp_directory_path(error);
  return ((error ? fs::path("/tmp") : folder) / "oarlock-XXXXXX").string();
}

}  // namespace

TemporaryCombinedParams::TemporaryCombinedParams(const std::string& folder, const Program& program)
    : path_(mkstemp_template()) {
  int fd = ::mkstemp(path_.data());
  if (fd < 0) throw Error(ErrorCode::file, path_ + ": cannot be created: " + std::strerror(errno));
  try {
    for (const VarDesc* var : program.persistables_in_file_order())
      write_bytes(fd, MappedFile(param_path_in_folder(folder, var->name).string()).bytes());
  } catch (...) {
    ::close(fd);
    ::unlink(path_.c_str());
    throw;
  }
  ::close(fd);
}

TemporaryCombinedParams::~TemporaryCombinedParams() { ::unlink(path_.c_str()); }

}  // namespace oarlock
