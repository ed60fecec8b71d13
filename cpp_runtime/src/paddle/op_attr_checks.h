// Validation of the types and values of op attributes in files. The rules are the same as in Python
// (ir/attr_checks.py).
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "paddle/program.h"

namespace oarlock {

/// Returns the problem of an attribute, or "" if it is valid.  Unknown ops and undeclared
/// attributes are ignored, because Paddle also adds attributes that ops do not declare.
std::string find_attr_type_or_range_problem(const std::string& op, const std::string& name,
                                            const Attr& attr);

/// The type that an op declares for an attribute; nullopt for unknown ops and undeclared
/// attributes.
std::optional<AttrType> declared_attr_type(std::string_view op, std::string_view name);

}  // namespace oarlock
