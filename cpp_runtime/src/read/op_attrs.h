// Which types and values a file may give the attributes of an op.   The same rules as in Python: ir/attr_checks.py.
#pragma once
#include <string>

#include "read/program.h"

namespace oarlock {

/// What is wrong with an attribute of an op, "" where nothing is.   Names that the op does not declare, and ops that
/// are not known, are passed over: Paddle adds attributes of its own.
std::string op_attr_problem(const std::string& op, const std::string& name, const Attr& attr);

}  // namespace oarlock
