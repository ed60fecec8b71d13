// Options by name and text, for C.
#pragma once
#include <string>

#include "oarlock/session.h"

namespace oarlock {

/// Set the option `name`; `provider.KEY` sets one of the provider's, `outputs` adds one.   Error(input).
void set_option(Options& options, const std::string& name, const std::string& value);

}  // namespace oarlock
