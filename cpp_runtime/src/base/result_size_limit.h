// The limit of the size of the result of an op, which users can raise by OARLOCK_MAX_RESULT_BYTES.
#pragma once
#include <cstdint>

namespace oarlock {

/// The maximal number of bytes of one result of an op: OARLOCK_MAX_RESULT_BYTES, by default 8 GiB.
/// In Python, core/result_size_limit.py applies the same limit.
std::int64_t max_result_bytes();

}  // namespace oarlock
