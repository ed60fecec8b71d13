#include "base/number_text_conversion.h"

#include <array>
#include <charconv>
#include <system_error>

namespace oarlock {

namespace {

template <typename T>
std::optional<T> try_parse_number(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-')
    text.remove_prefix(1);  // from_chars rejects a leading '+'
  T value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<double> try_parse_double(std::string_view text) {
  return try_parse_number<double>(text);
}

std::optional<int> try_parse_int(std::string_view text) { return try_parse_number<int>(text); }

std::string format_significant_digits(double value, int digits) {
  std::array<char, 64> buffer{};
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                           std::chars_format::general, digits)
                 .ptr;
  return {buffer.data(), end};
}

}  // namespace oarlock
