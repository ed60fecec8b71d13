#include <cmath>
#include <limits>

#include "base/number_text_conversion.h"
#include "pir/translator.h"

namespace oarlock::pir {
namespace {

bool fits_int32(std::int64_t value) {
  return value >= std::numeric_limits<std::int32_t>::min() &&
         value <= std::numeric_limits<std::int32_t>::max();
}

std::optional<std::int64_t> to_integer_or_nullopt(const Scalar& scalar) {
  if (scalar.type == Scalar::Type::boolean || scalar.type == Scalar::Type::int64) return scalar.i;
  if (scalar.type != Scalar::Type::float64 || std::floor(scalar.r) != scalar.r ||
      std::fabs(scalar.r) >= 9.2e18)
    return std::nullopt;
  return static_cast<std::int64_t>(scalar.r);
}

std::optional<Attr> to_int_list_attr_or_nullopt(const Scalars& elements, AttrType type) {
  Ints ints;
  for (const Scalar& element : elements) {
    auto value = to_integer_or_nullopt(element);
    if (!value) return std::nullopt;
    ints.push_back(*value);
    if (type == AttrType::INTS && !fits_int32(*value)) type = AttrType::LONGS;
  }
  return Attr{type, std::move(ints)};
}

std::optional<Attr> to_float_list_attr_or_nullopt(const Scalars& elements, AttrType type) {
  Floats floats;
  for (const Scalar& element : elements) {
    if (element.type == Scalar::Type::complex128) return std::nullopt;
    floats.push_back(element.as_double());
  }
  return Attr{type, std::move(floats)};
}

}  // namespace

std::optional<Attr> convert_attr(const Attr& attr, AttrType type) {
  if (attr.type == type) return attr;
  auto elements = attr_to_scalars_or_nullopt(attr);
  if (!elements) {
    auto* strings = std::get_if<Strings>(&attr.value);
    auto* ints = std::get_if<Ints>(&attr.value);
    bool is_empty = (strings && strings->empty()) || (ints && ints->empty());
    return is_empty && type == AttrType::STRINGS ? std::optional(Attr{type, Strings{}})
                                                 : std::nullopt;
  }
  bool is_one = elements->size() == 1;
  switch (type) {
    case AttrType::INT:
    case AttrType::LONG: {
      auto value = is_one ? to_integer_or_nullopt((*elements)[0]) : std::nullopt;
      if (!value) return std::nullopt;
      return Attr{fits_int32(*value) ? type : AttrType::LONG, *value};
    }
    case AttrType::BOOLEAN: {
      auto value = is_one ? to_integer_or_nullopt((*elements)[0]) : std::nullopt;
      if (!value) return std::nullopt;
      return Attr{type, *value != 0};
    }
    case AttrType::FLOAT:
    case AttrType::FLOAT64:
      if (!is_one || (*elements)[0].type == Scalar::Type::complex128) return std::nullopt;
      return Attr{type, (*elements)[0].as_double()};
    case AttrType::INTS:
    case AttrType::LONGS:
    case AttrType::BOOLEANS:
      return to_int_list_attr_or_nullopt(*elements, type);
    case AttrType::FLOATS:
    case AttrType::FLOAT64S:
      return to_float_list_attr_or_nullopt(*elements, type);
    case AttrType::STRING:  // the tolerances of allclose
      if (!is_one || (*elements)[0].type == Scalar::Type::complex128) return std::nullopt;
      return Attr{type, format_significant_digits((*elements)[0].as_double(), 17)};
    case AttrType::STRINGS:
      return elements->empty() ? std::optional(Attr{type, Strings{}}) : std::nullopt;
    case AttrType::SCALAR:
      return is_one ? std::optional(Attr{type, (*elements)[0]}) : std::nullopt;
    case AttrType::SCALARS:
      return Attr{type, std::move(*elements)};
    default:
      return std::nullopt;
  }
}

}  // namespace oarlock::pir
