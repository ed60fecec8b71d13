#include <cmath>
#include <limits>

#include "base/decimal.h"
#include "pir/translator.h"

namespace oarlock::pir {
namespace {

bool fits_int32(std::int64_t value) {
  return value >= std::numeric_limits<std::int32_t>::min() &&
         value <= std::numeric_limits<std::int32_t>::max();
}

/// The elements of an attribute, a number as one element; nullopt for text and blocks.
std::optional<Scalars> attr_to_scalars_or_nullopt(const Attr& attr) {
  auto real = [](double x) { return Scalar{Scalar::Type::float64, 0, x, 0}; };
  auto integer = [](std::int64_t x) { return Scalar{Scalar::Type::int64, x, 0, 0}; };
  Scalars all;
  if (auto* flag = std::get_if<bool>(&attr.value)) return Scalars{integer(*flag)};
  if (auto* number = std::get_if<std::int64_t>(&attr.value)) return Scalars{integer(*number)};
  if (auto* number = std::get_if<double>(&attr.value)) return Scalars{real(*number)};
  if (auto* scalar = std::get_if<Scalar>(&attr.value)) return Scalars{*scalar};
  if (auto* scalars = std::get_if<Scalars>(&attr.value)) return *scalars;
  if (auto* ints = std::get_if<Ints>(&attr.value))
    for (std::int64_t x : *ints) all.push_back(integer(x));
  else if (auto* floats = std::get_if<Floats>(&attr.value))
    for (double x : *floats) all.push_back(real(x));
  else
    return std::nullopt;
  return all;
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
