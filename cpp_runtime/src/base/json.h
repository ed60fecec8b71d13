// Parser of JSON, the format of ONNX Runtime's profiles and of tuning files.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace oarlock {

struct Json {
  enum class Type { null, boolean, number, text, array, object } type = Type::null;
  double number = 0;  // booleans: 0 or 1
  std::string text;
  std::vector<Json> items;         // elements of an array; of an object, the values of its fields
  std::vector<std::string> names;  // names of the fields of an object

  /// The field `name`; null if this is not an object with that field.
  const Json* find(std::string_view name) const;
};

/// Parses one JSON value.  Throws Error(file) that names `file` and the byte of the error.
Json parse_json(std::string_view text, const std::string& file);

/// `text` as a JSON string with quotes.  Control characters other than \n become spaces.
std::string quote_json(const std::string& text);

}  // namespace oarlock
