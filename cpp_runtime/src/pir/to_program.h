// Conversion of Paddle 3's `.json` to the program of a `.pdmodel`.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "paddle/program.h"

namespace oarlock::pir {

/// The newest version of files that this reader was tested with.
inline constexpr std::int64_t kNewestVersion = 4;

/// Reads a `.json` and validates the result. version: receives the version of the file unless null.
/// Throws Error(file) with the JSON path, or Error(unsupported) that lists all operations without
/// an equivalent.
oarlock::Program convert_pir_json_to_program(std::string_view json, const std::string& file,
                                             std::int64_t* version = nullptr);

}  // namespace oarlock::pir
