// Row splits of packed sequences (`offsets` in options, `.lod` in names): where each sequence
// starts.
#pragma once
#include <span>
#include <vector>

#include "oarlock/model.h"
#include "oarlock/tensor.h"

namespace oarlock {

/// The index of the tensor whose row splits `specs[index]` holds; specs.size() if it holds none.
std::size_t row_splits_owner_index_or_size(const std::vector<TensorSpec>& specs, std::size_t index);

/// Marks outputs after the `declared` ones that are named `<name>.lod` as row splits of output
/// `<name>`.
void link_row_splits_outputs_to_owners(std::vector<TensorSpec>& outputs, std::size_t declared);

/// Checks that row splits start with 0, do not decrease, and end with the number of rows.  Throws
/// Error(input).
void check_row_splits_input_values(const std::vector<TensorSpec>& specs,
                                   std::span<const TensorView> inputs);

}  // namespace oarlock
