// Tensors at the border: views going in, owned results coming out.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "oarlock/dtype.h"
#include "oarlock/error.h"

namespace oarlock {

/// The DType of a C++ number, DType::none for a type that is none.
template <class T>
constexpr DType dtype_for() {
  if constexpr (std::is_same_v<T, bool>)
    return DType::boolean;
  else if constexpr (std::is_same_v<T, float>)
    return DType::float32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::float64;
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

/// Memory that somebody else owns, read as a tensor in C order.   It must stay until the call
/// returns.
struct TensorView {
  DType dtype = DType::none;
  std::span<const std::int64_t> shape;
  const void* data = nullptr;

  TensorView() = default;
  TensorView(DType d, std::span<const std::int64_t> s, const void* p)
      : dtype(d), shape(s), data(p) {}
  /// `values` seen under `shape`.   Error(input) when the counts differ.
  template <class T>
  TensorView(std::span<const T> values, std::span<const std::int64_t> s)
      : dtype(dtype_for<T>()), shape(s), data(values.data()) {
    static_assert(dtype_for<T>() != DType::none, "not an element type");
    std::size_t count = 1;
    for (std::int64_t d : s) count *= static_cast<std::size_t>(d);
    if (count != values.size())
      throw Error(Fault::input, "tensor: " + std::to_string(values.size()) +
                                    " values for a shape of " + std::to_string(count));
  }
};

/// A tensor with its memory, which may be the engine's; copies share it.
class OARLOCK_EXPORT Tensor {
 public:
  Tensor() = default;
  /// `data` belongs to `owner`.
  Tensor(DType dtype, std::vector<std::int64_t> shape, std::shared_ptr<void> owner, void* data);
  /// New memory, all zero.   Error(input) for a shape that does not fit.
  Tensor(DType dtype, std::vector<std::int64_t> shape);

  DType dtype() const { return dtype_; }
  const std::vector<std::int64_t>& shape() const { return shape_; }
  /// Number of elements and of bytes.
  std::size_t size() const { return size_; }
  std::size_t byte_size() const { return size_ * size_of(dtype_); }
  const void* data() const { return data_; }
  void* data() { return data_; }
  const std::shared_ptr<void>& owner() const { return owner_; }

  /// The elements.   Error(input) when they are of another type.
  template <class T>
  std::span<const T> values() const {
    if (dtype_for<T>() != dtype_)
      throw Error(Fault::input, "tensor: read as " + std::string(name_of(dtype_for<T>())) +
                                    ", it is " + std::string(name_of(dtype_)));
    return {static_cast<const T*>(data_), size_};
  }
  operator TensorView() const { return {dtype_, shape_, data_}; }

 private:
  DType dtype_ = DType::none;
  std::vector<std::int64_t> shape_;
  std::size_t size_ = 0;
  std::shared_ptr<void> owner_;
  void* data_ = nullptr;
};

}  // namespace oarlock
