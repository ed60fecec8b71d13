// Texts of a file that are only ever shown: a terminal or a log must not take them for orders.
#pragma once
#include <string>
#include <string_view>

namespace oarlock {

/// `text` with its control characters written out.   lines: but for line breaks
inline std::string shown(std::string_view text, bool lines = false) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if ((byte >= 0x20 && byte != 0x7f) || c == '\t' || (lines && c == '\n'))
      out += c;
    else
      out.append("\\x").append({digits[byte >> 4], digits[byte & 15]});
  }
  return out;
}

}  // namespace oarlock
