// Session options by name: setting them from text, and their descriptions.
#pragma once
#include <string>
#include <vector>

#include "oarlock/session.h"

namespace oarlock {

/// Parses `image=1,3,224,224,ids=1,5`, one shape per input; the letter x may separate sizes, too:
/// `image=1x3x224x224`. Throws Error(input).
Shapes parse_shapes(const std::string& text);

/// Sets the option `name`; `provider.KEY` sets a provider option, `outputs` and `warmup`
/// append; `shape_buckets` sets the buckets of one dimension. Throws Error(input).
void set_option(Options& options, const std::string& name, const std::string& value);

/// Calls visit(name, member, description) for every option, in the order of session_options.inc.
template <class Visitor>
void for_each_option(Options& options, const Visitor& visit) {
#define OARLOCK_OPTION(type, name, default_value, description) \
  visit(#name, options.name, description);
#include "oarlock/session_options.inc"
#undef OARLOCK_OPTION
}

/// An option as documentation shows it. type: string, int, bool, map, list of strings, list of
/// shapes or sizes by name.
struct OptionInfo {
  std::string name, type, default_value, description;
};

/// All options, in the order of session_options.inc.
const std::vector<OptionInfo>& option_infos();

}  // namespace oarlock
