// Validation of `output_tree`, the contract field that describes the nesting of the model's
// outputs.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace oarlock {

/// Returns the problem of an output tree, or "" if it is valid.  A node is null, the index of an
/// output, a list of nodes, or an object of one field: {"dict": {name: node}}, {"tuple": [node]},
/// {"value": scalar}.  The rules are those of ir/verifier.py; tests/fixtures/contracts.json has
/// programs that both readers accept or reject.
std::string find_output_tree_problem(std::string_view text, std::size_t outputs);

}  // namespace oarlock
