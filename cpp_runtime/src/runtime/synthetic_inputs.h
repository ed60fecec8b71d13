// Synthetic inputs for warm-up and timing.
#pragma once
#include "oarlock/session.h"

namespace oarlock {

/// Parameters of synthetic inputs. dynamic_dim: the size of dynamic dimensions except the first,
/// which is 1 (of a named dimension: the next allowed size); integers: the values of integer inputs
struct SyntheticInputOptions {
  std::int64_t dynamic_dim = 1;
  enum IntegerValues { zeros_and_ones, ones, zeros } integers = zeros_and_ones;
};

/// Parameters to try in order: small sizes first, then image sizes.
std::vector<SyntheticInputOptions> synthetic_input_options_to_try();

/// Throws Error(input) for a name in `shapes` that no input has.
void require_known_input_names(const std::vector<TensorSpec>& specs, const Shapes& shapes);

/// One input per spec, with deterministic values.  The size of a dynamic dimension is that in
/// `shapes`, else that of a guard, else, for a named dimension, the size in `shapes` of another
/// input's dimension with its name, else that of `synthetic`. Throws Error(input) for an unknown
/// input name, and if the inputs without given shapes together have more than 2^27 elements.
std::vector<Tensor> synthetic_inputs(const std::vector<TensorSpec>& specs,
                                     const std::vector<GuardSpec>& guards, const Shapes& shapes,
                                     const SyntheticInputOptions& synthetic = {});

}  // namespace oarlock
