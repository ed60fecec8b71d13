#include "paddle/combined_params.h"

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

/// The file of a value: names may have a `/`, and nothing that leads out of the folder.   Each file
/// has one name: it is copied for each.
fs::path file_of(const std::string& folder, const std::string& name) {
  fs::path inner(name);
  bool leads_out = name.empty() || inner.is_absolute() || inner.lexically_normal().string() != name;
  for (const fs::path& part : inner) leads_out |= part == "..";
  if (leads_out)
    throw Error(Fault::file,
                base_name(folder) + ": a value is named '" + name + "', which is no file in it");
  return fs::path(folder) / inner;
}

void append(int fd, std::string_view bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    ssize_t count = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (count <= 0)
      throw Error(Fault::file, std::string("the values of a folder cannot be put together: ") +
                                   std::strerror(errno));
    done += static_cast<std::size_t>(count);
  }
}

std::string temporary_name() {
  std::error_code error;
  fs::path folder = fs::temp_directory_path(error);
  return ((error ? fs::path("/tmp") : folder) / "oarlock-XXXXXX").string();
}

}  // namespace

JoinedFiles::JoinedFiles(const std::string& folder, const Program& program)
    : path_(temporary_name()) {
  int fd = ::mkstemp(path_.data());
  if (fd < 0) throw Error(Fault::file, path_ + ": cannot be created: " + std::strerror(errno));
  try {
    for (const VarDesc* var : program.persistables())
      append(fd, MappedFile(file_of(folder, var->name).string()).bytes());
  } catch (...) {
    ::close(fd);
    ::unlink(path_.c_str());
    throw;
  }
  ::close(fd);
}

JoinedFiles::~JoinedFiles() { ::unlink(path_.c_str()); }

}  // namespace oarlock
