// Validation, decoding and encoding of UTF-8 text.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace oarlock {

/// A code point and the number of bytes that encode it; length 0 for an invalid sequence.
struct Utf8Character {
  std::uint32_t code = 0;
  std::size_t length = 0;
};

/// Decodes the first character of `text`, which must not be empty.
Utf8Character decode_utf8_character(std::string_view text);

/// Appends the encoding of a code point below 0x110000.
void append_utf8(std::string& to, std::uint32_t code);

/// Whether `text` is well-formed UTF-8.
bool is_utf8(std::string_view text);

/// Whether `text` is well-formed UTF-8 without control characters.
bool is_utf8_without_control_characters(std::string_view text);

}  // namespace oarlock
