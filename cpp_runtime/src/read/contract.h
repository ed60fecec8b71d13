// What travels with a model: names, nesting, assumptions.  An unknown field of ProgramDesc to everyone but us.
#pragma once
#include <string_view>

#include "read/program.h"
#include "read/wire.h"

namespace oarlock {

inline constexpr std::uint32_t kContractField = 20741;
inline constexpr std::int32_t kContractVersion = 1;

/// The contract in `w`.   piece: its bytes, kept as they are.   Error(file).
Contract read_contract(Wire w, std::string_view piece);

}  // namespace oarlock
