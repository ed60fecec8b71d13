// Gate order of recurrent networks, and NaN handling.
#pragma once
#include "convert/expression.h"

namespace oarlock {

/// Reorders blocks of `hidden` rows. [G*H,...] -> [1,G*H,...]; matrix: of two axes
Value reorder_gates(NodeContext& n, Value weight, const Ints& order, std::int64_t hidden,
                    bool matrix);

/// Weights of the older GRU ops, stored consecutively in memory: update and reset gate [H,2H],
/// candidate [H,H]
struct GruWeights {
  Expr gates, candidate;
  std::int64_t hidden;
};
GruWeights gru_weights(NodeContext& n);

/// An activation: Paddle's number and name, ONNX's name, and its formula.
struct Activation {
  std::int64_t number;
  std::string_view paddle, onnx;
  Expr (*apply)(const Expr& x);
};
using Activations = std::vector<const Activation*>;
/// The activation selected by a numeric attribute, as in older ops, or by a name.
const Activation& activation(const NodeContext& n, std::string_view attr,
                             std::int64_t default_value);
const Activation& activation(const NodeContext& n, std::string_view attr,
                             const char* default_value);

/// ONNX Runtime's LSTM and GRU clip activations, which hides NaN, and ignore rows beyond a length,
/// unlike Paddle.  NaN where an input row or state has one, else 0. rows: sums of the input's
/// [T,B]; states [D,B,*] -> [T,D,B]
Expr nan_mask(const Expr& rows, const Values& states);
/// Row sums of a value of three axes.
Expr row_sums(NodeContext& n, Value v);
/// Propagates NaN from its step on, backward for directions with `reverse` 1. [T,D,B] -> [T,D,B,1]
Expr propagate_nans(const Expr& nans, const Ints& reverse);

}  // namespace oarlock
