// Writes files atomically.
#pragma once
#include <string>
#include <string_view>

namespace oarlock {

/// Writes a temporary file and renames it to `path`, so that readers see the old or the new
/// content.  Throws Error(file).
void write_atomically(const std::string& path, std::string_view bytes);

/// Removes the temporary file of a write in progress.  Safe in a signal handler that ends the
/// process.
void remove_partial_file_in_signal_handler() noexcept;

/// Whether the content of `path` has reached the disk, so that a power failure cannot lose it.
bool try_sync_to_disk(const std::string& path);

}  // namespace oarlock
