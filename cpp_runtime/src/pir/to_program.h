// Conversion of Paddle 3's `.json` to the program of a `.pdmodel`.
#pragma once
#include <string>
#include <string_view>

#include "paddle/program.h"

namespace oarlock::pir {

/// Reads a `.json` and validates the result.  Throws Error(file) with the JSON
/// path, or Error(unsupported) that lists all operations without an equivalent.
oarlock::Program read_program(std::string_view json, const std::string& file);

/// Removes ops whose outputs nothing reads.
void remove_dead_ops(oarlock::Program& program);

}  // namespace oarlock::pir
