#include "runner/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/number_text_conversion.h"
#include "convert/scalar_bytes.h"
#include "paddle/program.h"

namespace oarlock::runner {
namespace {

double element_as_double(const Tensor& t, std::size_t i) {
  std::size_t width = size_of(t.dtype());
  auto value = decode_scalar({static_cast<const char*>(t.data()) + i * width, width}, t.dtype());
  if (!value)
    throw Error(ErrorCode::input,
                "verify: " + std::string(name_of(t.dtype())) + " cannot be compared");
  return *value;
}

std::string format_number(double value) { return format_significant_digits(value, 6); }

double max_finite_abs(const Tensor& t) {
  double largest = 0;
  for (std::size_t i = 0; i < t.size(); ++i)
    if (double value = std::fabs(element_as_double(t, i)); std::isfinite(value))
      largest = std::max(largest, value);
  return largest;
}

bool is_close(double actual, double expected, double allowed) {
  if (std::isnan(actual) || std::isnan(expected)) return std::isnan(actual) && std::isnan(expected);
  return actual == expected || std::fabs(actual - expected) <= allowed;
}

Comparison compare_elements(const Tensor& actual, const Tensor& expected,
                            const Tolerance& tolerance) {
  Comparison result;
  double largest = 0;
  double allowed =
      is_floating(actual.dtype()) ? tolerance.atol + tolerance.rtol * max_finite_abs(expected) : 0;
  std::size_t num_different = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    double a = element_as_double(actual, i), b = element_as_double(expected, i);
    if (std::isfinite(a) && std::isfinite(b)) largest = std::max(largest, std::fabs(a - b));
    if (is_close(a, b, allowed)) continue;
    if (num_different++ == 0)
      result.details = "first [" + std::to_string(i) + "] is " + format_number(a) + ", wanted " +
                       format_number(b);
  }
  result.max_difference = largest;
  result.same = num_different == 0;
  if (num_different)
    result.details = std::to_string(num_different) + " of " + std::to_string(actual.size()) +
                     " differ, " + result.details;
  return result;
}

}  // namespace

Comparison compare_tensors(const Tensor& actual, const Tensor& expected,
                           const Tolerance& tolerance) {
  if (actual.dtype() != expected.dtype() || actual.shape() != expected.shape())
    return {false,
            {},
            "is " + format_type(actual.dtype(), actual.shape()) + ", wanted " +
                format_type(expected.dtype(), expected.shape())};
  bool equal = actual.byte_size() == 0 ||
               std::memcmp(actual.data(), expected.data(), actual.byte_size()) == 0;
  return equal ? Comparison{} : compare_elements(actual, expected, tolerance);
}

}  // namespace oarlock::runner
