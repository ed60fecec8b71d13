// Which `conditional_block` ops of a block are the two branches of one `if`.
#pragma once
#include <map>

#include "paddle/program.h"

namespace oarlock {

/// The branches of a Python `if`/`else`: two conditional_block ops with opposite conditions, and
/// one select_input op per result.   yes_names, no_names: the outputs of each branch, in the order
/// of the select_input ops.
struct Fork {
  const OpDesc *yes = nullptr, *no = nullptr;
  Strings yes_names, no_names;
};

/// All forks of a block.   The constructor makes one pass over the ops.
class Forks {
 public:
  explicit Forks(const Block& block);

  /// The fork that `op` is a branch of; null if there is none, or if some output of a branch is not
  /// selected.
  const Fork* of(const OpDesc& op) const;

 private:
  std::vector<Fork> forks_;
  std::map<const OpDesc*, std::size_t> fork_of_;
};

}  // namespace oarlock
