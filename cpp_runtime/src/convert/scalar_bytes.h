// Encoding of single numbers in any dtype.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "oarlock/dtype.h"

namespace oarlock {

/// `value` rounded to `dtype`, little-endian.  Returns zero bytes for dtypes that are not real.
std::string encode_scalar(double value, DType dtype);

/// The number in `bytes`; nullopt for a dtype that is not real.
std::optional<double> decode_scalar(std::string_view bytes, DType dtype);

}  // namespace oarlock
