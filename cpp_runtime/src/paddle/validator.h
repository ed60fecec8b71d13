// Validation of parsed programs.
#pragma once
#include "paddle/program.h"

namespace oarlock {

/// Validates `program` and fills the blocks' variable indices.  Throws Error(file) for the first
/// violated rule.
void validate_and_fill_variable_indices(Program& program);

/// The number of elements of `shape`; nullopt if a dim is negative or the product overflows.
std::optional<std::int64_t> element_count(const Ints& shape);

}  // namespace oarlock
