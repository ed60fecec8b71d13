// Times runs of a model on an NVIDIA GPU with inputs and outputs in host or GPU memory, relative to
// ONNX Runtime's C API.
//
//     oarlock-gpu-binding MODEL [BATCH ...]
//
// For each batch size, four kinds of runs alternate: Session::run with an input in host memory, the
// same in GPU memory, a bound run of IoBinding with input and outputs in GPU memory, and the same
// with ONNX Runtime's C API alone, with the same options. Prints medians, the ratio of the bound
// runs, and the copies between host and GPU during one bound run.
#include <dlfcn.h>
#include <oarlock/oarlock.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "runtime/ort/ort_library.h"
#include "runtime/ort/ort_values.h"
#include "runtime/ort_session_options.h"

namespace {

std::atomic<int> num_copies{0};

// Looks up a function in the CUDA runtime, which the execution provider of ONNX Runtime loads too.
template <class Function>
Function* cuda_function(const char* name) {
  static void* library = [] {
    for (const char* file : {"libcudart.so.13", "libcudart.so.12"})
      if (void* handle = ::dlopen(file, RTLD_NOW | RTLD_GLOBAL)) return handle;
    std::fprintf(stderr, "libcudart cannot be loaded\n"), std::exit(1);
  }();
  return reinterpret_cast<Function*>(::dlsym(library, name));
}

constexpr int kHostToDevice = 1, kDeviceToHost = 2;  // cudaMemcpyKind

}  // namespace

// These functions replace those of the CUDA runtime for the whole process, to count copies between
// host and GPU.
extern "C" {
__attribute__((visibility("default"))) int cudaMemcpyAsync(void* to, const void* from,
                                                           std::size_t bytes, int kind,
                                                           void* stream) {
  static auto* copy =
      cuda_function<int(void*, const void*, std::size_t, int, void*)>("cudaMemcpyAsync");
  if (kind == kHostToDevice || kind == kDeviceToHost) ++num_copies;
  return copy(to, from, bytes, kind, stream);
}
__attribute__((visibility("default"))) int cudaMemcpy(void* to, const void* from, std::size_t bytes,
                                                      int kind) {
  static auto* copy = cuda_function<int(void*, const void*, std::size_t, int)>("cudaMemcpy");
  ++num_copies;
  return copy(to, from, bytes, kind);
}
}

namespace {

using namespace oarlock;
using Clock = std::chrono::steady_clock;
constexpr Device kGpu{DeviceType::cuda, 0};
constexpr int kRounds = 200, kWarmup = 10;

Tensor allocate_on_gpu(DType dtype, const std::vector<std::int64_t>& shape) {
  void* address = nullptr;
  std::size_t bytes = std::max<std::size_t>(tensor_byte_size(dtype, shape), 1);
  if (cuda_function<int(void**, std::size_t)>("cudaMalloc")(&address, bytes))
    throw Error(ErrorCode::engine, "cudaMalloc failed");
  return Tensor::from_blob(
      address, dtype, shape, [](void* p) { cuda_function<int(void*)>("cudaFree")(p); }, kGpu);
}

Tensor make_input(const TensorSpec& spec, std::int64_t batch) {
  std::vector<std::int64_t> shape = spec.shape;
  for (std::int64_t& dim : shape)
    if (dim < 0) dim = batch;
  Tensor tensor(spec.dtype, shape);
  for (std::size_t i = 0; i < tensor.size(); ++i)
    if (spec.dtype == DType::float32)
      static_cast<float*>(tensor.data())[i] = static_cast<float>(i % 17) / 17;
    else if (spec.dtype == DType::int64)
      static_cast<std::int64_t*>(tensor.data())[i] = static_cast<std::int64_t>(i % 17);
  return tensor;
}

Tensor copy_to_gpu(const Tensor& host) {
  Tensor tensor = allocate_on_gpu(host.dtype(), host.shape());
  if (cudaMemcpy(tensor.data(), host.data(), host.byte_size(), kHostToDevice))
    throw Error(ErrorCode::engine, "cudaMemcpy failed");
  return tensor;
}

// A session of ONNX Runtime's C API with inputs and outputs bound to GPU memory.
class OrtBinding {
 public:
  OrtBinding(const Model& model, const Options& options, const std::vector<TensorSpec>& inputs,
             const std::vector<Tensor>& input_tensors, const std::vector<TensorSpec>& outputs,
             const std::vector<Tensor>& output_tensors)
      : library_(load_ort_library_once("")) {
    OnnxOptions onnx;
    onnx.inline_weights = true;
    std::string bytes = model.to_onnx(onnx);
    auto settings = make_session_options(library_, options, "");
    session_ = ort::make<ort::SessionHandle, ort::CreateSessionFromArray>(
        library_.api, static_cast<const ort::Env*>(library_.env),
        static_cast<const void*>(bytes.data()), bytes.size(),
        static_cast<const ort::SessionOptions*>(settings.get()));
    memory_ = ort::make<ort::MemoryHandle, ort::CreateMemoryInfo>(library_.api, "Cuda", 0, 0, 0);
    binding_ = ort::make<ort::BindingHandle, ort::CreateIoBinding>(library_.api, session_.get());
    for (std::size_t i = 0; i < inputs.size(); ++i)
      library_.api.call<ort::BindInput>(binding_.get(), inputs[i].name.c_str(),
                                        add_value(input_tensors[i]));
    for (std::size_t i = 0; i < outputs.size(); ++i)
      library_.api.call<ort::BindOutput>(binding_.get(), outputs[i].name.c_str(),
                                         add_value(output_tensors[i]));
  }
  void run() {
    library_.api.call<ort::RunWithBinding>(session_.get(),
                                           static_cast<const ort::RunOptions*>(nullptr),
                                           static_cast<const ort::IoBinding*>(binding_.get()));
  }

 private:
  const ort::Value* add_value(const Tensor& tensor) {
    values_.push_back(make_ort_value_of_view(library_, memory_.get(), tensor));
    return values_.back().get();
  }
  const Library& library_;
  ort::SessionHandle session_;
  ort::MemoryHandle memory_;
  std::vector<ort::ValueHandle> values_;
  ort::BindingHandle binding_;
};

// Runs the calls alternately and returns the median of each in milliseconds.
std::vector<double> median_milliseconds(const std::vector<std::function<void()>>& calls) {
  std::vector<std::vector<double>> times(calls.size());
  for (int round = 0; round < kWarmup + kRounds; ++round)
    for (std::size_t i = 0; i < calls.size(); ++i) {
      auto start = Clock::now();
      calls[i]();
      if (round >= kWarmup)
        times[i].push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    }
  std::vector<double> medians;
  for (auto& all : times) {
    std::sort(all.begin(), all.end());
    medians.push_back(all[all.size() / 2]);
  }
  return medians;
}

void measure_batch(const Model& model, const Session& session, const Options& options,
                   std::int64_t batch) {
  std::vector<Tensor> host, gpu, results;
  for (const TensorSpec& spec : session.inputs()) {
    host.push_back(make_input(spec, batch));
    gpu.push_back(copy_to_gpu(host.back()));
  }
  std::vector<TensorView> host_views(host.begin(), host.end()), gpu_views(gpu.begin(), gpu.end());
  for (const Tensor& output : session.run(host_views))
    results.push_back(allocate_on_gpu(output.dtype(), output.shape()));
  IoBinding binding(session);
  for (std::size_t i = 0; i < gpu.size(); ++i) binding.bind_input(session.inputs()[i].name, gpu[i]);
  for (std::size_t i = 0; i < results.size(); ++i)
    binding.bind_output(session.outputs()[i].name, results[i]);
  OrtBinding ort_binding(model, options, session.inputs(), gpu, session.outputs(), results);
  auto medians =
      median_milliseconds({[&] { session.run(host_views); }, [&] { session.run(gpu_views); },
                           [&] { binding.run(); }, [&] { ort_binding.run(); }});
  int copies_before_run = num_copies;
  binding.run();
  std::printf(
      "batch %3lld: run with host input %.3f ms, with GPU input %.3f ms, bound run %.3f ms, "
      "%.3f relative to the C API (%.3f ms); copies between host and GPU in a bound run: %d\n",
      static_cast<long long>(batch), medians[0], medians[1], medians[2], medians[2] / medians[3],
      medians[3], num_copies - copies_before_run);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) return std::fprintf(stderr, "usage: %s MODEL [BATCH ...]\n", argv[0]), 2;
  Options options;
  options.device = "cuda";
  Model model = Model::open(argv[1]);
  Session session(model, options);
  std::printf("%s: %d copies between host and GPU when the session was created\n", argv[1],
              num_copies.load());
  if (argc == 2) measure_batch(model, session, options, 1);
  for (int i = 2; i < argc; ++i) measure_batch(model, session, options, std::atoi(argv[i]));
  return 0;
} catch (const oarlock::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
