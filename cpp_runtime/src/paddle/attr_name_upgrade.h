// Upgrades op attributes of older Paddle versions.
#pragma once
#include "paddle/program.h"

namespace oarlock {

/// Renames attributes that Paddle 1.8 wrote under other names, unless the new name is present.
void upgrade_attr_names_of_program(Program& program);

}  // namespace oarlock
