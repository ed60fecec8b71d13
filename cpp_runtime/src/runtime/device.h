// Devices other than the CPU: what they need, and one clear sentence when it is not there.
#pragma once
#include "runtime/ort/ort_library.h"

namespace oarlock {

/// Put the provider of `options.device` in front of the CPU's.   Error(engine) naming what is
/// missing.
void append_device(const Library& library, ort::SessionOptions* session, const Options& options);

}  // namespace oarlock
