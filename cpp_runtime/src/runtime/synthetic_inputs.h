// Inputs that nobody gave: for warming up and timing.
#pragma once
#include "oarlock/session.h"

namespace oarlock {

/// What is left open.   size: of dims that may vary, but for the first one, which is 1; integers:
/// what they are
struct MadeUp {
  std::int64_t size = 1;
  enum Integers { zeros_and_ones, ones, zeros } integers = zeros_and_ones;
};

/// The ways that are worth a trial: small sizes first, then those of pictures.
std::vector<MadeUp> ways_to_make_up();

/// An input for each of `specs`, of the sizes in `shapes`, else of those of `how` where a dim may
/// vary and the trace assumed nothing; the same numbers every time.   Error(input) for a name that
/// is no input.
std::vector<Tensor> made_up_inputs(const std::vector<TensorSpec>& specs,
                                   const std::vector<GuardSpec>& guards, const Shapes& shapes,
                                   const MadeUp& how = {});

}  // namespace oarlock
