// Writer of Paddle 3's `.json` programs.
#pragma once
#include <string>

#include "paddle/program.h"
#include "pir/program.h"

namespace oarlock::pir {

/// Writes a program as JSON in one line, with the keys that Paddle requires.
std::string format_program_as_json(const Program& program);

/// Converts the program of a `.pdmodel` to a `.json` of version 1, which PaddlePaddle 3.0 to 3.3
/// read.  Throws Error(unsupported) that lists all ops without an equivalent.
std::string convert_program_to_pir_json(const oarlock::Program& program);

}  // namespace oarlock::pir
