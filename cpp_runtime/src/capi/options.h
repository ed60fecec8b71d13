// Options by name and text, for C.
#pragma once
#include <string>

#include "oarlock/session.h"

namespace oarlock {

/// `x=1,3,224,224,y=1,5`, one shape for each input named; `x` may stand between sizes too.
/// Error(input).
Shapes parse_shapes(const std::string& text);

/// Set the option `name`; `provider.KEY` sets one of the provider's, `outputs` and `warmup` add
/// one.   Error(input).
void set_option(Options& options, const std::string& name, const std::string& value);

}  // namespace oarlock
