// Which `conditional_block` ops of a block are the two branches of one `if`.
#pragma once
#include <map>

#include "read/program.h"

namespace oarlock {

/// `if` and `else` of Python: two conditional blocks with opposite conditions, and one select_input per result.
/// yes_names, no_names: what each branch gives, in the order of the select_input ops.
struct Fork {
  const OpDesc *yes = nullptr, *no = nullptr;
  Strings yes_names, no_names;
};

/// Every fork of a block.   Built in one pass over its ops.
class Forks {
 public:
  explicit Forks(const Block& block);

  /// The fork that `op` is a branch of, where every result of both branches is selected; else null.
  const Fork* of(const OpDesc& op) const;

 private:
  std::vector<Fork> forks_;
  std::map<const OpDesc*, std::size_t> fork_of_;
};

}  // namespace oarlock
