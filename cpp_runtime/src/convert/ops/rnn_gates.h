// Recurrent networks: gates, which ONNX has in another order, and the numbers that its kernels
// hide.
#pragma once
#include "convert/expression.h"

namespace oarlock {

/// Blocks of `hidden` rows each, in another order.   [G*H,...] -> [1,G*H,...]; matrix: of two axes
Value gates_in_order(Node& n, const Value& weight, const Ints& order, std::int64_t hidden,
                     bool matrix);

/// Weights of the older GRU ops, where they stand one behind the other in memory.   update and
/// reset gate [H,2H], candidate [H,H]
struct GruWeights {
  Expr gates, candidate;
  std::int64_t hidden;
};
GruWeights gru_weights(Node& n);

/// An activation as Paddle numbers and names it, as ONNX names it, and what it does.
struct Activation {
  std::int64_t number;
  std::string_view paddle, onnx;
  Expr (*of)(const Expr& x);
};
using Activations = std::vector<const Activation*>;
/// By an attribute that is a number, as the older ops have it, or a name.
const Activation& activation(const Node& n, std::string_view attr, std::int64_t otherwise);
const Activation& activation(const Node& n, std::string_view attr, const char* otherwise);

/// ONNX Runtime's LSTM and GRU clip what goes into their activations, NaN to a number with it; and
/// no kernel looks at what is behind a length, as Paddle does.   NaN where a row of the input or of
/// a state holds one, else 0. rows: sums of the input's [T,B]; states [D,B,*] -> [T,D,B]
Expr not_numbers(const Expr& rows, const Values& states);
/// Sums of the rows of a value of three axes.
Expr row_sums(Node& n, const Value& v);
/// NaN stays from its step on, which is the way back where `reverse` says 1, one for each
/// direction. [T,D,B] -> [T,D,B,1]
Expr lasting(const Expr& nans, const Ints& reverse);

}  // namespace oarlock
