// How the outputs of a model are nested: the field `output_tree` of the contract.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace oarlock {

/// What is wrong with an output tree, "" for a legal one.   A node is null, the index of an output, a list of nodes, or
/// an object of one field: {"dict": {name: node}}, {"tuple": [node]}, {"value": scalar}.   The rules are those of
/// ir/verifier.py; tests/fixtures/contracts.json has programs that both readers accept or reject.
std::string output_tree_problem(std::string_view text, std::size_t outputs);

}  // namespace oarlock
