// Inputs that nobody gave: for warming up and timing.
#pragma once
#include "oarlock/session.h"

namespace oarlock {

/// An input for each of `specs`, of the sizes in `shapes`, else of 1 where a dim may vary and the trace assumed
/// nothing; the same numbers every time.   Error(input) for a name that is no input.
std::vector<Tensor> made_up_inputs(const std::vector<TensorSpec>& specs, const std::vector<GuardSpec>& guards,
                                   const Shapes& shapes);

}  // namespace oarlock
