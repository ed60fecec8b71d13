// Tensors of the public API: TensorView, which does not own its memory, and Tensor, which does.
#pragma once
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "oarlock/device.h"
#include "oarlock/dtype.h"
#include "oarlock/error.h"
#include "oarlock/half.h"

namespace oarlock {

/// The DType of a C++ type; DType::none if there is none.
template <class T>
constexpr DType dtype_for() {
  if constexpr (std::is_same_v<T, bool>)
    return DType::boolean;
  else if constexpr (std::is_same_v<T, float>)
    return DType::float32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::float64;
  else if constexpr (std::is_same_v<T, float16>)
    return DType::float16;
  else if constexpr (std::is_same_v<T, bfloat16>)
    return DType::bfloat16;
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return DType::complex64;
  else if constexpr (std::is_same_v<T, std::complex<double>>)
    return DType::complex128;
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
    return sizeof(T) == 1   ? DType::int8
           : sizeof(T) == 2 ? DType::int16
           : sizeof(T) == 4 ? DType::int32
                            : DType::int64;
  else if constexpr (std::is_integral_v<T>)
    return sizeof(T) == 1   ? DType::uint8
           : sizeof(T) == 2 ? DType::uint16
           : sizeof(T) == 4 ? DType::uint32
                            : DType::uint64;
  else
    return DType::none;
}

/// A tensor in C order in memory that the caller owns. The memory must stay valid until the
/// function that takes the view returns.
struct TensorView {
  DType dtype = DType::none;
  std::span<const std::int64_t> shape;
  const void* data = nullptr;
  Device device;

  TensorView() = default;
  TensorView(DType d, std::span<const std::int64_t> s, const void* p, Device where = {})
      : dtype(d), shape(s), data(p), device(where) {}
  /// `values` with shape `shape`. Throws Error(input) if the number of values is not that of the
  /// shape.
  template <class T>
  TensorView(std::span<const T> values, std::span<const std::int64_t> s)
      : dtype(dtype_for<T>()), shape(s), data(values.data()) {
    static_assert(dtype_for<T>() != DType::none, "not an element type");
    std::size_t count = 1;
    for (std::int64_t d : s) count *= static_cast<std::size_t>(d);
    if (count != values.size())
      throw Error(ErrorCode::input, "tensor: " + std::to_string(values.size()) +
                                        " values for a shape of " + std::to_string(count));
  }
};

/// A tensor that owns its memory, which ONNX Runtime may have allocated; copies of the tensor share
/// the memory.
class OARLOCK_EXPORT Tensor {
 public:
  Tensor() = default;
  /// `data` is kept alive by `owner`.
  Tensor(DType dtype, std::vector<std::int64_t> shape, std::shared_ptr<void> owner, void* data,
         Device device = {});
  /// Allocates zero-initialized memory.  Throws Error(input) for an invalid shape.
  Tensor(DType dtype, std::vector<std::int64_t> shape);
  /// Memory of the caller, in C order. deleter: called with `data` when the last copy of the tensor
  /// is destroyed; if it is empty, the caller frees the memory.  Throws Error(input) for an invalid
  /// shape, and for a null pointer unless the tensor is empty; `deleter` is not called then.
  static Tensor from_blob(void* data, DType dtype, std::vector<std::int64_t> shape,
                          std::function<void(void*)> deleter = {}, Device device = {});

  DType dtype() const { return dtype_; }
  const std::vector<std::int64_t>& shape() const { return shape_; }
  /// The number of elements, and of bytes.
  std::size_t size() const { return size_; }
  std::size_t byte_size() const { return size_ * size_of(dtype_); }
  /// The address on `device()`; the CPU can read it only if `device().is_host()`.
  const void* data() const { return data_; }
  void* data() { return data_; }
  Device device() const { return device_; }
  const std::shared_ptr<void>& owner() const { return owner_; }

  /// The elements. Throws Error(input) if T is not the dtype of the tensor, if the elements are in
  /// memory of a GPU, or if the memory of from_blob is not aligned to T.
  template <class T>
  std::span<const T> values() const {
    if (dtype_for<T>() != dtype_)
      throw Error(ErrorCode::input, "tensor: read as " + std::string(name_of(dtype_for<T>())) +
                                        ", it is " + std::string(name_of(dtype_)));
    if (!device_.is_host())
      throw Error(ErrorCode::input, "tensor: its values are in memory of a GPU");
    if (reinterpret_cast<std::uintptr_t>(data_) % alignof(T) != 0)
      throw Error(ErrorCode::input, "tensor: its memory is not aligned to " +
                                        std::string(name_of(dtype_)) + "; copy it");
    return {static_cast<const T*>(data_), size_};
  }
  /// Implicit conversion to a view of this tensor, valid while the tensor is alive.
  operator TensorView() const { return {dtype_, shape_, data_, device_}; }

 private:
  DType dtype_ = DType::none;
  std::vector<std::int64_t> shape_;
  std::size_t size_ = 0;
  std::shared_ptr<void> owner_;
  void* data_ = nullptr;
  Device device_;
};

}  // namespace oarlock
