#include "lower/rules.h"

namespace oarlock {

std::span<const Rule> control_rules() { return {}; }

}  // namespace oarlock
