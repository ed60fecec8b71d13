// Whether two tensors are the same numbers.
#pragma once
#include <optional>
#include <string>

#include "oarlock/tensor.h"

namespace oarlock::runner {

struct Tolerance {
  double rtol = 1e-4, atol = 1e-5;
};

struct Comparison {
  bool same = true;
  std::optional<double> largest =
      0;             // difference of two elements; none where dtype or shape differ
  std::string text;  // of what differs: dtype, shape, or how many elements and where first
};

/// |found - wanted| <= atol + rtol * the largest |wanted| for floating types, equality for the
/// others; NaN is NaN.
Comparison compare(const Tensor& found, const Tensor& wanted, const Tolerance& tolerance);

}  // namespace oarlock::runner
