// The time of a graph with ONNX Runtime's C API alone: the baseline for oarlock-runner.
//   oarlock-raw-ort libonnxruntime.so model.onnx x=1,64 REPEAT
// prints {"p50_ms": ...}.  One float32 input, one output, one thread; like the runner, each call
// allocates an output and reads its address and shape.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "runtime/ort/ort_c_api.h"

namespace ort = oarlock::ort;

namespace {

struct Base {
  const void* (*get_api)(std::uint32_t);
  const char* (*version)();
};

void ignore_log(void*, int, const char*, const char*, const char*, const char*) {}

std::vector<std::int64_t> parse_shape(const std::string& text) {
  std::vector<std::int64_t> sizes;
  for (std::size_t at = 0; at < text.size(); at = std::min(text.find(',', at), text.size() - 1) + 1)
    sizes.push_back(std::atoll(text.c_str() + at));
  return sizes;
}

// Reads the address and the shape of a result, as every caller must.
void read_result(const ort::Api& api, ort::Value* value) {
  void* data = nullptr;
  api.call<ort::GetTensorMutableData>(value, &data);
  auto info = ort::make<ort::TensorInfoHandle, ort::GetTensorTypeAndShape>(
      api, static_cast<const ort::Value*>(value));
  std::size_t rank = 0;
  api.call<ort::GetDimensionsCount>(static_cast<const ort::TensorInfo*>(info.get()), &rank);
  std::vector<std::int64_t> sizes(rank);
  api.call<ort::GetDimensions>(static_cast<const ort::TensorInfo*>(info.get()), sizes.data(), rank);
}

int measure(char** argv) {
  void* handle = ::dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  auto get_base =
      handle ? reinterpret_cast<const Base* (*)()>(::dlsym(handle, "OrtGetApiBase")) : nullptr;
  if (!get_base) return std::fprintf(stderr, "%s is not a library of ONNX Runtime\n", argv[1]), 1;
  ort::Api api(get_base()->get_api(18));
  ort::Env* env = nullptr;
  api.call<ort::CreateEnvWithCustomLogger>(&ignore_log, nullptr, 3, "raw", &env);
  auto options = ort::make<ort::OptionsHandle, ort::CreateSessionOptions>(api);
  api.call<ort::SetIntraOpNumThreads>(options.get(), 1);
  api.call<ort::SetSessionGraphOptimizationLevel>(options.get(), 99);
  std::string model(argv[2]);
  std::string folder = model.substr(0, model.find_last_of('/') + 1);
  api.call<ort::AddSessionConfigEntry>(
      options.get(), "session.model_external_initializers_file_folder_path", folder.c_str());
  std::ifstream file(model, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  auto session = ort::make<ort::SessionHandle, ort::CreateSessionFromArray>(
      api, static_cast<const ort::Env*>(env), static_cast<const void*>(bytes.data()), bytes.size(),
      static_cast<const ort::SessionOptions*>(options.get()));
  std::string shape(argv[3]), name = shape.substr(0, shape.find('='));
  auto sizes = parse_shape(shape.substr(name.size() + 1));
  std::size_t count = 1;
  for (auto size : sizes) count *= static_cast<std::size_t>(size);
  std::vector<float> data(count, 0.5f);
  auto memory = ort::make<ort::MemoryHandle, ort::CreateCpuMemoryInfo>(api, 0, 0);
  ort::Allocator* allocator = nullptr;
  api.call<ort::GetAllocatorWithDefaultOptions>(&allocator);
  char* output = nullptr;
  api.call<ort::SessionGetOutputName>(session.get(), std::size_t{0}, allocator, &output);
  const char *inputs[] = {name.c_str()}, *outputs[] = {output};
  std::vector<double> times;
  for (int i = 0, repeat = std::atoi(argv[4]); i < repeat + 3; ++i) {
    auto start = std::chrono::steady_clock::now();
    auto value = ort::make<ort::ValueHandle, ort::CreateTensorWithDataAsOrtValue>(
        api, static_cast<const ort::MemoryInfo*>(memory.get()), static_cast<void*>(data.data()),
        count * sizeof(float), static_cast<const std::int64_t*>(sizes.data()), sizes.size(), 1);
    const ort::Value* input_values[] = {value.get()};
    ort::Value* output_values[] = {nullptr};
    api.call<ort::Run>(session.get(), nullptr, inputs, input_values, std::size_t{1}, outputs,
                       std::size_t{1}, output_values);
    read_result(api, output_values[0]);
    api.get<ort::ReleaseValue>()(output_values[0]);
    if (i >= 3)
      times.push_back(
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
              .count());
  }
  std::sort(times.begin(), times.end());
  std::printf("{\"p50_ms\": %.6f}\n", times[times.size() / 2]);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5)
    return std::fprintf(stderr, "usage: oarlock-raw-ort LIBRARY MODEL.onnx NAME=1,64 REPEAT\n"), 2;
  try {
    return measure(argv);
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
