// Where the nodes of a session run.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "runtime/ort/ort_library.h"

namespace oarlock {

/// Op types of the nodes by provider, and how often.
using Placement = std::map<std::string, std::map<std::string, std::size_t>>;

/// What the engine says; empty for engines before 1.24, which do not say.   The session must have
/// been made with `session.record_ep_graph_assignment_info`.
Placement placement_of(const Library& library, const ort::Session* session);

/// The nodes on the CPU that compute: all but those that work on sizes, which belong there.   One
/// line; "" for none
std::string computing_on_cpu(const Placement& placement);

}  // namespace oarlock
