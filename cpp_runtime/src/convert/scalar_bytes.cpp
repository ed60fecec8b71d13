#include "convert/scalar_bytes.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace oarlock {
namespace {

template <class T>
std::string raw(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
T from(std::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// A double outside the integer's range would be undefined behaviour: it saturates.
template <class T>
std::string raw_int(double value) {
  if (std::isnan(value)) return raw(T{0});
  if (value >= static_cast<double>(std::numeric_limits<T>::max()))
    return raw(std::numeric_limits<T>::max());
  if (value <= static_cast<double>(std::numeric_limits<T>::min()))
    return raw(std::numeric_limits<T>::min());
  return raw(static_cast<T>(value));
}

std::uint16_t half_of(double value) {
  std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  double size = std::fabs(value);
  if (std::isnan(value)) return sign | 0x7e00;
  if (size >= 65520.0) return sign | 0x7c00;
  if (size == 0) return sign;
  int exponent = 0;
  std::frexp(size, &exponent);
  int shift = std::max(exponent - 11, -24);  // the weight of the last bit
  auto steps = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, -shift)));
  if (shift == -24)
    return static_cast<std::uint16_t>(sign | steps);  // subnormal, or the smallest normal by carry
  return static_cast<std::uint16_t>(sign |
                                    ((static_cast<std::uint32_t>(shift + 24) << 10) + steps));
}

double half_to(std::uint16_t bits) {
  int exponent = bits >> 10 & 31, steps = bits & 1023;
  double size = exponent == 31  ? (steps ? NAN : INFINITY)
                : exponent == 0 ? std::ldexp(steps, -24)
                                : std::ldexp(steps + 1024, exponent - 25);
  return bits & 0x8000 ? -size : size;
}

std::uint16_t bfloat_of(double value) {
  auto single = static_cast<float>(value);
  auto bits = std::bit_cast<std::uint32_t>(single);
  if (std::isnan(single)) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

}  // namespace

std::string encoded(double value, DType dtype) {
  switch (dtype) {
    case DType::float32:
      return raw(static_cast<float>(value));
    case DType::float64:
      return raw(value);
    case DType::float16:
      return raw(half_of(value));
    case DType::bfloat16:
      return raw(bfloat_of(value));
    case DType::boolean:
      return raw(static_cast<std::uint8_t>(value != 0));
    case DType::int8:
      return raw_int<std::int8_t>(value);
    case DType::uint8:
      return raw_int<std::uint8_t>(value);
    case DType::int16:
      return raw_int<std::int16_t>(value);
    case DType::uint16:
      return raw_int<std::uint16_t>(value);
    case DType::int32:
      return raw_int<std::int32_t>(value);
    case DType::uint32:
      return raw_int<std::uint32_t>(value);
    case DType::int64:
      return raw_int<std::int64_t>(value);
    case DType::uint64:
      return raw_int<std::uint64_t>(value);
    default:
      return std::string(size_of(dtype), '\0');
  }
}

std::optional<double> decoded(std::string_view b, DType dtype) {
  switch (dtype) {
    case DType::float32:
      return from<float>(b);
    case DType::float64:
      return from<double>(b);
    case DType::float16:
      return half_to(from<std::uint16_t>(b));
    case DType::bfloat16:
      return std::bit_cast<float>(static_cast<std::uint32_t>(from<std::uint16_t>(b)) << 16);
    case DType::boolean:
    case DType::uint8:
      return from<std::uint8_t>(b);
    case DType::int8:
      return from<std::int8_t>(b);
    case DType::int16:
      return from<std::int16_t>(b);
    case DType::uint16:
      return from<std::uint16_t>(b);
    case DType::int32:
      return from<std::int32_t>(b);
    case DType::uint32:
      return from<std::uint32_t>(b);
    case DType::int64:
      return static_cast<double>(from<std::int64_t>(b));
    case DType::uint64:
      return static_cast<double>(from<std::uint64_t>(b));
    default:
      return std::nullopt;
  }
}

}  // namespace oarlock
