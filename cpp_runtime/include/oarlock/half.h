// Types for the elements of float16 and bfloat16 tensors, because C++20 has none.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

namespace oarlock {

/// IEEE 754 binary16: 1 sign bit, 5 exponent bits, 10 mantissa bits.
struct float16 {
  std::uint16_t bits = 0;

  float16() = default;
  /// Rounds to nearest even; values of 65520 or more become infinity.
  explicit float16(float value) {
    constexpr std::uint32_t infinity = 0x7f800000, least_normal = 0x38800000, overflow = 0x47800000;
    auto word = std::bit_cast<std::uint32_t>(value);
    auto sign = static_cast<std::uint16_t>(word >> 16 & 0x8000);
    word &= 0x7fffffff;
    std::uint32_t half = 0;
    if (word > infinity)
      half = 0x7e00;  // NaN
    else if (word >= overflow)
      half = 0x7c00;
    else if (word < least_normal)
      // The result is a subnormal float16: adding 0.5 shifts the mantissa of the float32 to units
      // of 2**-24, float16's smallest subnormal number, and rounds it.
      half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(word) + 0.5f) - 0x3f000000;
    else
      half = (word - 0x38000000 + 0xfff + (word >> 13 & 1)) >> 13;
    bits = static_cast<std::uint16_t>(half | sign);
  }
  explicit operator float() const {
    std::uint32_t exponent = bits >> 10 & 31, mantissa = bits & 1023;
    float magnitude = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                      : exponent == 31
                          ? std::bit_cast<float>(0x7f800000 | mantissa << 13)
                          : std::bit_cast<float>((exponent + 112) << 23 | mantissa << 13);
    return bits & 0x8000 ? -magnitude : magnitude;
  }
};

/// bfloat16, the upper half of a float32: 1 sign bit, 8 exponent bits, 7 mantissa bits.
struct bfloat16 {
  std::uint16_t bits = 0;

  bfloat16() = default;
  /// Rounds to nearest even.
  explicit bfloat16(float value) {
    auto word = std::bit_cast<std::uint32_t>(value);
    bits = static_cast<std::uint16_t>(std::isnan(value) ? word >> 16 | 0x40
                                                        : (word + 0x7fff + (word >> 16 & 1)) >> 16);
  }
  explicit operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
};

}  // namespace oarlock
