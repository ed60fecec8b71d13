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
  std::string details;  // description of the difference: dtype and shape, or how many elements
                        // differ and the first of them
};

/// Compares dtype, shape and all elements. Floating elements are equal if |actual - expected| <=
/// atol
/// + rtol * (largest finite |expected| of the tensor); others must be identical. NaN equals NaN.
Comparison compare_tensors(const Tensor& actual, const Tensor& expected,
                           const Tolerance& tolerance);

}  // namespace oarlock::runner
