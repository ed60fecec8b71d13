#include "oarlock/tensor.h"

#include <cstdlib>

#include "paddle/validator.h"

namespace oarlock {
namespace {

std::size_t checked_element_count(DType dtype, const std::vector<std::int64_t>& shape) {
  auto count = element_count(shape);
  std::int64_t bytes = 0;
  if (!find_dtype_row(dtype) || !count ||
      __builtin_mul_overflow(*count, static_cast<std::int64_t>(size_of(dtype)), &bytes))
    throw Error(ErrorCode::input, "tensor: no tensor is " + format_type(dtype, shape));
  return static_cast<std::size_t>(*count);
}

}  // namespace

Tensor::Tensor(DType dtype, std::vector<std::int64_t> shape, std::shared_ptr<void> owner,
               void* data, Device device)
    : dtype_(dtype),
      shape_(std::move(shape)),
      size_(checked_element_count(dtype, shape_)),
      owner_(std::move(owner)),
      data_(data),
      device_(device) {}

Tensor::Tensor(DType dtype, std::vector<std::int64_t> shape)
    : dtype_(dtype), shape_(std::move(shape)), size_(checked_element_count(dtype, shape_)) {
  void* memory = std::calloc(std::max<std::size_t>(size_, 1), size_of(dtype));
  if (!memory) throw Error(ErrorCode::input, "tensor: no memory for " + format_type(dtype, shape_));
  owner_ = std::shared_ptr<void>(memory, std::free);
  data_ = memory;
}

Tensor Tensor::from_blob(void* data, DType dtype, std::vector<std::int64_t> shape,
                         std::function<void(void*)> deleter, Device device) {
  Tensor tensor(dtype, std::move(shape), nullptr, data, device);
  if (!data && tensor.size_ > 0)
    throw Error(ErrorCode::input,
                "tensor: " + format_type(dtype, tensor.shape_) + " has no data (a null pointer)");
  if (deleter)
    tensor.owner_ = std::shared_ptr<void>(data, std::move(deleter));
  else
    tensor.owner_ = std::shared_ptr<void>(data, [](void*) {});
  return tensor;
}

}  // namespace oarlock
