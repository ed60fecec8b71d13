// Writing files so that nobody meets half of one.
#pragma once
#include <string>
#include <string_view>

namespace oarlock {

/// Write beside `path` and rename over it: the file is whole or not there.   Error(file).
void write_atomically(const std::string& path, std::string_view bytes);

}  // namespace oarlock
