// DType: the element types of tensors, with the numbers of VarType.Type in a `.pdmodel`.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace oarlock {

enum class DType : std::int32_t {
  none = -1,
  boolean = 0,
  int16 = 1,
  int32 = 2,
  int64 = 3,
  float16 = 4,
  float32 = 5,
  float64 = 6,
  uint8 = 20,
  int8 = 21,
  bfloat16 = 22,
  complex64 = 23,
  complex128 = 24,
  float8_e4m3fn = 32,
  float8_e5m2 = 33,
  uint16 = 36,
  uint32 = 37,
  uint64 = 38,
};

/// The properties of an element type. name: NumPy's name; size: bytes per element; onnx:
/// TensorProto.DataType. The table of these rows is searched linearly, so frequent types come
/// first.
struct DTypeRow {
  DType dtype;
  std::string_view name;
  std::size_t size;
  int onnx;
};

inline constexpr DTypeRow kDTypes[] = {
    {DType::float32, "float32", 4, 1},
    {DType::int64, "int64", 8, 7},
    {DType::int32, "int32", 4, 6},
    {DType::boolean, "bool", 1, 9},
    {DType::int16, "int16", 2, 5},
    {DType::float16, "float16", 2, 10},
    {DType::float64, "float64", 8, 11},
    {DType::uint8, "uint8", 1, 2},
    {DType::int8, "int8", 1, 3},
    {DType::bfloat16, "bfloat16", 2, 16},
    {DType::complex64, "complex64", 8, 14},
    {DType::complex128, "complex128", 16, 15},
    {DType::float8_e4m3fn, "float8_e4m3fn", 1, 17},
    {DType::float8_e5m2, "float8_e5m2", 1, 19},
    {DType::uint16, "uint16", 2, 4},
    {DType::uint32, "uint32", 4, 12},
    {DType::uint64, "uint64", 8, 13},
};

/// The properties of `dtype`; null if it is not the element type of a tensor.
constexpr const DTypeRow* find_dtype_row(DType dtype) {
  for (const DTypeRow& row : kDTypes)
    if (row.dtype == dtype) return &row;
  return nullptr;
}

/// Bytes per element; 0 if it is not the element type of a tensor.
constexpr std::size_t size_of(DType dtype) {
  const DTypeRow* row = find_dtype_row(dtype);
  return row ? row->size : 0;
}

/// NumPy's name; "?" if it is not the element type of a tensor.
constexpr std::string_view name_of(DType dtype) {
  const DTypeRow* row = find_dtype_row(dtype);
  return row ? row->name : "?";
}

/// The TensorProto.DataType number; 0 if it is not the element type of a tensor.
constexpr int onnx_of(DType dtype) {
  const DTypeRow* row = find_dtype_row(dtype);
  return row ? row->onnx : 0;
}

/// The dtype with this name (`float32`), or DType::none.
constexpr DType find_dtype_by_name(std::string_view name) {
  for (const DTypeRow& row : kDTypes)
    if (row.name == name) return row.dtype;
  return DType::none;
}

/// The dtype with this TensorProto.DataType number, or DType::none.
constexpr DType find_dtype_by_onnx_number(int number) {
  for (const DTypeRow& row : kDTypes)
    if (row.onnx == number) return row.dtype;
  return DType::none;
}

/// Whether it is float16, bfloat16, float32 or float64; false for float8.
constexpr bool is_floating(DType d) {
  return d == DType::float32 || d == DType::float64 || d == DType::float16 || d == DType::bfloat16;
}

constexpr bool is_complex(DType d) { return d == DType::complex64 || d == DType::complex128; }
/// The dtype of the real and imaginary parts of a complex dtype.
constexpr DType complex_part_dtype(DType d) {
  return d == DType::complex128 ? DType::float64 : DType::float32;
}

/// Whether it is an integer type; false for bool.
constexpr bool is_integer(DType d) {
  return find_dtype_row(d) && !is_floating(d) && d != DType::boolean && size_of(d) <= 8 &&
         !is_complex(d) && d != DType::float8_e4m3fn && d != DType::float8_e5m2;
}

}  // namespace oarlock
