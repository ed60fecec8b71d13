// Options as the engine takes them.
#pragma once
#include <string>

#include "runtime/ort/ort_library.h"

namespace oarlock {

/// Refuse what no engine could do.   Error(input).
void check_options(const Options& options);

/// folder: where external data lies, "" for nowhere.
ort::OptionsHandle session_settings(const Library& library, const Options& options,
                                    const std::string& folder);

}  // namespace oarlock
