// Decimal numbers as text.  In files and messages of ours the decimal point is a point: strtod and printf would use the
// decimal comma of a user's locale.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace oarlock {

/// The number that the whole of `text` spells: decimal, "inf" or "nan", with an optional sign.  Nothing for other text
/// and for numbers that a double cannot hold.
std::optional<double> parse_double(std::string_view text);

/// `value` with up to `digits` significant digits, as printf's "%.*g" writes it in the C locale.
std::string format_double(double value, int digits);

}  // namespace oarlock
