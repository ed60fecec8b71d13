// What travels with a model: names, nesting, assumptions.  An unknown field of ProgramDesc to
// everyone but us.
#pragma once
#include <string_view>

#include "base/wire_reader.h"
#include "paddle/program.h"

namespace oarlock {

inline constexpr std::uint32_t kContractField = 20741;
inline constexpr std::int32_t kContractVersion = 1;

/// Reads the contract in `w` into `c`.   piece: the serialized bytes, stored unchanged.   Repeated
/// occurrences of the field are merged into one message, as protobuf specifies.   Throws
/// Error(file).
void read_contract(Wire w, std::string_view piece, Contract& c);

}  // namespace oarlock
