// Which machine this is, for what is only valid on one like it.
#pragma once
#include <string>

namespace oarlock {

/// The processor's model and instruction sets: graphs that the engine optimised are laid out for
/// them.
std::string processor_word();
/// The same with the number of processors that this process may use.
std::string machine_word();

}  // namespace oarlock
