// UTF-8 decoding.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace oarlock {

/// A character and its length in bytes; length 0 if the bytes are not well-formed.
struct Character {
  std::uint32_t code = 0;
  std::size_t length = 0;
};

/// The first character of `text`, which is not empty.
Character first_of_utf8(std::string_view text);

/// Whether `text` is well-formed UTF-8.
bool is_utf8(std::string_view text);

/// Whether `text` is well-formed UTF-8 without control characters.
bool is_clean_utf8(std::string_view text);

}  // namespace oarlock
