// Reads the contract of a model: names, output structure and guards. The contract is a field of the
// protobuf message ProgramDesc that Paddle does not know and ignores.
#pragma once
#include <string_view>

#include "base/wire_reader.h"
#include "paddle/program.h"

namespace oarlock {

inline constexpr std::uint32_t kContractField = 20741;
inline constexpr std::int32_t kContractVersion = 1;
/// The version of contracts with names of dimensions. Older versions of Oarlock, which would not
/// check the names, reject this version.
inline constexpr std::int32_t kContractVersionWithDims = 2;

/// Reads the contract in `w` into `c`. payload: the serialized bytes, stored unchanged.  Repeated
/// occurrences of the field are merged, as protobuf specifies.  Throws Error(file).
void read_into_contract(WireReader w, std::string_view payload, Contract& c);

}  // namespace oarlock
