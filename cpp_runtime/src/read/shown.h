// Texts of a file that are only ever shown: a terminal or a log must not take them for orders.
#pragma once
#include <string>
#include <string_view>

namespace oarlock {

/// How many bytes of UTF-8 at the beginning of `text` are a character that a terminal may obey: a control character, or
/// one that turns the direction of what follows; 0 for any other.
inline std::size_t order_length(std::string_view text) {
  auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
  if (byte(0) < 0x20 || byte(0) == 0x7f) return 1;
  if (byte(0) == 0xc2 && byte(1) >= 0x80 && byte(1) < 0xa0) return 2;
  bool line_or_direction = (byte(1) == 0x80 && byte(2) >= 0xa8 && byte(2) <= 0xae) ||
                           (byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9);
  return byte(0) == 0xe2 && line_or_direction ? 3 : 0;
}

/// `text` with such characters written out, byte by byte.   lines: but for line breaks
inline std::string shown(std::string_view text, bool lines = false) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t order = text[i] == '\t' || (lines && text[i] == '\n') ? 0 : order_length(text.substr(i));
    if (order == 0) out += text[i++];
    for (; order > 0; --order, ++i) {
      auto byte = static_cast<unsigned char>(text[i]);
      out.append("\\x").append({digits[byte >> 4], digits[byte & 15]});
    }
  }
  return out;
}

}  // namespace oarlock
