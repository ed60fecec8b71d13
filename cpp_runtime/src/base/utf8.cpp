#include "base/utf8.h"

#include <cstring>

namespace oarlock {
namespace {

// The number of leading bytes below 0x80 (ASCII), rounded down to a multiple of eight.
std::size_t count_leading_ascii_in_8_byte_steps(std::string_view text) {
  constexpr std::uint64_t high_bits = 0x8080808080808080;
  std::size_t count = 0;
  for (std::uint64_t eight = 0; text.size() - count >= sizeof(eight); count += sizeof(eight)) {
    std::memcpy(&eight, text.data() + count, sizeof(eight));
    if (eight & high_bits) break;
  }
  return count;
}

}  // namespace

Utf8Character decode_utf8_character(std::string_view text) {
  auto lead = static_cast<unsigned char>(text[0]);
  std::size_t length = lead < 0x80       ? 1
                       : lead >> 5 == 6  ? 2
                       : lead >> 4 == 14 ? 3
                       : lead >> 3 == 30 ? 4
                                         : 0;
  if (length == 0 || length > text.size()) return {};
  std::uint32_t code = length == 1 ? lead : lead & (0x7fu >> length);
  for (std::size_t k = 1; k < length; ++k) {
    auto byte = static_cast<unsigned char>(text[k]);
    if (byte >> 6 != 2) return {};
    code = code << 6 | (byte & 0x3fu);
  }
  constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < smallest[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {code, length};
}

void append_utf8(std::string& to, std::uint32_t code) {
  if (code < 0x80) {
    to += static_cast<char>(code);
    return;
  }
  int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr std::uint32_t lead[] = {0, 0xc0, 0xe0, 0xf0};
  to += static_cast<char>(lead[more] | code >> (6 * more));
  while (more-- > 0) to += static_cast<char>(0x80 | (code >> (6 * more) & 0x3f));
}

bool is_utf8(std::string_view text) {
  for (;;) {
    text.remove_prefix(count_leading_ascii_in_8_byte_steps(text));
    if (text.empty()) return true;
    std::size_t length = decode_utf8_character(text).length;
    if (length == 0) return false;
    text.remove_prefix(length);
  }
}

bool is_utf8_without_control_characters(std::string_view text) {
  while (!text.empty()) {
    auto [code, length] = decode_utf8_character(text);
    if (length == 0 || code < 0x20 || (code >= 0x7f && code < 0xa0)) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace oarlock
