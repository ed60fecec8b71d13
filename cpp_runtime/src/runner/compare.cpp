#include "runner/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/decimal.h"
#include "convert/scalar_bytes.h"
#include "paddle/program.h"

namespace oarlock::runner {
namespace {

double element(const Tensor& t, std::size_t i) {
  std::size_t width = size_of(t.dtype());
  auto value = decode_scalar({static_cast<const char*>(t.data()) + i * width, width}, t.dtype());
  if (!value)
    throw Error(ErrorCode::input,
                "verify: " + std::string(name_of(t.dtype())) + " cannot be compared");
  return *value;
}

std::string number(double value) { return format_double(value, 6); }

double max_abs(const Tensor& t) {
  double largest = 0;
  for (std::size_t i = 0; i < t.size(); ++i)
    if (double value = std::fabs(element(t, i)); std::isfinite(value))
      largest = std::max(largest, value);
  return largest;
}

bool close(double found, double wanted, double allowed) {
  if (std::isnan(found) || std::isnan(wanted)) return std::isnan(found) && std::isnan(wanted);
  return found == wanted || std::fabs(found - wanted) <= allowed;
}

Comparison compare_elements(const Tensor& found, const Tensor& wanted, const Tolerance& tolerance) {
  Comparison result;
  double largest = 0;
  double allowed =
      is_floating(found.dtype()) ? tolerance.atol + tolerance.rtol * max_abs(wanted) : 0;
  std::size_t num_different = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    double a = element(found, i), b = element(wanted, i);
    if (std::isfinite(a) && std::isfinite(b)) largest = std::max(largest, std::fabs(a - b));
    if (close(a, b, allowed)) continue;
    if (num_different++ == 0)
      result.details =
          "first [" + std::to_string(i) + "] is " + number(a) + ", wanted " + number(b);
  }
  result.max_difference = largest;
  result.same = num_different == 0;
  if (num_different)
    result.details = std::to_string(num_different) + " of " + std::to_string(found.size()) +
                     " differ, " + result.details;
  return result;
}

}  // namespace

Comparison compare(const Tensor& found, const Tensor& wanted, const Tolerance& tolerance) {
  if (found.dtype() != wanted.dtype() || found.shape() != wanted.shape())
    return {false,
            {},
            "is " + show(found.dtype(), found.shape()) + ", wanted " +
                show(wanted.dtype(), wanted.shape())};
  bool equal =
      found.byte_size() == 0 || std::memcmp(found.data(), wanted.data(), found.byte_size()) == 0;
  return equal ? Comparison{} : compare_elements(found, wanted, tolerance);
}

}  // namespace oarlock::runner
