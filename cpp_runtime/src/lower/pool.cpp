#include "lower/rules.h"

namespace oarlock {

std::span<const Rule> pool_rules() { return {}; }

}  // namespace oarlock
