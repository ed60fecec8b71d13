// Comparison of tensors within tolerances.
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
  std::optional<double> max_difference =
      0;                // largest absolute difference; nullopt if dtype or shape differ
  std::string details;  // description of the difference: dtype, shape, or number of elements and
                        // the first one
};

/// |actual - expected| <= atol + rtol * max|expected| for floating dtypes, equality for others; NaN
/// equals NaN.
Comparison compare_tensors(const Tensor& actual, const Tensor& expected,
                           const Tolerance& tolerance);

}  // namespace oarlock::runner
