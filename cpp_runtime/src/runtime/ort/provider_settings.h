// Options of the CUDA and TensorRT providers.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "oarlock/session.h"

namespace oarlock {

using Settings = std::map<std::string, std::string>;

/// Options of the CUDA provider, by ONNX Runtime's names; Options::provider overrides them for the
/// device cuda.
Settings cuda_settings(const Options& options);
/// Options of the TensorRT provider. cache: folder of built engines, "" for none
Settings tensorrt_settings(const Options& options, const std::string& cache);

/// Throws Error(input) if cuda_graph is set and the device is cpu or an input has a dynamic
/// dimension.
void check_cuda_graph_device_and_shapes(const Options& options,
                                        const std::vector<TensorSpec>& inputs);

}  // namespace oarlock
