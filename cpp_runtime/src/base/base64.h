#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace oarlock {

/// RFC 4648 with padding.
inline std::string encode_base64(std::string_view bytes) {
  static constexpr char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    std::size_t present = bytes.size() - i;
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= present ? digits[word >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

}  // namespace oarlock
