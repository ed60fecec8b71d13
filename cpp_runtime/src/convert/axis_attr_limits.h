// Validation of axis attributes before a conversion rule uses them.
#pragma once

namespace oarlock {

class NodeContext;

/// Fails if an axis attribute is not in [-32, 31]. In Python, ir/attr_checks.py has the same check.
void check_axis_attrs_within_max_rank(const NodeContext& n);

}  // namespace oarlock
