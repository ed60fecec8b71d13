// NumPy's `.npz`: a zip of `.npy` arrays, stored or deflated.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "oarlock/tensor.h"

namespace oarlock {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// Every array of the file, in its order.   Error(file).
NamedTensors read_npz(const std::string& path);
NamedTensors parse_npz(std::string_view bytes, const std::string& name);

/// Error(file).
void write_npz(const std::string& path, const NamedTensors& arrays);

/// The content of a raw DEFLATE stream that must give exactly `size` bytes.   Error(file) naming
/// `what`.
std::string inflate(std::string_view bytes, std::size_t size, const std::string& what);

}  // namespace oarlock
