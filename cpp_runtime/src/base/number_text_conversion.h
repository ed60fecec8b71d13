// Conversion between doubles and text, independent of the locale.  strtod and printf would use the
// decimal comma of the user's locale.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace oarlock {

/// Whether `c` is a decimal digit.
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Parses all of `text`: a decimal number, "inf" or "nan", with an optional sign.  Returns nullopt
/// for other text and for numbers out of the range of a double.
std::optional<double> try_parse_double(std::string_view text);

/// Parses all of `text` as a decimal int.  Returns nullopt for other text and for numbers out of
/// range.
std::optional<int> try_parse_int(std::string_view text);

/// Significant digits that determine a double.
inline constexpr int kRoundTripDigits = 17;

/// `value` with up to `digits` significant digits, as printf's "%.*g" writes it in the C locale.
std::string format_significant_digits(double value, int digits);

}  // namespace oarlock
