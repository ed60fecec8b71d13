#include "lower/rules.h"

namespace oarlock {

std::span<const Rule> conv_rules() { return {}; }

}  // namespace oarlock
