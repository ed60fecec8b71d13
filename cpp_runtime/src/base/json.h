// JSON: what the engine's profile and the file of a tuning are written in.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace oarlock {

struct Json {
  enum class Type { null, boolean, number, text, array, object } type = Type::null;
  double number = 0;  // of a boolean: 0 or 1
  std::string text;
  std::vector<Json> items;         // of an array; of an object, the values of its fields
  std::vector<std::string> names;  // of an object's fields

  /// The field `name`, or null where this is no object that has it.
  const Json* find(std::string_view name) const;
};

/// Error(file) naming `file` and the byte for text that is not one JSON value.
Json parse_json(std::string_view text, const std::string& file);

/// A JSON string with its quotes.
std::string quoted(const std::string& text);

}  // namespace oarlock
