// The rules of a legal program, apart from the parsing of its bytes.
#pragma once
#include "paddle/program.h"

namespace oarlock {

/// Judge `program` whole and fill the blocks' indices.   Error(file) on the first rule that is
/// broken.
void validate(Program& program);

/// The number of elements of `shape`, nullopt where a dim is negative or the product overflows.
std::optional<std::int64_t> element_count(const Ints& shape);

}  // namespace oarlock
