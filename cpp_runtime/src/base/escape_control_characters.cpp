#include "base/escape_control_characters.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/utf8.h"

namespace oarlock {
namespace {

struct CodePointRange {
  std::uint32_t first, last;
};

// The code points that are escaped: the same as in Python (`loader/escape_control_characters.py`),
// except for surrogates, which are not valid UTF-8.
constexpr CodePointRange kInvisible[] = {{0x00, 0x1f},     {0x7f, 0x9f},      {0xad, 0xad},
                                         {0x61c, 0x61c},   {0x180e, 0x180e},  {0x200b, 0x200f},
                                         {0x2028, 0x202e}, {0x2060, 0x206f},  {0xfeff, 0xfeff},
                                         {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};

bool is_invisible(std::uint32_t code) {
  return std::any_of(std::begin(kInvisible), std::end(kInvisible),
                     [&](CodePointRange r) { return r.first <= code && code <= r.last; });
}

std::string escape_sequence(std::uint32_t code) {
  int digits = code < 0x100 ? 2 : code < 0x10000 ? 4 : 8;
  std::string text = digits == 2 ? "\\x" : digits == 4 ? "\\u" : "\\U";
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
    text += "0123456789abcdef"[code >> shift & 15];
  return text;
}

}  // namespace

std::string escape_control_characters(std::string_view text, bool keep_newlines) {
  std::string out;
  while (!text.empty()) {
    auto [code, length] = decode_utf8_character(text);
    bool keep = code == '\t' || (keep_newlines && code == '\n');
    if (length == 0)
      out += escape_sequence(static_cast<unsigned char>(text[0]));
    else if (is_invisible(code) && !keep)
      out += escape_sequence(code);
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

}  // namespace oarlock
