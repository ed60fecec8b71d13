// The rules of a legal program, apart from the parsing of its bytes.
#pragma once
#include "read/program.h"

namespace oarlock {

/// Judge `program` whole and fill the blocks' indices.   Error(file) on the first rule that is broken.
void validate(Program& program);

/// Whether `text` is well-formed UTF-8 without control characters.
bool is_clean_utf8(std::string_view text);

/// The number of elements of `shape`, nullopt where a dim is negative or the product overflows.
std::optional<std::int64_t> element_count(const Ints& shape);

}  // namespace oarlock
