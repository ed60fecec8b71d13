// Builders of ONNX Scan and Loop nodes from a body given as formulas.
#pragma once
#include <functional>

#include "convert/expression.h"

namespace oarlock {

using Exprs = std::vector<Expr>;

/// One iteration: the next states and the outputs of this iteration.
struct IterationResult {
  Exprs states, outputs;
};

/// The results of a loop: the final states, and the outputs of all iterations, stacked.
struct LoopResult {
  Exprs states, outputs;
};

/// Iterates over slices of `sequences` along an axis; outputs are stacked along the same axis.
struct ScanAxisAndDirection {
  std::int64_t axis = 0;
  bool reverse = false;
};
using ScanBody = std::function<IterationResult(const Exprs& states, const Exprs& slices)>;
LoopResult build_scan(NodeContext& n, const ScanAxisAndDirection& along, const Exprs& states,
                      const Exprs& sequences, const ScanBody& body);

/// Runs `count` (int64[]) iterations; the body receives the iteration number.  Outputs are stacked
/// along a new first axis.
using LoopBody = std::function<IterationResult(const Expr& number, const Exprs& states)>;
LoopResult build_loop(NodeContext& n, Value count, const Exprs& states, const LoopBody& body);

}  // namespace oarlock
