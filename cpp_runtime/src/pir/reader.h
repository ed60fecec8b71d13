// Reader of Paddle 3's `.json` programs.
#pragma once
#include <string>
#include <string_view>

#include "pir/program.h"

namespace oarlock::pir {

/// The first characters decide: a `.pdmodel` never starts with a brace.
bool starts_with_json_object(std::string_view bytes);

/// Reads the program of a document, which must outlive it.  Checks the structure: required fields,
/// types, limits, distinct ids, definition before use.  Throws Error(file) with the JSON path.
Program parse_pir_program(const JsonDocument& document, const std::string& file);

}  // namespace oarlock::pir
