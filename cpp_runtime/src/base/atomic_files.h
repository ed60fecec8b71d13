// Writing files so that nobody meets half of one.
#pragma once
#include <string>
#include <string_view>

namespace oarlock {

/// Write beside `path` and rename over it: the file is whole or not there.   Error(file).
void write_atomically(const std::string& path, std::string_view bytes);

/// Remove what `write_atomically` has begun: for a signal handler that ends the process.
void remove_unfinished() noexcept;

/// Whether what was written to `path` has reached the disk, so that a power cut cannot take it
/// back.
bool is_on_disk(const std::string& path);

}  // namespace oarlock
