#include "pipeline/settings_reader.h"

#include <cmath>

#include "base/escape_control_characters.h"
#include "base/number_text_conversion.h"

namespace oarlock {
namespace {

// The longest text of a label or character; it is limited because results repeat the text for each
// object or character.
constexpr std::size_t kMaxTextBytes = 1024;

// "1./255." as yaml files of PaddleOCR write a scale.
std::optional<double> try_parse_number_or_quotient(std::string_view text) {
  std::size_t slash = text.find('/');
  std::optional<double> numerator = try_parse_double(text.substr(0, slash));
  if (slash == std::string_view::npos || !numerator) return numerator;
  std::optional<double> denominator = try_parse_double(text.substr(slash + 1));
  return denominator ? std::optional(*numerator / *denominator) : std::nullopt;
}

}  // namespace

double read_number(Json value, const std::string& where, double min, double max) {
  std::optional<double> number;
  if (value.is_number()) number = value.number_or_zero();
  if (value.type() == Json::Type::string)
    number = try_parse_number_or_quotient(value.string_or_empty());
  if (!number) throw Error(ErrorCode::file, where + " is not a number");
  if (!(*number >= min && *number <= max))
    throw Error(ErrorCode::file, where + " is " + format_significant_digits(*number, 6) +
                                     "; it must be from " + format_significant_digits(min, 9) +
                                     " to " + format_significant_digits(max, 9));
  return *number;
}

SettingsReader::SettingsReader(Json object, std::string where)
    : object_(object), where_(std::move(where)) {
  if (object && object.type() != Json::Type::object && object.type() != Json::Type::null)
    fail("is not a mapping");
}

void SettingsReader::fail(const std::string& what) const {
  throw Error(ErrorCode::file, where_ + " " + what);
}

void SettingsReader::fail(const std::string& name, const std::string& what) const {
  throw Error(ErrorCode::file, path(name) + " " + what);
}

std::string SettingsReader::path(const std::string& name) const {
  return where_ + (where_.ends_with(':') ? " " : ".") + name;
}

Json SettingsReader::find(const char* name) {
  known_.insert(name);
  Json found = object_.find(name);
  return found.type() == Json::Type::null ? Json() : found;
}

bool SettingsReader::has(const char* name) { return static_cast<bool>(find(name)); }

int SettingsReader::integer(const char* name, int default_value, int min, int max) {
  if (!has(name)) return default_value;
  double value = read_number(find(name), path(name), min, max);
  if (value != std::floor(value)) fail(name, "is not an integer");
  return static_cast<int>(value);
}

double SettingsReader::number(const char* name, double default_value, double min, double max) {
  return has(name) ? read_number(find(name), path(name), min, max) : default_value;
}

bool SettingsReader::boolean(const char* name, bool default_value) {
  if (!has(name)) return default_value;
  if (find(name).type() != Json::Type::boolean) fail(name, "is not true or false");
  return find(name).boolean_or_false();
}

std::string SettingsReader::text(const char* name, const std::string& default_value) {
  if (!has(name)) return default_value;
  if (find(name).type() != Json::Type::string) fail(name, "is not text");
  return std::string(find(name).string_or_empty());
}

std::vector<double> SettingsReader::numbers(const char* name,
                                            const std::vector<double>& default_value,
                                            std::size_t count, double max) {
  Json list = find(name);
  if (!list) return default_value;
  if (list.type() != Json::Type::array || list.size() != count)
    fail(name, "is not a list of " + std::to_string(count) + " numbers");
  std::vector<double> result;
  for (Json value : list) result.push_back(read_number(value, path(name), -max, max));
  return result;
}

std::vector<std::string> SettingsReader::strings(const char* name, std::size_t max_count) {
  std::vector<std::string> result;
  Json list = find(name);
  if (!list) return result;
  if (list.type() != Json::Type::array) fail(name, "is not a list");
  if (list.size() > max_count)
    fail(name, "has " + std::to_string(list.size()) + " items; at most " +
                   std::to_string(max_count) + " are allowed");
  for (Json value : list) {
    if (value.string_or_empty().size() > kMaxTextBytes)
      fail(std::string(name) + "[" + std::to_string(result.size()) + "]",
           "has more than " + std::to_string(kMaxTextBytes) + " bytes");
    if (value.type() == Json::Type::string)
      result.emplace_back(value.string_or_empty());
    else if (value.type() == Json::Type::integer)
      result.push_back(std::to_string(value.integer_or_zero()));
    else
      fail(std::string(name) + "[" + std::to_string(result.size()) + "]",
           "is not text; write it in quotes");
  }
  return result;
}

void SettingsReader::reject_unknown() const {
  std::string unknown;
  for (Json field : object_)
    if (!known_.contains(std::string(field.name())))
      unknown += (unknown.empty() ? "" : ", ") + escape_control_characters(field.name());
  if (!unknown.empty())
    throw Error(ErrorCode::unsupported, where_ + " has unsupported settings: " + unknown);
}

}  // namespace oarlock
