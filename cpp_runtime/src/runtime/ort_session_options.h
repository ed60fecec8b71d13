// Conversion of Options to ONNX Runtime's session options.
#pragma once
#include <string>

#include "runtime/ort/ort_library.h"

namespace oarlock {

/// Rejects invalid options.  Throws Error(input).
void check_options(const Options& options);

/// The session options of ONNX Runtime. folder: the folder of external data, "" for none.
ort::OptionsHandle make_session_options(const Library& library, const Options& options,
                                        const std::string& folder);

}  // namespace oarlock
