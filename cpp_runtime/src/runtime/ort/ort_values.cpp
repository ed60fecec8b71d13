#include "runtime/ort/ort_values.h"

#include <tuple>

namespace oarlock {
namespace {

constexpr int kReferenceMinor = 24;  // older engines copy a value's type to say it

std::pair<DType, std::vector<std::int64_t>> type_of(const ort::Api& api,
                                                    const ort::TensorInfo* info) {
  int number = 0;
  std::size_t rank = 0;
  api.call<ort::GetTensorElementType>(info, &number);
  api.call<ort::GetDimensionsCount>(info, &rank);
  std::vector<std::int64_t> shape(rank);
  api.call<ort::GetDimensions>(info, shape.data(), rank);
  return {dtype_of_onnx(number), std::move(shape)};
}

// Without the three allocations of a TensorInfo, which a small run would feel.
std::pair<DType, std::vector<std::int64_t>> seen_type_of(const ort::Api& api,
                                                         const ort::Value* value) {
  int number = 0;
  const std::int64_t* sizes = nullptr;
  std::size_t rank = 0;
  api.call<ort::GetTensorTypeAndShapeData>(value, &number, &sizes, &rank);
  return {dtype_of_onnx(number), {sizes, sizes + rank}};
}

}  // namespace

void run_once(const Library& library, ort::Session* session, const ort::RunOptions* how,
              Names inputs, const OrtValues& values, Names outputs, OrtValues& found) {
  library.api.call<ort::Run>(session, how, inputs.data(), values.data(), values.size(),
                             outputs.data(), outputs.size(), found.data());
}

// ONNX Runtime has no complex numbers; in memory one is two real ones.
ort::ValueHandle value_of(const Library& library, const ort::MemoryInfo* memory,
                          const TensorView& view) {
  static std::int64_t nothing = 0;  // an empty tensor still needs an address
  std::size_t bytes = size_of(view.dtype);
  for (std::int64_t d : view.shape) bytes *= static_cast<std::size_t>(d);
  bool pairs = is_complex(view.dtype);
  std::span<const std::int64_t> shape = view.shape;
  std::vector<std::int64_t> longer;
  if (pairs) {
    longer.assign(shape.begin(), shape.end());
    longer.push_back(2);
    shape = longer;
  }
  void* data = view.data ? const_cast<void*>(view.data) : &nothing;
  return ort::make<ort::ValueHandle, ort::CreateTensorWithDataAsOrtValue>(
      library.api, memory, data, bytes, shape.data(), shape.size(),
      onnx_of(pairs ? part_of(view.dtype) : view.dtype));
}

std::pair<DType, std::vector<std::int64_t>> type_of(const Library& library,
                                                    const ort::Value* value) {
  if (library.minor >= kReferenceMinor) return seen_type_of(library.api, value);
  auto info = ort::make<ort::TensorInfoHandle, ort::GetTensorTypeAndShape>(library.api, value);
  return type_of(library.api, info.get());
}

void as_complex(DType& dtype, std::vector<std::int64_t>& shape) {
  if (!shape.empty()) shape.pop_back();  // a type may leave its rank open
  dtype = dtype == DType::float64 ? DType::complex128 : DType::complex64;
}

Tensor tensor_of(const Library& library, ort::ValueHandle value, bool pairs) {
  const ort::Api& api = library.api;
  ort::Value* raw = value.get();
  auto [dtype, shape] = type_of(library, raw);
  void* data = nullptr;
  api.call<ort::GetTensorMutableData>(raw, &data);
  if (pairs) as_complex(dtype, shape);
  return Tensor(dtype, std::move(shape), std::shared_ptr<void>(std::move(value)), data);
}

TensorSpec output_spec(const Library& library, ort::Session* session, std::size_t index,
                       bool pairs) {
  const ort::Api& api = library.api;
  TensorSpec spec;
  char* name = nullptr;
  api.call<ort::SessionGetOutputName>(session, index, library.allocator, &name);
  spec.name = name;
  api.call<ort::AllocatorFree>(library.allocator, static_cast<void*>(name));
  auto type = ort::make<ort::TypeInfoHandle, ort::SessionGetOutputTypeInfo>(api, session, index);
  const ort::TensorInfo* info = nullptr;
  api.call<ort::CastTypeInfoToTensorInfo>(static_cast<const ort::TypeInfo*>(type.get()), &info);
  if (!info) throw Error(Fault::unsupported, "output '" + spec.name + "' is not a tensor");
  std::tie(spec.dtype, spec.shape) = type_of(api, info);
  std::vector<const char*> symbols(spec.shape.size());
  api.call<ort::GetSymbolicDimensions>(info, symbols.data(), symbols.size());
  if (pairs) as_complex(spec.dtype, spec.shape), symbols.resize(spec.shape.size());
  for (const char* symbol : symbols) spec.symbols.emplace_back(symbol ? symbol : "");
  return spec;
}

}  // namespace oarlock
