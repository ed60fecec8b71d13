// Rules that export branches and loops to PIR.
#pragma once
#include <vector>

#include "pir/exporter.h"

namespace oarlock::pir {

/// A loop: the variables that its body assigns are carried.
std::size_t export_while(Exporter& e, const std::vector<OpDesc>& ops, std::size_t position);

/// A branch.  The pair of blocks of `cond` with the selections after it become one operation.
std::size_t export_conditional_block(Exporter& e, const std::vector<OpDesc>& ops,
                                     std::size_t position);

/// A selection that does not follow a pair of blocks.
std::size_t export_select_input(Exporter& e, const std::vector<OpDesc>& ops, std::size_t position);

}  // namespace oarlock::pir
