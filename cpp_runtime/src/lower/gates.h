// Gates of recurrent networks, which ONNX has in another order.
#pragma once
#include "lower/expr.h"

namespace oarlock {

/// Blocks of `hidden` rows each, in another order.   [G*H,...] -> [1,G*H,...]; matrix: of two axes
Value gates_in_order(Node& n, const Value& weight, const Ints& order, std::int64_t hidden, bool matrix);

/// Weights of the older GRU ops, where they stand one behind the other in memory.   update and reset gate [H,2H],
/// candidate [H,H]
struct GruWeights {
  Expr gates, candidate;
  std::int64_t hidden;
};
GruWeights gru_weights(Node& n);

}  // namespace oarlock
