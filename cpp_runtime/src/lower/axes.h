// Axes in attributes, before a rule computes anything from them.
#pragma once

namespace oarlock {

class Node;

/// Fails where an attribute that names axes names one that no tensor has.   The same as in Python:
/// compiler/error_wrapping.py.
void check_axes(const Node& n);

}  // namespace oarlock
