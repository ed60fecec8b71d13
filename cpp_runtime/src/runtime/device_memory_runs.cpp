#include "runtime/device_memory_runs.h"

#include <dlfcn.h>

#include <algorithm>

namespace oarlock {
namespace {

ort::MemoryHandle make_memory_info(const Library& library, const std::string& name, int id,
                                   int type) {
  return ort::make<ort::MemoryHandle, ort::CreateMemoryInfo>(library.api, name.c_str(),
                                                             ort::kDeviceAllocator, id, type);
}

// Copies between host and device with cudaMemcpy of the CUDA runtime that the provider opened.
void copy_cuda_memory(void* to, const void* from, std::size_t bytes) {
  using Copy = int (*)(void*, const void*, std::size_t, int);
  constexpr int memcpy_default = 4;  // cudaMemcpyDefault
  static const auto copy = reinterpret_cast<Copy>(::dlsym(RTLD_DEFAULT, "cudaMemcpy"));
  if (!copy) throw Error(ErrorCode::engine, "cuda: libcudart is not open");
  if (int status = copy(to, from, bytes, memcpy_default))
    throw Error(ErrorCode::engine, "cuda: a copy failed with status " + std::to_string(status));
}

// Runs the session without capturing a CUDA graph, to determine the outputs.
void run_without_cuda_graph(const Library& library, ort::Session* session, Names inputs,
                            const OrtValues& values, Names outputs, OrtValues& output_values) {
  auto options = ort::make<ort::RunOptionsHandle, ort::CreateRunOptions>(library.api);
  library.api.call<ort::AddRunConfigEntry>(options.get(), "gpu_graph_id", "-1");
  run_session(library, session, options.get(), inputs, values, outputs, output_values);
}

}  // namespace

DeviceMemoryDescriptor make_cuda_memory_descriptor(int device_id) {
  return {"Cuda", "CudaPinned", device_id, copy_cuda_memory};
}

ort::MemoryHandle make_device_memory_info(const Library& library,
                                          const DeviceMemoryDescriptor& memory) {
  return make_memory_info(library, memory.device, memory.id, ort::kDefaultMemory);
}

ort::MemoryHandle make_host_memory_info(const Library& library,
                                        const DeviceMemoryDescriptor& memory) {
  return make_memory_info(
      library, memory.host, memory.id,
      memory.host == memory.device ? ort::kDefaultMemory : ort::kHostReadableMemory);
}

void run_with_outputs_in_host_memory(const Library& library, ort::Session* session,
                                     const ort::RunOptions* run_options,
                                     const DeviceMemoryDescriptor& memory, Names inputs,
                                     const OrtValues& values, Names outputs,
                                     OrtValues& output_values) {
  const ort::Api& api = library.api;
  auto binding = ort::make<ort::BindingHandle, ort::CreateIoBinding>(api, session);
  auto host = make_host_memory_info(library, memory);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    api.call<ort::BindInput>(binding.get(), inputs[i], static_cast<const ort::Value*>(values[i]));
  for (const char* name : outputs)
    api.call<ort::BindOutputToDevice>(binding.get(), name,
                                      static_cast<const ort::MemoryInfo*>(host.get()));
  api.call<ort::RunWithBinding>(session, run_options,
                                static_cast<const ort::IoBinding*>(binding.get()));
  take_bound_outputs(library, binding.get(), output_values);
}

CapturedCudaGraph::CapturedCudaGraph(const Library& library, ort::Session* session,
                                     const DeviceMemoryDescriptor& memory, Names inputs,
                                     const OrtValues& values, Names outputs,
                                     const std::vector<bool>& complex_outputs)
    : library_(library), session_(session), memory_(memory) {
  const ort::Api& api = library.api;
  memory_info_ = make_device_memory_info(library, memory);
  allocator_ = ort::make<ort::AllocatorHandle, ort::CreateAllocator>(
      api, static_cast<const ort::Session*>(session),
      static_cast<const ort::MemoryInfo*>(memory_info_.get()));
  binding_ = ort::make<ort::BindingHandle, ort::CreateIoBinding>(api, session);
  OrtValues output_values(api, outputs.size());
  run_without_cuda_graph(library, session, inputs, values, outputs, output_values);
  auto allocate = [&](const ort::Value* value) {
    auto [dtype, shape] = read_tensor_type(library, value);
    return allocate_buffer(dtype, std::move(shape));
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    inputs_.push_back(allocate(values[i]));
    api.call<ort::BindInput>(binding_.get(), inputs[i],
                             static_cast<const ort::Value*>(inputs_[i].value.get()));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    outputs_.push_back(allocate(output_values[i]));
    api.call<ort::BindOutput>(binding_.get(), outputs[i],
                              static_cast<const ort::Value*>(outputs_[i].value.get()));
    if (complex_outputs[i]) convert_type_of_pairs_to_complex(outputs_[i].dtype, outputs_[i].shape);
  }
}

CapturedCudaGraph::Buffer CapturedCudaGraph::allocate_buffer(DType dtype, Ints shape) {
  Buffer b;
  b.dtype = dtype;
  b.shape = std::move(shape);
  b.bytes = tensor_byte_size(dtype, b.shape);
  void* data = nullptr;
  library_.api.call<ort::AllocatorAlloc>(allocator_.get(), std::max<std::size_t>(b.bytes, 1),
                                         &data);
  b.data = std::unique_ptr<void, DeviceMemoryDeleter>(data, {&library_.api, allocator_.get()});
  b.value = ort::make<ort::ValueHandle, ort::CreateTensorWithDataAsOrtValue>(
      library_.api, static_cast<const ort::MemoryInfo*>(memory_info_.get()), data, b.bytes,
      b.shape.data(), b.shape.size(), onnx_of(dtype));
  return b;
}

std::vector<Tensor> CapturedCudaGraph::run(std::span<const TensorView> inputs) {
  std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    if (inputs_[i].bytes) memory_.copy(inputs_[i].data.get(), inputs[i].data, inputs_[i].bytes);
  library_.api.call<ort::RunWithBinding>(session_, static_cast<const ort::RunOptions*>(nullptr),
                                         static_cast<const ort::IoBinding*>(binding_.get()));
  std::vector<Tensor> results;
  for (const Buffer& b : outputs_) {
    results.emplace_back(b.dtype, b.shape);
    if (b.bytes) memory_.copy(results.back().data(), b.data.get(), b.bytes);
  }
  return results;
}

}  // namespace oarlock
