// The rules of a legal program, apart from the parsing of its bytes.
#pragma once
#include "paddle/program.h"

namespace oarlock {

/// Judge `program` whole and fill the blocks' indices.   Error(file) on the first rule that is
/// broken.
void validate(Program& program);

/// A character and its length in bytes, 0 where there is none.
struct Character {
  std::uint32_t code = 0;
  std::size_t length = 0;
};

/// The first character of `text`, which is not empty; of length 0 where that is no well-formed
/// UTF-8.
Character first_of_utf8(std::string_view text);

/// Whether `text` is well-formed UTF-8.
bool is_utf8(std::string_view text);

/// Whether `text` is well-formed UTF-8 without control characters.
bool is_clean_utf8(std::string_view text);

/// The number of elements of `shape`, nullopt where a dim is negative or the product overflows.
std::optional<std::int64_t> element_count(const Ints& shape);

}  // namespace oarlock
