// Limits on what a program may ask for that a user can raise.
#pragma once
#include <cstdint>

namespace oarlock {

/// The most bytes that one result of an op may take: OARLOCK_MAX_RESULT_BYTES, or 8 GiB.   The same as in Python:
/// core/limits.py.
std::int64_t max_result_bytes();

}  // namespace oarlock
