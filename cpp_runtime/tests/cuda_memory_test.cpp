// Tests of sessions with tensors in the memory of an NVIDIA GPU. On a machine without a GPU, or if
// ONNX Runtime was built without CUDA, they do nothing.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "check.h"
#include "fixtures.h"
#include "oarlock/io_binding.h"
#include "oarlock/session.h"
#include "runtime/ort/ort_values.h"

using namespace oarlock;

namespace {

using Shape = std::vector<std::int64_t>;

constexpr const char* kFirst = "save_infer_model/scale_0.tmp_0";
constexpr const char* kSecond = "save_infer_model/scale_1.tmp_0";
constexpr Device kGpu{DeviceType::cuda, 0};
constexpr Device kPinned{DeviceType::cuda_pinned, 0};

// Memory and streams of GPU 0 through NVIDIA's driver library, which exists wherever a GPU does.
class Driver {
 public:
  /// The driver, or null if there is no GPU or ONNX Runtime was built without CUDA.
  static const Driver* find() {
    static const std::optional<Driver> driver = open();
    return driver ? &*driver : nullptr;
  }

  Tensor allocate(DType dtype, const Shape& shape) const {
    std::uint64_t address = 0;
    require(memory_alloc_(&address, byte_count(dtype, shape)));
    return Tensor::from_blob(
        reinterpret_cast<void*>(address), dtype, shape,
        [this](void* p) { memory_free_(reinterpret_cast<std::uint64_t>(p)); }, kGpu);
  }
  Tensor allocate_pinned(DType dtype, const Shape& shape) const {
    void* address = nullptr;
    require(host_alloc_(&address, byte_count(dtype, shape)));
    return Tensor::from_blob(address, dtype, shape, [this](void* p) { host_free_(p); }, kPinned);
  }
  void copy(Tensor& to, const Tensor& from) const {
    require(copy_(reinterpret_cast<std::uint64_t>(to.data()),
                  reinterpret_cast<std::uint64_t>(from.data()), from.byte_size()));
  }
  Tensor to_gpu(const Tensor& host) const {
    Tensor tensor = allocate(host.dtype(), host.shape());
    copy(tensor, host);
    return tensor;
  }
  Tensor to_host(const Tensor& gpu) const {
    Tensor tensor(gpu.dtype(), gpu.shape());
    copy(tensor, gpu);
    return tensor;
  }
  void* create_stream() const {
    void* stream = nullptr;
    require(stream_create_(&stream, 1));  // does not wait for the default stream
    return stream;
  }
  void destroy_stream(void* stream) const { require(stream_destroy_(stream)); }

 private:
  static std::size_t byte_count(DType dtype, const Shape& shape) {
    return std::max<std::size_t>(tensor_byte_size(dtype, shape), 1);
  }
  static void require(int status) {
    if (status) throw Error(ErrorCode::engine, "cuda: status " + std::to_string(status));
  }

  static std::optional<Driver> open() {
    bool has_cuda = false;
    for (const std::string& provider : ort_library_info().providers)
      has_cuda = has_cuda || provider == "CUDAExecutionProvider";
    void* library = has_cuda ? ::dlopen("libcuda.so.1", RTLD_NOW) : nullptr;
    if (!library) return {};
    auto find = [&](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    };
    Driver d;
    int (*initialize)(unsigned) = nullptr;
    int (*retain)(void**, int) = nullptr;
    int (*set_current)(void*) = nullptr;
    find(initialize, "cuInit"), find(retain, "cuDevicePrimaryCtxRetain");
    find(set_current, "cuCtxSetCurrent");
    find(d.memory_alloc_, "cuMemAlloc_v2"), find(d.memory_free_, "cuMemFree_v2");
    find(d.host_alloc_, "cuMemAllocHost_v2"), find(d.host_free_, "cuMemFreeHost");
    find(d.copy_, "cuMemcpy");
    find(d.stream_create_, "cuStreamCreate"), find(d.stream_destroy_, "cuStreamDestroy_v2");
    void* context = nullptr;
    if (initialize(0) || retain(&context, 0) || set_current(context)) return {};
    return d;
  }

  int (*memory_alloc_)(std::uint64_t*, std::size_t) = nullptr;
  int (*memory_free_)(std::uint64_t) = nullptr;
  int (*host_alloc_)(void**, std::size_t) = nullptr;
  int (*host_free_)(void*) = nullptr;
  int (*copy_)(std::uint64_t, std::uint64_t, std::size_t) = nullptr;
  int (*stream_create_)(void**, unsigned) = nullptr;
  int (*stream_destroy_)(void*) = nullptr;
};

Options cuda_options() {
  Options options;
  options.device = "cuda";
  options.tf32 = false;
  return options;
}

Session mlp_on_gpu(const Options& options = cuda_options()) {
  return Session(Model::open(fixture("mlp")), options);
}

Tensor rows(std::int64_t count, float first = 1) {
  Tensor x(DType::float32, {count, 4});
  auto* values = static_cast<float*>(x.data());
  for (std::int64_t i = 0; i < count * 4; ++i) values[i] = first + static_cast<float>(i) / 8;
  return x;
}

std::vector<Tensor> run(const Session& session, const Tensor& x) {
  std::array<TensorView, 1> views{x};
  return session.run(views);
}

// The outputs of the model for x, computed on the CPU.
std::vector<Tensor> run_on_cpu(const Tensor& x) {
  static const Session session(Model::open(fixture("mlp")));
  return run(session, x);
}

bool are_close(const Tensor& actual, const Tensor& expected) {
  if (actual.dtype() != expected.dtype() || actual.shape() != expected.shape()) return false;
  auto a = actual.values<float>(), b = expected.values<float>();
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= 1e-5f * (1 + std::abs(b[i])))) return false;
  return true;
}

}  // namespace

TEST("cuda memory: inputs on the GPU, outputs in host memory") {
  const Driver* driver = Driver::find();
  if (!driver) return;
  Session session = mlp_on_gpu();
  for (std::int64_t count : {2, 5, 0}) {
    Tensor x = rows(count);
    auto outputs = run(session, driver->to_gpu(x)), wanted = run_on_cpu(x);
    CHECK_EQ(outputs.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      CHECK(outputs[i].device().is_host());
      CHECK(are_close(outputs[i], wanted[i]));
    }
  }
  Tensor pinned = driver->allocate_pinned(DType::float32, {3, 4});
  driver->copy(pinned, rows(3));
  CHECK(are_close(run(session, pinned)[0], run_on_cpu(rows(3))[0]));
}

TEST("cuda memory: run_into writes to GPU memory, pinned memory and host memory") {
  const Driver* driver = Driver::find();
  if (!driver) return;
  Session session = mlp_on_gpu();
  Tensor x = rows(2), on_gpu = driver->to_gpu(x);
  auto wanted = run_on_cpu(x);
  std::array<Tensor, 2> gpu{driver->allocate(DType::float32, wanted[0].shape()),
                            driver->allocate(DType::float32, wanted[1].shape())};
  std::array<TensorView, 1> views{on_gpu};
  session.run_into(views, gpu);
  for (std::size_t i = 0; i < 2; ++i) CHECK(are_close(driver->to_host(gpu[i]), wanted[i]));
  std::array<Tensor, 2> mixed{driver->allocate_pinned(DType::float32, wanted[0].shape()),
                              Tensor(DType::float32, wanted[1].shape())};
  session.run_into(views, mixed);
  for (std::size_t i = 0; i < 2; ++i) CHECK(are_close(mixed[i], wanted[i]));
  std::array<Tensor, 2> small{driver->allocate(DType::float32, {1, 3}), gpu[1]};
  CHECK_ERROR("run: an output has another size than the tensor for it",
              session.run_into(views, small));
  std::array<Tensor, 2> same{gpu[0], gpu[0]};
  if (wanted[0].shape() == wanted[1].shape())
    CHECK_ERROR("two outputs are in the same memory", session.run_into(views, same));
}

TEST("cuda memory: a bound run reads and writes GPU memory") {
  const Driver* driver = Driver::find();
  if (!driver) return;
  Session session = mlp_on_gpu();
  Tensor x = driver->to_gpu(rows(2)), first = driver->allocate(DType::float32, {2, 3});
  IoBinding binding(session);
  binding.bind_input("x", x);
  binding.bind_output(kFirst, first);
  binding.bind_output(kSecond, kGpu);
  for (float start : {1.0f, -3.0f, 7.0f}) {
    driver->copy(x, rows(2, start));  // new contents of the same memory
    binding.run();
    auto wanted = run_on_cpu(rows(2, start));
    CHECK(binding.outputs()[0].data() == first.data());
    CHECK(binding.outputs()[1].device() == kGpu);
    CHECK(are_close(driver->to_host(first), wanted[0]));
    CHECK(are_close(driver->to_host(binding.outputs()[1]), wanted[1]));
  }
}

TEST("cuda memory: a CUDA graph on bound GPU memory") {
  const Driver* driver = Driver::find();
  if (!driver) return;
  Model model = Model::open(fixture("mlp"));
  Options options = cuda_options();
  options.cuda_graph = true;
  CHECK_ERROR("cuda_graph needs inputs of fixed sizes", Session(model, options));
}

TEST("cuda memory: a stream of the caller") {
  const Driver* driver = Driver::find();
  if (!driver) return;
  void* stream = driver->create_stream();
  {
    Options options = cuda_options();
    options.provider["user_compute_stream"] =
        std::to_string(reinterpret_cast<std::uintptr_t>(stream));
    Session session = mlp_on_gpu(options);
    for (float start : {1.0f, 2.0f}) {
      Tensor x = rows(3, start);
      CHECK(are_close(run(session, driver->to_gpu(x))[0], run_on_cpu(x)[0]));
    }
  }
  driver->destroy_stream(stream);
}

TEST("cuda memory: the presets of the option memory do not change results") {
  const Driver* driver = Driver::find();
  if (!driver) return;
  for (const char* preset : {"steady", "changing", "smallest"}) {
    Options options = cuda_options();
    options.memory = preset;
    Session session = mlp_on_gpu(options);
    for (std::int64_t count = 1; count < 40; count += 3)
      CHECK(are_close(run(session, driver->to_gpu(rows(count)))[0], run_on_cpu(rows(count))[0]));
  }
}

TEST("cuda memory: memory that a session cannot use is an error") {
  const Driver* driver = Driver::find();
  if (!driver) return;
  Session on_cpu(Model::open(fixture("mlp")));
  Tensor x = driver->to_gpu(rows(2));
  CHECK_ERROR("run: memory of GPU 0 is given to a session on cpu", run(on_cpu, x));
  Session session = mlp_on_gpu();
  Tensor elsewhere = Tensor::from_blob(x.data(), DType::float32, {2, 4}, {}, {DeviceType::cuda, 1});
  CHECK_ERROR("run: memory of GPU 1 is given to a session on cuda 0", run(session, elsewhere));
  CHECK_ERROR("tensor: its values are in memory of a GPU", x.values<float>());
  CHECK_ERROR("run: input 'x' is float32[2,3]",
              run(session, driver->allocate(DType::float32, {2, 3})));
}

TEST("cuda memory: a GPU that does not exist is an error") {
  if (!Driver::find()) return;
  Options options = cuda_options();
  options.device_id = 63;
  CHECK_ERROR("cuda", mlp_on_gpu(options));
}
