// Validation of attributes that are axes, before a lowering rule uses them.
#pragma once

namespace oarlock {

class Node;

/// Fails if an attribute that is an axis is not in [-32, 31].   The same check in Python:
/// ir/attr_checks.py.
void check_axes(const Node& n);

}  // namespace oarlock
