// What Paddle 1.8 wrote under other names.
#pragma once
#include "paddle/program.h"

namespace oarlock {

/// Give attributes the names that they have today.   What is said as today already stays.
void rename_older(Program& program);

}  // namespace oarlock
