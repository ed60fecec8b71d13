// Setting of session options by name and text.
#pragma once
#include <string>

#include "oarlock/session.h"

namespace oarlock {

/// Parses `x=1,3,224,224,y=1,5`, one shape per input; `x` may separate sizes too.  Throws
/// Error(input).
Shapes parse_shapes(const std::string& text);

/// Sets the option `name`; `provider.KEY` sets a provider option, `outputs` and `warmup` append.
/// Throws Error(input).
void set_option(Options& options, const std::string& name, const std::string& value);

}  // namespace oarlock
