// Inputs that say where the packed sequences of another input begin.
#pragma once
#include <span>
#include <vector>

#include "oarlock/model.h"
#include "oarlock/tensor.h"

namespace oarlock {

/// Which input's rows the offsets `specs[index]` cut.   specs.size() where it is no such input.
std::size_t rows_of(const std::vector<TensorSpec>& specs, std::size_t index);

/// Of the outputs behind the `declared` ones: those called `<name>.lod` after one of these are its
/// offsets.
void mark_offsets(std::vector<TensorSpec>& outputs, std::size_t declared);

/// Offsets begin with 0, do not fall, and end with the number of rows: others would make wrong
/// numbers.   Error(input)
void check_offsets(const std::vector<TensorSpec>& specs, std::span<const TensorView> given);

}  // namespace oarlock
