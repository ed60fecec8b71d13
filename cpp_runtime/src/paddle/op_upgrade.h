// Upgrades ops of older Paddle versions.
#pragma once
#include "paddle/program.h"

namespace oarlock {

/// Replaces op types and attribute names of older Paddle versions by the current ones.
void upgrade_op_types_and_attrs(Program& program);

}  // namespace oarlock
