// Reader and writer of NumPy's `.npz` files: zip archives of `.npy` arrays, stored or deflated.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "oarlock/tensor.h"

namespace oarlock {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// All arrays of the file, in order.  Throws Error(file).
NamedTensors read_npz(const std::string& path);
NamedTensors parse_npz(std::string_view bytes, const std::string& name);

/// Writes arrays uncompressed.  Throws Error(file).
void write_npz(const std::string& path, const NamedTensors& arrays);

/// Decompresses a raw DEFLATE stream of exactly `size` bytes.  Throws Error(file) that names
/// `label`.
std::string inflate(std::string_view bytes, std::size_t size, const std::string& label);

}  // namespace oarlock
