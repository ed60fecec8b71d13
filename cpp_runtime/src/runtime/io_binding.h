// Runs on a device: outputs land in memory that it reaches fast; or a captured graph, whose inputs
// and outputs stay where they are.
#pragma once
#include <mutex>
#include <string>
#include <vector>

#include "paddle/program.h"
#include "runtime/ort/ort_library.h"
#include "runtime/ort/ort_values.h"

namespace oarlock {

/// Memory by ONNX Runtime's names.   copy: between any two places, blocks until it is done
struct DeviceMemory {
  std::string device, host;
  int id = 0;
  void (*copy)(void* to, const void* from, std::size_t bytes) = nullptr;
};
DeviceMemory cuda_memory(int device_id);

/// One run with outputs in the host memory that the device writes to directly.   found: a place for
/// each.
void run_bound(const Library& library, ort::Session* session, const ort::RunOptions* how,
               const DeviceMemory& memory, Names inputs, const OrtValues& values, Names outputs,
               OrtValues& found);

/// A graph that is launched as one: buffers on the device, the same in every run.   One run at a
/// time; others wait.
class CapturedRun {
 public:
  /// values: inputs to find the sizes of the outputs with.   All inputs must have fixed sizes.
  /// pairs: for each output, whether it is of complex numbers.
  CapturedRun(const Library& library, ort::Session* session, const DeviceMemory& memory,
              Names inputs, const OrtValues& values, Names outputs, const std::vector<bool>& pairs);
  ~CapturedRun();
  CapturedRun(const CapturedRun&) = delete;
  CapturedRun& operator=(const CapturedRun&) = delete;

  std::vector<Tensor> run(std::span<const TensorView> given);

 private:
  struct Buffer {
    DType dtype = DType::none;
    Ints shape;
    std::size_t bytes = 0;
    void* data = nullptr;
    ort::ValueHandle value;
  };
  Buffer buffer(DType dtype, Ints shape);

  const Library& library_;
  ort::Session* session_;
  DeviceMemory memory_;
  ort::MemoryHandle info_;
  ort::AllocatorHandle allocator_;
  ort::BindingHandle binding_;
  std::vector<Buffer> inputs_, outputs_;
  std::mutex mutex_;
};

}  // namespace oarlock
