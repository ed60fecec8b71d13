// DimRange: the sizes that a named dimension may have.
#pragma once
#include <cstdint>

namespace oarlock {

/// The allowed sizes of a dimension: the multiples of `multiple` from `min` to `max`. max: 0 for no
/// maximum. By default, all sizes.
struct DimRange {
  std::int64_t min = 0, max = 0, multiple = 1;

  bool contains(std::int64_t size) const {
    return size >= min && (max == 0 || size <= max) && size % multiple == 0;
  }
  std::int64_t smallest_size() const { return (min + multiple - 1) / multiple * multiple; }
  /// The largest allowed size; 0 if there is no maximum.
  std::int64_t largest_size() const { return max / multiple * multiple; }
  bool operator==(const DimRange&) const = default;
};

}  // namespace oarlock
