// Names that PIR's `.json` uses for element types.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "oarlock/dtype.h"

namespace oarlock::pir {

/// The dtype of an element type such as `0.t_f32`; DType::none for the undefined type.
std::optional<DType> find_dtype_of_element_type(std::string_view name);

/// The name of an element type.
std::string_view element_type_name(DType dtype);

/// The VarType number of a dtype that is the value of an attribute, such as `float32`; -1 for the
/// undefined dtype, nullopt for an unknown name.
std::optional<std::int64_t> find_dtype_attr_number(std::string_view name);

/// The value of an attribute for a dtype, such as `float32`.  A dtype without a name in PIR has the
/// name of the undefined dtype.
std::string_view dtype_name_in_attributes(DType dtype);

}  // namespace oarlock::pir
