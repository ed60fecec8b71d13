#include "pir/dtype_names.h"

namespace oarlock::pir {
namespace {

constexpr std::string_view kUndefinedDType = "Undefined(ALL_DTYPE)";

struct ElementTypeRow {
  DType dtype;
  std::string_view name;
};
constexpr ElementTypeRow kElementTypes[] = {
    {DType::float32, "0.t_f32"},
    {DType::int64, "0.t_i64"},
    {DType::int32, "0.t_i32"},
    {DType::boolean, "0.t_bool"},
    {DType::float16, "0.t_f16"},
    {DType::bfloat16, "0.t_bf16"},
    {DType::float64, "0.t_f64"},
    {DType::uint8, "0.t_ui8"},
    {DType::int8, "0.t_i8"},
    {DType::int16, "0.t_i16"},
    {DType::complex64, "0.t_c64"},
    {DType::complex128, "0.t_c128"},
    {DType::float8_e4m3fn, "0.t_f8e4m3fn"},
    {DType::float8_e5m2, "0.t_f8e5m2"},
    {DType::int64, "0.t_index"},
    {DType::none, "0.t_undefined"},
};

}  // namespace

std::optional<DType> find_dtype_of_element_type(std::string_view name) {
  for (const ElementTypeRow& row : kElementTypes)
    if (row.name == name) return row.dtype;
  return std::nullopt;
}

std::optional<std::int64_t> find_dtype_attr_number(std::string_view name) {
  if (name == kUndefinedDType) return -1;
  for (const DTypeRow& row : kDTypes)
    if (row.name == name) return static_cast<std::int64_t>(row.dtype);
  return std::nullopt;
}

std::string_view element_type_name(DType dtype) {
  for (const ElementTypeRow& row : kElementTypes)
    if (row.dtype == dtype) return row.name;
  return "0.t_undefined";
}

std::string_view dtype_name_in_attributes(DType dtype) {
  const DTypeRow* row = find_dtype_row(dtype);
  return row ? row->name : kUndefinedDType;
}

}  // namespace oarlock::pir
