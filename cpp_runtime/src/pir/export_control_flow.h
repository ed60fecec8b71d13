// Rules that export branches and loops to PIR.
#pragma once
#include <vector>

#include "pir/exporter.h"

namespace oarlock::pir {

/// Exports a `while` op; the variables that its body assigns become loop-carried values.
std::size_t export_while(Exporter& e, const std::vector<OpDesc>& ops, std::size_t position);

/// Exports a conditional_block op. The two conditional_block ops of a `cond` and the select_input
/// ops after them become one operation.
std::size_t export_conditional_block(Exporter& e, const std::vector<OpDesc>& ops,
                                     std::size_t position);

/// Exports a select_input op that does not follow the two conditional_block ops of a `cond`.
std::size_t export_select_input(Exporter& e, const std::vector<OpDesc>& ops, std::size_t position);

}  // namespace oarlock::pir
