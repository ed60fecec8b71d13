#include "runtime/session_options_by_name.h"

#include <algorithm>

#include "base/number_text_conversion.h"

namespace oarlock {
namespace {

constexpr std::size_t kMaxOptionDigits = 18;

[[noreturn]] void throw_invalid_option_value(const std::string& name, const std::string& value) {
  throw Error(ErrorCode::input, "options: '" + name + "' cannot be '" + value + "'");
}

// Sets the member of an option from text, or appends to it if it is a list; false if the text is
// not a value of its type.
bool try_set_or_append_from_text(std::string& member, const std::string& text) {
  member = text;
  return true;
}

bool try_set_or_append_from_text(int& member, const std::string& text) {
  auto value = try_parse_int(text);
  if (value) member = *value;
  return value.has_value();
}

bool try_set_or_append_from_text(bool& member, const std::string& text) {
  if (text != "0" && text != "1") return false;
  member = text == "1";
  return true;
}

bool try_set_or_append_from_text(std::vector<std::string>& member, const std::string& text) {
  member.push_back(text);
  return true;
}

bool try_set_or_append_from_text(std::vector<Shapes>& member, const std::string& text) {
  member.push_back(parse_shapes(text));
  return true;
}

bool try_set_or_append_from_text(Shapes& member, const std::string& text) {
  for (auto& [name, sizes] : parse_shapes(text)) member[name] = sizes;
  return true;
}

bool try_set_or_append_from_text(StringMap&, const std::string&) {
  return false;
}  // set by `provider.KEY`

// The type of an option for documentation, and its default.
OptionInfo option_type_and_default(const std::string& value) { return {"", "string", value, ""}; }
OptionInfo option_type_and_default(int value) { return {"", "int", std::to_string(value), ""}; }
OptionInfo option_type_and_default(bool value) { return {"", "bool", value ? "1" : "0", ""}; }
OptionInfo option_type_and_default(const std::vector<std::string>&) {
  return {"", "list of strings", "", ""};
}
OptionInfo option_type_and_default(const std::vector<Shapes>&) {
  return {"", "list of shapes", "", ""};
}
OptionInfo option_type_and_default(const Shapes&) { return {"", "sizes by name", "", ""}; }
OptionInfo option_type_and_default(const StringMap&) { return {"", "map", "", ""}; }

[[noreturn]] void throw_invalid_shape_text(const std::string& text) {
  throw Error(ErrorCode::input, "shapes: requires NAME=1,3,224,224, not '" + text + "'");
}

// The end of the shape that starts at `at`: the comma before the next name, or the end of the text.
std::size_t find_shape_end(const std::string& text, std::size_t at) {
  for (auto comma = text.find(',', at); comma != text.npos; comma = text.find(',', comma + 1))
    if (text.substr(comma + 1, text.find(',', comma + 1) - comma - 1).find('=') != text.npos)
      return comma;
  return text.size();
}

std::vector<std::int64_t> parse_shape_sizes(const std::string& text, const std::string& whole) {
  std::vector<std::int64_t> sizes;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
    bool between = end + 1 < text.size() && (text[end] == ',' || text[end] == 'x');
    if (end == at || end - at > kMaxOptionDigits || !(end == text.size() || between))
      throw_invalid_shape_text(whole);
    sizes.push_back(std::stoll(text.substr(at, end - at)));
    at = end + 1;
  }
  return sizes;
}

}  // namespace

Shapes parse_shapes(const std::string& text) {
  Shapes shapes;
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t end = find_shape_end(text, at);
    std::string one = text.substr(at, end - at);
    auto equals = one.rfind('=');
    if (equals == std::string::npos || equals == 0) throw_invalid_shape_text(one);
    shapes[one.substr(0, equals)] = parse_shape_sizes(one.substr(equals + 1), one);
    at = end + 1;
  }
  return shapes;
}

void set_option(Options& options, const std::string& name, const std::string& value) {
  constexpr std::string_view provider = "provider.";
  if (name.rfind(provider, 0) == 0) {
    options.provider[name.substr(provider.size())] = value;
    return;
  }
  bool known = false;
  for_each_option(options, [&](const char* option, auto& member, const char*) {
    if (name != option) return;
    known = true;
    if (!try_set_or_append_from_text(member, value)) throw_invalid_option_value(name, value);
  });
  if (!known) throw Error(ErrorCode::input, "options: there is no '" + name + "'");
}

const std::vector<OptionInfo>& option_infos() {
  static const std::vector<OptionInfo> table = [] {
    std::vector<OptionInfo> all;
    Options defaults;
    for_each_option(defaults, [&](const char* name, auto& member, const char* description) {
      all.push_back(option_type_and_default(member));
      all.back().name = name, all.back().description = description;
    });
    return all;
  }();
  return table;
}

}  // namespace oarlock
