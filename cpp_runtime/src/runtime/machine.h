// Identification of the processor, for cached data that is valid only on a similar one.
#pragma once
#include <string>

namespace oarlock {

/// The processor model and instruction sets; optimized graphs depend on them.
std::string processor_model_id();
/// The processor model, its instruction sets and the number of available processors.
std::string processor_model_and_count_id();

/// Whether ONNX Runtime's products of unsigned and signed bytes saturate at 16 bits, as on x86-64
/// without VNNI. If these products saturate, quantized models are converted to compute in float32.
/// (ONNX Runtime's option "session.x64quantprecision" is meant to avoid the saturation, but with
/// it, ONNX Runtime 1.32 rejects models in which weights share a zero point.)
bool byte_products_saturate();

/// The number of channels in a block of the layout NCHWc in which ONNX Runtime computes
/// convolutions; 0 if it has no such layout for this processor, or if it is unknown.
int convolution_block_size();

}  // namespace oarlock
