#include "convert/scalar_bytes.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace oarlock {
namespace {

template <class T>
std::string to_bytes(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
T from_bytes(std::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// The bytes of a double converted to an integer type; values outside of its range become the
// nearest bound.
template <class T>
std::string saturate_to_int_bytes(double value) {
  if (std::isnan(value)) return to_bytes(T{0});
  if (value >= static_cast<double>(std::numeric_limits<T>::max()))
    return to_bytes(std::numeric_limits<T>::max());
  if (value <= static_cast<double>(std::numeric_limits<T>::min()))
    return to_bytes(std::numeric_limits<T>::min());
  return to_bytes(static_cast<T>(value));
}

std::uint16_t encode_float16(double value) {
  std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  double size = std::fabs(value);
  if (std::isnan(value)) return sign | 0x7e00;
  if (size >= 65520.0) return sign | 0x7c00;
  if (size == 0) return sign;
  int exponent = 0;
  std::frexp(size, &exponent);
  int shift = std::max(exponent - 11, -24);  // exponent of the last bit
  auto steps = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, -shift)));
  if (shift == -24)
    return static_cast<std::uint16_t>(sign | steps);  // subnormal, or the smallest normal by carry
  return static_cast<std::uint16_t>(sign |
                                    ((static_cast<std::uint32_t>(shift + 24) << 10) + steps));
}

double decode_float16(std::uint16_t bits) {
  int exponent = bits >> 10 & 31, steps = bits & 1023;
  double size = exponent == 31  ? (steps ? NAN : INFINITY)
                : exponent == 0 ? std::ldexp(steps, -24)
                                : std::ldexp(steps + 1024, exponent - 25);
  return bits & 0x8000 ? -size : size;
}

std::uint16_t encode_bfloat16(double value) {
  auto single = static_cast<float>(value);
  auto bits = std::bit_cast<std::uint32_t>(single);
  if (std::isnan(single)) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

}  // namespace

std::string encode_scalar(double value, DType dtype) {
  switch (dtype) {
    case DType::float32:
      return to_bytes(static_cast<float>(value));
    case DType::float64:
      return to_bytes(value);
    case DType::float16:
      return to_bytes(encode_float16(value));
    case DType::bfloat16:
      return to_bytes(encode_bfloat16(value));
    case DType::boolean:
      return to_bytes(static_cast<std::uint8_t>(value != 0));
    case DType::int8:
      return saturate_to_int_bytes<std::int8_t>(value);
    case DType::uint8:
      return saturate_to_int_bytes<std::uint8_t>(value);
    case DType::int16:
      return saturate_to_int_bytes<std::int16_t>(value);
    case DType::uint16:
      return saturate_to_int_bytes<std::uint16_t>(value);
    case DType::int32:
      return saturate_to_int_bytes<std::int32_t>(value);
    case DType::uint32:
      return saturate_to_int_bytes<std::uint32_t>(value);
    case DType::int64:
      return saturate_to_int_bytes<std::int64_t>(value);
    case DType::uint64:
      return saturate_to_int_bytes<std::uint64_t>(value);
    default:
      return std::string(size_of(dtype), '\0');
  }
}

std::optional<double> decode_scalar(std::string_view b, DType dtype) {
  switch (dtype) {
    case DType::float32:
      return from_bytes<float>(b);
    case DType::float64:
      return from_bytes<double>(b);
    case DType::float16:
      return decode_float16(from_bytes<std::uint16_t>(b));
    case DType::bfloat16:
      return std::bit_cast<float>(static_cast<std::uint32_t>(from_bytes<std::uint16_t>(b)) << 16);
    case DType::boolean:
    case DType::uint8:
      return from_bytes<std::uint8_t>(b);
    case DType::int8:
      return from_bytes<std::int8_t>(b);
    case DType::int16:
      return from_bytes<std::int16_t>(b);
    case DType::uint16:
      return from_bytes<std::uint16_t>(b);
    case DType::int32:
      return from_bytes<std::int32_t>(b);
    case DType::uint32:
      return from_bytes<std::uint32_t>(b);
    case DType::int64:
      return static_cast<double>(from_bytes<std::int64_t>(b));
    case DType::uint64:
      return static_cast<double>(from_bytes<std::uint64_t>(b));
    default:
      return std::nullopt;
  }
}

}  // namespace oarlock
