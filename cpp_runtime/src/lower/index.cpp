#include "lower/rules.h"

namespace oarlock {

std::span<const Rule> index_rules() { return {}; }

}  // namespace oarlock
