// The keys of PIR's `.json` that Oarlock adds.
#pragma once
#include <string_view>

namespace oarlock::pir {

/// The top-level key of Oarlock's contract: the message in base64.  Paddle ignores unknown keys.
inline constexpr std::string_view kContractKey = "oarlock_contract";

/// The key of an operation for what PIR does not store: the names of its results as variables, and
/// the user's source line.
inline constexpr std::string_view kDebugKey = "oarlock";

}  // namespace oarlock::pir
