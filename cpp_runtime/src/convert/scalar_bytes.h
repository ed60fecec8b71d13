// Single numbers as the bytes of a dtype, and back.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "oarlock/dtype.h"

namespace oarlock {

/// `value` rounded to `dtype`, little-endian.   Real dtypes only; others give zero bytes.
std::string encoded(double value, DType dtype);

/// The number in `bytes`; nullopt for a dtype that is not real.
std::optional<double> decoded(std::string_view bytes, DType dtype);

}  // namespace oarlock
