// Finds the `conditional_block` ops of a block that are the two branches of one `if`.
#pragma once
#include <map>

#include "paddle/program.h"

namespace oarlock {

/// The branches of a Python `if`/`else`: two conditional_block ops with opposite conditions and one
/// select_input op per output. then_outputs, else_outputs: the outputs of each branch in the order
/// of the select_input ops.
struct IfElsePair {
  const OpDesc *then_op = nullptr, *else_op = nullptr;
  Strings then_outputs, else_outputs;
};

/// All branch pairs of a block, found in one pass over the ops.
class IfElsePairs {
 public:
  explicit IfElsePairs(const Block& block);

  /// The pair that `op` belongs to; null if there is none or if an output of a branch is not
  /// selected.
  const IfElsePair* find(const OpDesc& op) const;

 private:
  std::vector<IfElsePair> pairs_;
  std::map<const OpDesc*, std::size_t> pair_index_;
};

}  // namespace oarlock
