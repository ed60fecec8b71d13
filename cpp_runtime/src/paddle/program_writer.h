// Writer of `.pdmodel` files.
#pragma once
#include <string>

#include "paddle/program.h"

namespace oarlock {

/// Serializes a program in the layout of Paddle's framework.proto, with the contract's bytes.
std::string to_pdmodel(const Program& program);

}  // namespace oarlock
