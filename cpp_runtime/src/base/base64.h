#pragma once
#include <cstdint>
#include <optional>
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

/// Returns nullopt for other text.
inline std::optional<std::string> decode_base64(std::string_view text) {
  auto value_of = [](char c) {
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
  };
  if (text.size() % 4) return std::nullopt;
  std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::string bytes;
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool is_padding = i >= text.size() - padding;
    int value = is_padding ? 0 : value_of(text[i]);
    if (value < 0) return std::nullopt;
    word = word << 6 | static_cast<std::uint32_t>(value);
    if (i % 4 != 3) continue;
    for (int shift = 16; shift >= 0; shift -= 8) bytes += static_cast<char>(word >> shift);
    word = 0;
  }
  bytes.resize(bytes.size() - padding);
  return bytes;
}

}  // namespace oarlock
