// `.pdmodel` bytes -> Program.  Only the wire and the required fields are judged here; the rest is
// validate()'s.
#pragma once
#include <string>
#include <string_view>

#include "paddle/program.h"

namespace oarlock {

/// The program in `bytes`, not yet validated.   name: shown in messages.   Error(file).
Program parse_program(std::string_view bytes, const std::string& name);

/// Parse and validate: what everyone but a test of the parser wants.
Program read_program(std::string_view bytes, const std::string& name);

/// The last frame of an `op_callstack` that is the user's own: `net.py:12 in forward: return ...`,
/// "" if none.
std::string user_line(const Strings& callstack);

}  // namespace oarlock
