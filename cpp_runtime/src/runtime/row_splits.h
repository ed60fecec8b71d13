// Row-split inputs and outputs of packed sequences.
#pragma once
#include <span>
#include <vector>

#include "oarlock/model.h"
#include "oarlock/tensor.h"

namespace oarlock {

/// The index of the tensor whose row splits `specs[index]` holds; specs.size() if it holds none.
std::size_t index_of_tensor_split_by(const std::vector<TensorSpec>& specs, std::size_t index);

/// Marks outputs after the `declared` ones that are named `<name>.lod` as row splits of output
/// `<name>`.
void mark_row_split_outputs(std::vector<TensorSpec>& outputs, std::size_t declared);

/// Checks that row splits start with 0, do not decrease, and end with the number of rows.  Throws
/// Error(input).
void check_row_split_inputs(const std::vector<TensorSpec>& specs,
                            std::span<const TensorView> inputs);

}  // namespace oarlock
