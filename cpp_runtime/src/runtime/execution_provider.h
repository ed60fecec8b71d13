// Execution providers of ONNX Runtime other than the CPU provider.
#pragma once
#include "runtime/ort/ort_library.h"

namespace oarlock {

/// Adds the providers of `options.device` in front of the CPU provider: none for cpu, CUDA for
/// cuda, TensorRT followed by CUDA for tensorrt.  Throws Error(engine) that names what is missing.
void append_device_execution_providers(const Library& library, ort::SessionOptions* session,
                                       const Options& options);

}  // namespace oarlock
