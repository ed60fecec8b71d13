// Products of quantized operands: forms that engines compute in eight bits.
#pragma once
#include "convert/node_context.h"

namespace oarlock {

/// product + bias as one node with the bias in int32, if `product` is a Conv or a MatMul of two
/// matrices whose operands are dequantized by constant steps, and `bias` is a constant with one
/// element per output channel; else Value{}.  Engines do not compute a Conv in eight bits if a
/// separate Add follows.
Value try_add_bias_to_quantized_product(NodeContext& n, Value product, Value bias);

/// x @ y as MatMulInteger, if `x` is dequantized by a step that is known only at run time, and `y`
/// is a dequantized matrix of weights; else Value{}.
Value try_emit_dynamically_quantized_matmul(NodeContext& n, Value x, Value y);

/// `x` for a product with `y`: if both are dequantized by constant steps, a DequantizeLinear of its
/// own, because ONNX Runtime does not fuse products that share one.  Otherwise `x`.
Value copy_dequantize_for_product(NodeContext& n, Value x, Value y);

/// Whether no element of `v` is negative, as far as the nodes that compute it tell.
bool is_known_nonnegative(const NodeContext& n, Value v);

/// The floats of a constant; nullopt for other values.
std::optional<std::vector<float>> find_constant_floats(const NodeContext& n, Value v);

}  // namespace oarlock
