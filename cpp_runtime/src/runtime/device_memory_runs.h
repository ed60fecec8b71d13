// Runs with bound device memory: outputs in pinned host memory, or a captured CUDA graph with fixed
// buffers.
#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "paddle/program.h"
#include "runtime/ort/ort_library.h"
#include "runtime/ort/ort_values.h"

namespace oarlock {

/// Device and host memory by ONNX Runtime's names. copy: copies between any two memories and blocks
/// until done
struct DeviceMemoryDescriptor {
  std::string device, host;
  int id = 0;
  void (*copy)(void* to, const void* from, std::size_t bytes) = nullptr;
};
DeviceMemoryDescriptor make_cuda_memory_descriptor(int device_id);

/// ONNX Runtime's description of the memory of the device, and of the host memory that the device
/// reads and writes directly.
ort::MemoryHandle make_device_memory_info(const Library& library,
                                          const DeviceMemoryDescriptor& memory);
ort::MemoryHandle make_host_memory_info(const Library& library,
                                        const DeviceMemoryDescriptor& memory);

/// Runs once with outputs in host memory that the device writes to directly. output_values: one
/// entry per output.
void run_with_outputs_in_host_memory(const Library& library, ort::Session* session,
                                     const ort::RunOptions* run_options,
                                     const DeviceMemoryDescriptor& memory, Names inputs,
                                     const OrtValues& values, Names outputs,
                                     OrtValues& output_values);

/// A captured CUDA graph with fixed device buffers.  Runs are serialized.
class CapturedCudaGraph {
 public:
  /// values: inputs of a first run, which determines the output sizes. All inputs must have fixed
  /// sizes, because the captured graph has fixed buffers. complex_outputs: whether each output
  /// holds complex numbers.
  CapturedCudaGraph(const Library& library, ort::Session* session,
                    const DeviceMemoryDescriptor& memory, Names inputs, const OrtValues& values,
                    Names outputs, const std::vector<bool>& complex_outputs);
  CapturedCudaGraph(const CapturedCudaGraph&) = delete;
  CapturedCudaGraph& operator=(const CapturedCudaGraph&) = delete;

  std::vector<Tensor> run(std::span<const TensorView> inputs);

 private:
  struct DeviceMemoryDeleter {
    const ort::Api* api;
    ort::Allocator* allocator;
    void operator()(void* data) const { api->call<ort::AllocatorFree>(allocator, data); }
  };
  struct Buffer {
    DType dtype = DType::none;
    Ints shape;
    std::size_t bytes = 0;
    std::unique_ptr<void, DeviceMemoryDeleter> data;
    ort::ValueHandle value;
  };
  Buffer allocate_buffer(DType dtype, Ints shape);

  const Library& library_;
  ort::Session* session_;
  DeviceMemoryDescriptor memory_;
  ort::MemoryHandle memory_info_;
  ort::AllocatorHandle allocator_;
  std::vector<Buffer> inputs_, outputs_;
  ort::BindingHandle binding_;  // destroyed before the buffers that it refers to
  std::mutex mutex_;
};

}  // namespace oarlock
