// Helpers of the rules of recurrent networks: ONNX's gate order, activations by number or name, and
// the NaNs that ONNX Runtime's LSTM and GRU would hide.
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
GruWeights split_legacy_gru_weight(NodeContext& n);

/// An activation: Paddle's number and name, ONNX's name, and its formula.
struct ActivationRow {
  std::int64_t number;
  std::string_view paddle, onnx;
  Expr (*apply)(const Expr& x);
};
using Activations = std::vector<const ActivationRow*>;
/// The activation selected by a numeric attribute, as in older ops, or by a name.
const ActivationRow& read_activation_attr(const NodeContext& n, std::string_view attr,
                                          std::int64_t default_value);
const ActivationRow& read_activation_attr(const NodeContext& n, std::string_view attr,
                                          const char* default_value);

/// NaN where an input row or an initial state contains NaN, else 0. Rules add these values to
/// results, because ONNX Runtime's LSTM and GRU hide NaN: they clip activations, and they ignore
/// rows beyond the length of a sequence. rows: sums of the input's rows, [T,B]; states [D,B,*] ->
/// [T,D,B]
Expr nan_or_zero_from_row_sums_and_states(const Expr& rows, const Values& states);
/// Row sums of a value of three axes.
Expr sum_last_axis_of_rank_3(NodeContext& n, Value v);
/// Propagates each NaN to all later steps; to all earlier steps for directions with `reverse` 1.
/// [T,D,B] -> [T,D,B,1]
Expr propagate_nans_to_later_steps(const Expr& nans, const Ints& reverse);

}  // namespace oarlock
