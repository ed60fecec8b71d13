// Device: the host or the GPU in whose memory a tensor is stored.
#pragma once
#include <cstdint>

namespace oarlock {

enum class DeviceType : std::int32_t {
  cpu = 0,
  cuda = 1,        // memory of a GPU
  cuda_pinned = 2  // page-locked host memory, which a GPU reads and writes directly
};

/// Where the memory of a tensor is: on the host or on a GPU. id: the index of the GPU, for cuda and
/// cuda_pinned; 0 for cpu.
struct Device {
  DeviceType type = DeviceType::cpu;
  int id = 0;

  friend constexpr bool operator==(const Device&, const Device&) = default;
  /// Whether the CPU can read and write the memory.
  constexpr bool is_host() const { return type != DeviceType::cuda; }
};

}  // namespace oarlock
