// The memory allocator of sessions with the option memory=smallest.
#pragma once
#include "runtime/ort/ort_library.h"
#include "runtime/page_arena.h"

namespace oarlock {

/// The arena of the sessions of `library` with the option memory=smallest; the first call registers
/// it as an allocator of ONNX Runtime's environment, which such sessions share.
PageArena& shared_page_arena(const Library& library);

}  // namespace oarlock
