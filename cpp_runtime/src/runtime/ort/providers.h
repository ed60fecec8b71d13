// What the CUDA and TensorRT providers are told.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "oarlock/session.h"

namespace oarlock {

using Settings = std::map<std::string, std::string>;

/// Options of the CUDA provider, by ONNX Runtime's names; Options::provider has the last word where
/// the device is cuda.
Settings cuda_settings(const Options& options);
/// The same of TensorRT.   cache: the folder of built engines, "" for none
Settings tensorrt_settings(const Options& options, const std::string& cache);

/// Error(input) where a captured graph was asked for and an input has no fixed size.
void check_cuda_graph(const Options& options, const std::vector<TensorSpec>& inputs);

}  // namespace oarlock
