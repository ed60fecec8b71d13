// Texts of a file that are only ever shown: a terminal or a log must not take them for orders.
#pragma once
#include <string>
#include <string_view>

namespace oarlock {

/// `text` with its control characters written out (`\x1b`, `\u202e`), with what nobody sees but
/// changes what is seen, and with bytes that are no UTF-8; tabs stay.   lines: line breaks as well
std::string shown(std::string_view text, bool lines = false);

}  // namespace oarlock
