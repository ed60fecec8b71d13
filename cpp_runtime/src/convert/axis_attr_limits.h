// Validation of axis attributes before a conversion rule uses them.
#pragma once

namespace oarlock {

class NodeContext;

/// Fails if an axis attribute is not in [-32, 31].  The same check in Python: ir/attr_checks.py.
void check_axis_attrs_within_max_rank(const NodeContext& n);

}  // namespace oarlock
