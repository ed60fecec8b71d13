#include "base/result_size_limit.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace oarlock {

std::int64_t max_result_bytes() {
  constexpr std::int64_t default_limit = std::int64_t{8} << 30;
  const char* text = std::getenv("OARLOCK_MAX_RESULT_BYTES");
  std::string_view digits = text ? text : "";
  std::int64_t limit = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), limit);
  return error == std::errc() && end == digits.data() + digits.size() && limit > 0 ? limit
                                                                                   : default_limit;
}

}  // namespace oarlock
