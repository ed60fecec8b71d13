// Why a run failed, in our words where the engine's are known.
#pragma once
#include <string>
#include <string_view>

namespace oarlock {

/// The reason in what the engine says of a run.   Our own words where a node was made to fail for
/// it, or where the engine's are known, which then follow in brackets; else the engine's, without
/// its source files.
std::string reason_of(std::string_view message);

}  // namespace oarlock
