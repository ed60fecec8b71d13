// Tests of tensors in memory of the caller, of bound runs and of models in memory.
#include "oarlock/io_binding.h"

#include <array>
#include <cmath>
#include <cstring>
#include <functional>

#include "check.h"
#include "fixtures.h"
#include "oarlock/half.h"
#include "runtime/ort/ort_library.h"
#include "runtime/ort/ort_values.h"
#include "runtime/ort_session_options.h"

using namespace oarlock;

namespace {

using Shape = std::vector<std::int64_t>;

constexpr const char* kFirst = "save_infer_model/scale_0.tmp_0";
constexpr const char* kSecond = "save_infer_model/scale_1.tmp_0";

Session mlp() { return Session(Model::open(fixture("mlp"))); }

Tensor rows(std::int64_t count, float first = 1) {
  Tensor x(DType::float32, {count, 4});
  auto* values = static_cast<float*>(x.data());
  for (std::int64_t i = 0; i < count * 4; ++i) values[i] = first + static_cast<float>(i) / 8;
  return x;
}

std::vector<Tensor> run_unbound(const Session& session, const Tensor& x) {
  std::array<TensorView, 1> views{x};
  return session.run(views);
}

}  // namespace

TEST("binding: a tensor of the caller's memory is freed once, by the deleter") {
  int freed = 0;
  float values[6] = {1, 2, 3, 4, 5, 6};
  {
    Tensor tensor = Tensor::from_blob(values, DType::float32, {2, 3}, [&](void* p) {
      CHECK(p == values);
      ++freed;
    });
    Tensor copy = tensor;
    CHECK_EQ(copy.values<float>()[5], 6.0f);
    CHECK(copy.data() == values);
    CHECK_EQ(freed, 0);
  }
  CHECK_EQ(freed, 1);
  CHECK_ERROR("tensor: float32[2] has no data (a null pointer)",
              Tensor::from_blob(nullptr, DType::float32, {2}));
  CHECK_EQ(Tensor::from_blob(nullptr, DType::float32, {0, 2}).size(), std::size_t{0});
  CHECK_ERROR("tensor: no tensor is float32[?]", Tensor::from_blob(values, DType::float32, {-1}));
  Tensor on_gpu = Tensor::from_blob(values, DType::float32, {6}, {}, {DeviceType::cuda, 0});
  CHECK_ERROR("tensor: its values are in memory of a GPU", on_gpu.values<float>());
  void* odd = reinterpret_cast<char*>(values) + 1;
  CHECK_ERROR("tensor: its memory is not aligned to float32",
              Tensor::from_blob(odd, DType::float32, {5}).values<float>());
}

TEST("binding: elements of half precision and complex numbers") {
  for (float value : {0.0f, -0.0f, 1.0f, -2.5f, 65504.0f, 6.1035156e-05f, 5.9604645e-08f})
    CHECK_EQ(static_cast<float>(float16(value)), value);
  CHECK_EQ(float16(65520.0f).bits, 0x7c00);
  CHECK_EQ(float16(65519.0f).bits, 0x7bff);
  CHECK_EQ(float16(2.0e-8f).bits, 0);                  // below half of the least subnormal number
  CHECK_EQ(float16(1.0f + 1.0f / 2048).bits, 0x3c00);  // a tie rounds to even
  CHECK_EQ(float16(1.0f + 3.0f / 2048).bits, 0x3c02);
  CHECK(std::isnan(static_cast<float>(float16(NAN))));
  CHECK(std::isinf(static_cast<float>(float16(-INFINITY))));
  // All float16 numbers survive the conversion to float32 and back.
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    float16 half;
    half.bits = static_cast<std::uint16_t>(bits);
    float value = static_cast<float>(half);
    if (!std::isnan(value)) CHECK_EQ(float16(value).bits, half.bits);
  }
  CHECK_EQ(bfloat16(1.0f).bits, 0x3f80);
  CHECK_EQ(bfloat16(1.00390625f).bits, 0x3f80);  // a tie rounds to even
  CHECK(std::isnan(static_cast<float>(bfloat16(NAN))));
  CHECK_EQ(static_cast<float>(bfloat16(-3.0f)), -3.0f);
  CHECK(dtype_for<float16>() == DType::float16 && dtype_for<bfloat16>() == DType::bfloat16);
  CHECK(dtype_for<std::complex<float>>() == DType::complex64);
  CHECK(dtype_for<std::complex<double>>() == DType::complex128);
}

TEST("binding: a bound run returns the same as an unbound one") {
  Session session = mlp();
  Tensor x = rows(2);
  Tensor first(DType::float32, {2, 3});
  IoBinding binding(session);
  binding.bind_input("x", x);
  binding.bind_output(kFirst, first);
  binding.run();
  auto wanted = run_unbound(session, x);
  CHECK(have_equal_bytes(first, wanted[0]));
  CHECK(binding.outputs()[0].data() == first.data());
  CHECK(have_equal_bytes(binding.outputs()[1], wanted[1]));

  static_cast<float*>(x.data())[3] = -7;  // new contents of the same memory
  Tensor earlier = binding.outputs()[1];
  binding.run();
  auto changed = run_unbound(session, x);
  CHECK(!have_equal_bytes(changed[0], wanted[0]));
  CHECK(have_equal_bytes(first, changed[0]));
  CHECK(have_equal_bytes(binding.outputs()[1], changed[1]));
  CHECK(have_equal_bytes(earlier, wanted[1]));  // each run allocates a new tensor

  binding.bind_input("x", rows(5));  // another size
  binding.bind_output(kFirst, Device{});
  binding.run();
  CHECK(binding.outputs()[0].shape() == (Shape{5, 3}));
}

#ifdef __SANITIZE_ADDRESS__
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*,
                                                                  std::size_t),
                                                         void (*)(const volatile void*));

namespace {

thread_local std::size_t num_allocations = 0;

std::size_t count_allocations(const std::function<void()>& act) {
  static const int installed = __sanitizer_install_malloc_and_free_hooks(
      [](const volatile void*, std::size_t) { ++num_allocations; }, [](const volatile void*) {});
  CHECK(installed > 0);
  std::size_t before = num_allocations;
  act();
  return num_allocations - before;
}

}  // namespace

TEST("binding: a bound run allocates nothing beside ONNX Runtime") {
  Options one_thread;
  one_thread.threads = 1;
  Session session(Model::open(fixture("mlp")), one_thread);
  Tensor x = rows(2), first(DType::float32, {2, 3}), second(DType::float32, {2, 8});
  IoBinding binding(session);
  binding.bind_input("x", x);
  binding.bind_output(kFirst, first);
  binding.bind_output(kSecond, second);

  // The same run through ONNX Runtime's API.
  const Library& library = load_ort_library_once("");
  OnnxOptions onnx;
  onnx.inline_weights = true;
  std::string bytes = Model::open(fixture("mlp")).to_onnx(onnx);
  auto settings = make_session_options(library, one_thread, "");
  auto raw_session = ort::make<ort::SessionHandle, ort::CreateSessionFromArray>(
      library.api, static_cast<const ort::Env*>(library.env),
      static_cast<const void*>(bytes.data()), bytes.size(),
      static_cast<const ort::SessionOptions*>(settings.get()));
  auto memory = ort::make<ort::MemoryHandle, ort::CreateCpuMemoryInfo>(library.api, 0, 0);
  auto raw_binding =
      ort::make<ort::BindingHandle, ort::CreateIoBinding>(library.api, raw_session.get());
  auto value = [&](const Tensor& t) { return make_ort_value_of_view(library, memory.get(), t); };
  auto x_value = value(x), first_value = value(first), second_value = value(second);
  library.api.call<ort::BindInput>(raw_binding.get(), "x",
                                   static_cast<const ort::Value*>(x_value.get()));
  library.api.call<ort::BindOutput>(raw_binding.get(), kFirst,
                                    static_cast<const ort::Value*>(first_value.get()));
  library.api.call<ort::BindOutput>(raw_binding.get(), kSecond,
                                    static_cast<const ort::Value*>(second_value.get()));
  auto run_raw = [&] {
    library.api.call<ort::RunWithBinding>(raw_session.get(),
                                          static_cast<const ort::RunOptions*>(nullptr),
                                          static_cast<const ort::IoBinding*>(raw_binding.get()));
  };
  for (int i = 0; i < 3; ++i) run_raw(), binding.run();
  CHECK(count_allocations([&] { binding.run(); }) <= count_allocations(run_raw));
  CHECK(count_allocations([&] { session.run(std::array<TensorView, 1>{x}); }) >
        count_allocations(run_raw));
}
#endif

TEST("binding: outputs are written to given tensors") {
  Session session = mlp();
  Tensor x = rows(2);
  std::array<TensorView, 1> views{x};
  std::vector<Tensor> outputs{Tensor(DType::float32, {2, 3}), Tensor(DType::float32, {2, 8})};
  session.run_into(views, outputs);
  auto wanted = run_unbound(session, x);
  CHECK(have_equal_bytes(outputs[0], wanted[0]) && have_equal_bytes(outputs[1], wanted[1]));
}

TEST("binding: errors name the tensor") {
  Session session = mlp();
  IoBinding binding(session);
  CHECK_ERROR("run: input 'x' is not bound (the model has x=float32[?,4])", binding.run());
  CHECK_ERROR("run: no input 'y'", binding.bind_input("y", rows(2)));
  CHECK_ERROR("run: input 'x' is float32[2,3], the model requires float32[?,4]",
              binding.bind_input("x", Tensor(DType::float32, {2, 3})));
  CHECK_ERROR("run: no output 'y'", binding.bind_output("y", Device{}));
  CHECK_ERROR("is int64[2,3], the output is float32[?,3]",
              binding.bind_output(kFirst, Tensor(DType::int64, {2, 3})));
  Tensor on_gpu =
      Tensor::from_blob(rows(2).data(), DType::float32, {2, 4}, {}, {DeviceType::cuda, 1});
  CHECK_ERROR("run: memory of GPU 1 is given to a session on cpu", binding.bind_input("x", on_gpu));
  std::array<TensorView, 1> view{on_gpu};
  CHECK_ERROR("run: memory of GPU 1 is given to a session on cpu", session.run(view));

  Tensor x = rows(2);
  binding.bind_input("x", x);
  binding.bind_output(kFirst, Tensor(DType::float32, {3, 3}));
  std::string error = check::error_of([&] { binding.run(); });
  CHECK_HAS(error, "run: an output has another size than the tensor for it");
  CHECK_HAS(error, ": [2,3], the tensor has [3,3]");
  Tensor overlapping = Tensor::from_blob(x.data(), DType::float32, {2, 3});
  binding.bind_output(kFirst, overlapping);
  CHECK_ERROR("run: an output is in the memory of an input", binding.run());
  std::array<TensorView, 1> views{x};
  std::vector<Tensor> outputs{overlapping, Tensor(DType::float32, {2, 8})};
  CHECK_ERROR("run: an output is in the memory of an input", session.run_into(views, outputs));
  outputs = {Tensor(DType::float32, {2, 3}), Tensor(DType::float32, {2, 8})};
  outputs[0] = Tensor::from_blob(outputs[1].data(), DType::float32, {2, 3});
  CHECK_ERROR("run: two outputs are in the same memory", session.run_into(views, outputs));
  binding.bind_output(kFirst, outputs[0]);
  binding.bind_output(session.outputs()[1].name, outputs[1]);
  CHECK_ERROR("run: two outputs are in the same memory", binding.run());
  Tensor without_data(DType::float32, {2, 3}, nullptr, nullptr);
  CHECK_ERROR("has no data (a null pointer)", binding.bind_output(kFirst, without_data));
  outputs[0] = without_data;
  CHECK_ERROR("has no data (a null pointer)", session.run_into(views, outputs));
  outputs.pop_back();
  CHECK_ERROR("run_into: 1 outputs given, the model has 2", session.run_into(views, outputs));
}

TEST("binding: guards are checked at each run") {
  auto bind = [](const Session& session, const Tensor& x) {
    IoBinding binding(session);
    binding.bind_input("x", x);
    binding.bind_output(kFirst, Tensor(DType::float32, {x.shape()[0], 3}));
    return binding;
  };
  auto open = [](Guard guard) {
    return Session(
        Model::from_memory(bytes_of("mlp.pdmodel") + contract_field(mlp_contract({guard})),
                           bytes_of("mlp.pdiparams")));
  };
  Session one_value = open({"value", "relu_0.tmp_0", 0, "True", "bool()", "", ""});
  CHECK_HAS(check::error_of([&] { bind(one_value, rows(2)).run(); }), "relu_0.tmp_0 is 16 values");
  Session two_rows = open({"dim", "relu_0.tmp_0", 0, "2", "shape[0]", "", ""});
  bind(two_rows, rows(2)).run();
  CHECK_HAS(check::error_of([&] { bind(two_rows, rows(3)).run(); }), "relu_0.tmp_0.shape[0] is 3");
}

TEST("binding: models in memory, and parameters that a function reads") {
  std::string program = bytes_of("mlp.pdmodel"), params = bytes_of("mlp.pdiparams");
  Tensor x = rows(3);
  auto wanted = run_unbound(mlp(), x);
  Session copied(Model::from_memory(program, params));
  std::string changed = params;
  Session read(Model::from_memory(program, params.size(),
                                  [&](std::uint64_t offset, void* to, std::size_t count) {
                                    std::memcpy(to, changed.data() + offset, count);
                                  }));
  changed.assign(changed.size(), '\0');
  for (const Session* session : {&copied, &read})
    CHECK(have_equal_bytes(run_unbound(*session, x)[0], wanted[0]));
  CHECK_ERROR("mine.pdmodel", Model::from_memory(program, params.substr(0, 40), "mine.pdmodel"));
  CHECK_ERROR("no key",
              Model::from_memory(program, params.size(), [](std::uint64_t, void*, std::size_t) {
                throw Error(ErrorCode::file, "no key");
              }));
  CHECK_ERROR("the function that reads parameters is empty",
              Model::from_memory(program, params.size(), Model::ReadFunction{}));
  CHECK_ERROR("the weights are in memory", Model::from_memory(program, params).to_onnx());
  OnnxOptions inline_weights;
  inline_weights.inline_weights = true;
  CHECK(Model::from_memory(program, params).to_onnx(inline_weights).size() > params.size());
}
