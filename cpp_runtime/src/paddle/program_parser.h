// Parser of `.pdmodel` files. The parser checks the wire format and required fields;
// validate_and_fill_variable_indices() checks all other rules.
#pragma once
#include <string>
#include <string_view>

#include "paddle/program.h"

namespace oarlock {

/// Returns the program in `bytes` without validation. name: for messages.  Throws Error(file).
Program parse_program(std::string_view bytes, const std::string& name);

/// Parses, upgrades and validates a program.
Program parse_upgrade_and_validate_program(std::string_view bytes, const std::string& name);

/// The last frame of an `op_callstack` that belongs to user code, as `net.py:12 in forward: return
/// ...`; "" if there is none.
std::string find_user_line(const Strings& callstack);

}  // namespace oarlock
