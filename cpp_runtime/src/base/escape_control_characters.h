// Escaping of text from files, so that a terminal or log does not interpret it.
#pragma once
#include <string>
#include <string_view>

namespace oarlock {

/// Returns `text` with control characters, invisible formatting characters and invalid UTF-8 bytes
/// replaced by escapes (`\x1b`, `\u202e`). Tabs are not replaced. keep_newlines: line breaks are
/// not replaced either.
std::string escape_control_characters(std::string_view text, bool keep_newlines = false);

}  // namespace oarlock
