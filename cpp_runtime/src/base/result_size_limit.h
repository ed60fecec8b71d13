// The limit of the size of a result, which the user can raise.
#pragma once
#include <cstdint>

namespace oarlock {

/// The maximal number of bytes of one result of an op: OARLOCK_MAX_RESULT_BYTES, by default 8 GiB.
/// The same in Python: core/result_size_limit.py.
std::int64_t max_result_bytes();

}  // namespace oarlock
