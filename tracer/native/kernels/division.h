// Floor division and remainders of floating-point numbers and integers, with NumPy's results.
#pragma once
#include <type_traits>

#include "kernels/elementwise.h"
#include "kernels/kernels.h"

namespace oarlock::kernels {
namespace {

// fmod and copysign with internal linkage; those of <cmath> have external linkage, so that the
// linker would mix instruction sets.
inline float internal_fmod(float x, float y) { return __builtin_fmodf(x, y); }
inline double internal_fmod(double x, double y) { return __builtin_fmod(x, y); }
inline float internal_copysign(float x, float sign) { return __builtin_copysignf(x, sign); }
inline double internal_copysign(double x, double sign) { return __builtin_copysign(x, sign); }

/// NumPy's floor_divide for any operands; slow, because of fmod.
template <class T>
T floor_divide_by_fmod(T x, T y) {
  if (y == 0) return x / y;
  T remainder = internal_fmod(x, y), quotient = (x - remainder) / y;
  if (remainder != 0 && (y < 0) != (remainder < 0)) quotient -= 1;
  if (quotient == 0) return internal_copysign(T(0), x / y);
  T floor = static_cast<T>(__builtin_floor(static_cast<double>(quotient)));
  return quotient - floor > T(0.5) ? floor + 1 : floor;
}

/// NumPy's remainder for any operands; slow, because of fmod.
template <class T>
T remainder_by_fmod(T x, T y) {
  T remainder = internal_fmod(x, y);
  if (y == 0) return remainder;
  if (remainder == 0) return internal_copysign(T(0), y);
  return (y < 0) != (remainder < 0) ? remainder + y : remainder;
}

// The exact quotient of two float32 numbers differs from an integer n by 0 or at least 2^-24, so
// that its floor in float64 is exact below 2^22.  The float64 quotient of two float64 numbers below
// this limit has an error below 2^-30: its floor is exact unless the quotient is within 2^-29 of an
// integer.
constexpr double kMaxFastQuotient = 1 << 22, kMinDistanceToInteger = 1.0 / (1 << 29);

/// Whether floor(x / y) can be computed from the float64 quotient.  It cannot if y is infinite,
/// because floor(-1 / inf) is -1, or if the quotient underflows to 0.
inline bool is_fast_quotient(double quotient, double x, double y) {
  return (__builtin_fabs(quotient) < kMaxFastQuotient) & ((quotient != 0) | (x == 0)) &
         (__builtin_fabs(y) < __builtin_inf());
}

/// One quotient or remainder of floating-point numbers; slow, for operands that the vectorized loop
/// does not support.
template <class T, bool IsRemainder>
inline T floor_divide_or_remainder_of_floats(T x, T y) {
  if constexpr (sizeof(T) == sizeof(double)) {
    double quotient = x / y;
    if (is_fast_quotient(quotient, x, y)) {
      // The nearest integer n is the floor, or one more: the sign of the exact x - n * y decides.
      double nearest = __builtin_rint(quotient), remainder = __builtin_fma(-nearest, y, x);
      bool is_floor = remainder == 0 || (remainder < 0) == (y < 0);
      if (!IsRemainder) return is_floor ? nearest : nearest - 1;
      return remainder == 0 ? internal_copysign(0.0, y) : is_floor ? remainder : remainder + y;
    }
  }
  return IsRemainder ? remainder_by_fmod(x, y) : floor_divide_by_fmod(x, y);
}

/// One quotient or remainder of integers, wrapping around for the lowest number divided by -1.
template <class T, bool IsRemainder>
inline T floor_divide_or_remainder_of_integers(T x, T y) {
  using Unsigned = std::make_unsigned_t<T>;
  if (y == -1) return IsRemainder ? T(0) : static_cast<T>(Unsigned(0) - static_cast<Unsigned>(x));
  T quotient = x / y, remainder = x % y;
  bool is_below = remainder != 0 && (remainder < 0) != (y < 0);
  return IsRemainder ? (is_below ? remainder + y : remainder)
                     : (is_below ? quotient - 1 : quotient);
}

/// floor_divide_or_remainder for a block of integers.  float64 division is vectorized,
/// and its floor is exact for integers below 2^53.
template <class T, bool IsRemainder>
void floor_divide_or_remainder_of_integer_block(Size size, const T* __restrict x,
                                                const T* __restrict y, T* __restrict z) {
  constexpr std::uint64_t exact = std::uint64_t{1} << 53;
  if constexpr (sizeof(T) == sizeof(std::int64_t)) {
    std::uint64_t outside = 0;
    for (Size i = 0; i < size; ++i)
      outside |= ((static_cast<std::uint64_t>(x[i]) + exact) |
                  (static_cast<std::uint64_t>(y[i]) + exact)) >>
                 54U;
    if (outside != 0) {
      for (Size i = 0; i < size; ++i)
        z[i] = floor_divide_or_remainder_of_integers<T, IsRemainder>(x[i], y[i]);
      return;
    }
  }
  for (Size i = 0; i < size; ++i) {
    double quotient = static_cast<double>(x[i]) / static_cast<double>(y[i]);
    auto truncated = static_cast<std::int64_t>(quotient);
    std::int64_t floor = truncated - (static_cast<double>(truncated) > quotient);
    z[i] = static_cast<T>(IsRemainder ? static_cast<std::int64_t>(x[i]) - floor * y[i] : floor);
  }
}

/// floor_divide_or_remainder for a block of floating-point numbers: a vectorized loop, then single
/// results for the operands that it does not support.
template <class T, bool IsRemainder>
void floor_divide_or_remainder_of_float_block(Size size, const T* __restrict x,
                                              const T* __restrict y, T* __restrict z) {
  Size unsupported = 0;
  for (Size i = 0; i < size; ++i) {
    double quotient = static_cast<double>(x[i]) / static_cast<double>(y[i]);
    bool is_exact =
        is_fast_quotient(quotient, static_cast<double>(x[i]), static_cast<double>(y[i]));
    double truncated = __builtin_trunc(quotient);
    if constexpr (sizeof(T) == sizeof(double)) {
      double fraction = __builtin_fabs(quotient - truncated);
      is_exact &= (fraction > kMinDistanceToInteger) & (fraction < 1 - kMinDistanceToInteger);
    }
    unsupported += !is_exact;
    if constexpr (IsRemainder) {
      // Exact, because a remainder of a truncated quotient is a number of type T.
      auto remainder = static_cast<T>(
          __builtin_fma(-truncated, static_cast<double>(y[i]), static_cast<double>(x[i])));
      T shifted = remainder + y[i];
      T signed_remainder = (remainder < 0) != (y[i] < 0) ? shifted : remainder;
      z[i] = remainder == 0 ? internal_copysign(T(0), y[i]) : signed_remainder;
    } else {
      z[i] = static_cast<T>(__builtin_floor(quotient));
    }
  }
  if (unsupported == 0) return;
  for (Size i = 0; i < size; ++i) {
    double quotient = static_cast<double>(x[i]) / static_cast<double>(y[i]);
    if (sizeof(T) == sizeof(double) ||
        !is_fast_quotient(quotient, static_cast<double>(x[i]), static_cast<double>(y[i])))
      z[i] = floor_divide_or_remainder_of_floats<T, IsRemainder>(x[i], y[i]);
  }
}

/// z = floor(x / y), or x - y * floor(x / y); y has one element if `is_scalar`.
template <class T, bool IsRemainder>
void floor_divide_or_remainder(Size count, bool is_scalar, const T* x, const T* y, T* z) {
  constexpr Size kBlock = 64;
  parallel_ranges(count, kElementsPerTask / 4, [&](Size from, Size to) {
    for (Size block = from; block < to; block += kBlock) {
      Size size = min(kBlock, to - block);
      const T* __restrict a = x + block;
      T* __restrict c = z + block;
      T divisors[kBlock];
      for (Size i = 0; i < size; ++i) divisors[i] = is_scalar ? y[0] : y[block + i];
      if constexpr (std::is_integral_v<T>) {
        floor_divide_or_remainder_of_integer_block<T, IsRemainder>(size, a, divisors, c);
      } else {
        floor_divide_or_remainder_of_float_block<T, IsRemainder>(size, a, divisors, c);
      }
    }
  });
}

}  // namespace
}  // namespace oarlock::kernels
