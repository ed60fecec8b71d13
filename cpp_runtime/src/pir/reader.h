// Reader of Paddle 3's `.json` programs.
#pragma once
#include <string>
#include <string_view>

#include "pir/program.h"

namespace oarlock::pir {

/// Whether `bytes` are a `.json` and not a `.pdmodel`, which never starts with a brace.
bool starts_with_json_object(std::string_view bytes);

/// Reads the program of a document, which must outlive it.  Checks the structure: required fields,
/// types, limits, distinct ids, definition before use.  Throws Error(file) with the JSON path.
Program parse_pir_program(const JsonDocument& document, const std::string& file);

}  // namespace oarlock::pir
