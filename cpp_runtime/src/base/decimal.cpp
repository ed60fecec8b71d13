#include "base/decimal.h"

#include <array>
#include <charconv>
#include <exception>
#include <system_error>

namespace oarlock {

std::optional<double> parse_double(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-')
    text.remove_prefix(1);  // from_chars rejects a leading '+'
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<int> parse_int(const std::string& text) {
  std::size_t used = 0;
  try {
    int value = std::stoi(text, &used);
    return used == text.size() ? std::optional(value) : std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::string format_double(double value, int digits) {
  std::array<char, 64> buffer{};
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                           std::chars_format::general, digits)
                 .ptr;
  return {buffer.data(), end};
}

}  // namespace oarlock
