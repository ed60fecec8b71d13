// Execution providers of ONNX Runtime other than the CPU provider.
#pragma once
#include "runtime/ort/ort_library.h"

namespace oarlock {

/// Adds the providers of the options in front of the CPU provider: for the device cpu the one that
/// `execution_provider` names, if any, CUDA for cuda, TensorRT followed by CUDA for tensorrt.
/// Throws Error(engine) that names what is missing.
void append_device_execution_providers(const Library& library, ort::SessionOptions* session,
                                       const Options& options);

}  // namespace oarlock
