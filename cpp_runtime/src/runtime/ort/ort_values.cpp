#include "runtime/ort/ort_values.h"

#include <algorithm>
#include <tuple>

namespace oarlock {
namespace {

constexpr int kMinorWithUnallocatedType = 24;  // older versions allocate a copy of the type

std::pair<DType, std::vector<std::int64_t>> read_tensor_type(const ort::Api& api,
                                                             const ort::TensorInfo* info) {
  int number = 0;
  std::size_t rank = 0;
  api.call<ort::GetTensorElementType>(info, &number);
  api.call<ort::GetDimensionsCount>(info, &rank);
  std::vector<std::int64_t> shape(rank);
  api.call<ort::GetDimensions>(info, shape.data(), rank);
  return {find_dtype_by_onnx_number(number), std::move(shape)};
}

// The dtype and shape of a tensor, read without the three allocations of ONNX Runtime's
// TensorTypeAndShapeInfo, which slow down small runs.
std::pair<DType, std::vector<std::int64_t>> read_tensor_type_without_allocation(
    const ort::Api& api, const ort::Value* value) {
  int number = 0;
  const std::int64_t* sizes = nullptr;
  std::size_t rank = 0;
  api.call<ort::GetTensorTypeAndShapeData>(value, &number, &sizes, &rank);
  return {find_dtype_by_onnx_number(number), {sizes, sizes + rank}};
}

}  // namespace

void run_session(const Library& library, ort::Session* session, const ort::RunOptions* run_options,
                 Names inputs, const OrtValues& values, Names outputs, OrtValues& output_values) {
  library.api.call<ort::Run>(session, run_options, inputs.data(), values.data(), values.size(),
                             outputs.data(), outputs.size(), output_values.data());
}

void take_bound_outputs(const Library& library, const ort::IoBinding* binding,
                        OrtValues& output_values) {
  ort::Value** raw = nullptr;
  std::size_t count = 0;
  library.api.call<ort::GetBoundOutputValues>(binding, library.allocator, &raw, &count);
  std::copy_n(raw, std::min(count, output_values.size()), output_values.data());
  if (raw) library.api.call<ort::AllocatorFree>(library.allocator, static_cast<void*>(raw));
}

std::size_t tensor_byte_size(DType dtype, std::span<const std::int64_t> shape) {
  std::size_t bytes = size_of(dtype);
  for (std::int64_t d : shape) bytes *= static_cast<std::size_t>(d);
  return bytes;
}

// ONNX Runtime has no complex numbers; in memory a complex number is two real ones.
ort::ValueHandle make_ort_value_of_view(const Library& library, const ort::MemoryInfo* memory,
                                        const TensorView& view) {
  static std::int64_t nothing = 0;  // an empty tensor needs a valid address
  std::size_t bytes = tensor_byte_size(view.dtype, view.shape);
  bool complex = is_complex(view.dtype);
  std::span<const std::int64_t> shape = view.shape;
  std::vector<std::int64_t> complex_shape;
  if (complex) {
    complex_shape.assign(shape.begin(), shape.end());
    complex_shape.push_back(2);
    shape = complex_shape;
  }
  void* data = view.data ? const_cast<void*>(view.data) : &nothing;
  return ort::make<ort::ValueHandle, ort::CreateTensorWithDataAsOrtValue>(
      library.api, memory, data, bytes, shape.data(), shape.size(),
      onnx_of(complex ? complex_part_dtype(view.dtype) : view.dtype));
}

std::pair<DType, std::vector<std::int64_t>> read_tensor_type(const Library& library,
                                                             const ort::Value* value) {
  if (library.minor >= kMinorWithUnallocatedType)
    return read_tensor_type_without_allocation(library.api, value);
  auto info = ort::make<ort::TensorInfoHandle, ort::GetTensorTypeAndShape>(library.api, value);
  return read_tensor_type(library.api, info.get());
}

void convert_type_of_pairs_to_complex(DType& dtype, std::vector<std::int64_t>& shape) {
  if (!shape.empty()) shape.pop_back();  // the rank may be unknown
  dtype = dtype == DType::float64 ? DType::complex128 : DType::complex64;
}

Tensor make_tensor_owning_ort_value(const Library& library, ort::ValueHandle value, bool complex,
                                    Device device) {
  const ort::Api& api = library.api;
  ort::Value* raw = value.get();
  auto [dtype, shape] = read_tensor_type(library, raw);
  void* data = nullptr;
  api.call<ort::GetTensorMutableData>(raw, &data);
  if (complex) convert_type_of_pairs_to_complex(dtype, shape);
  return Tensor(dtype, std::move(shape), std::shared_ptr<void>(std::move(value)), data, device);
}

TensorSpec read_output_spec(const Library& library, ort::Session* session, std::size_t index,
                            bool complex) {
  const ort::Api& api = library.api;
  TensorSpec spec;
  char* name = nullptr;
  api.call<ort::SessionGetOutputName>(session, index, library.allocator, &name);
  spec.name = name;
  api.call<ort::AllocatorFree>(library.allocator, static_cast<void*>(name));
  auto type = ort::make<ort::TypeInfoHandle, ort::SessionGetOutputTypeInfo>(api, session, index);
  const ort::TensorInfo* info = nullptr;
  api.call<ort::CastTypeInfoToTensorInfo>(static_cast<const ort::TypeInfo*>(type.get()), &info);
  if (!info) throw Error(ErrorCode::unsupported, "output '" + spec.name + "' is not a tensor");
  std::tie(spec.dtype, spec.shape) = read_tensor_type(api, info);
  std::vector<const char*> symbols(spec.shape.size());
  api.call<ort::GetSymbolicDimensions>(info, symbols.data(), symbols.size());
  if (complex)
    convert_type_of_pairs_to_complex(spec.dtype, spec.shape), symbols.resize(spec.shape.size());
  for (const char* symbol : symbols) spec.symbols.emplace_back(symbol ? symbol : "");
  return spec;
}

}  // namespace oarlock
