// Convolutions and matrix multiplications of quantized operands: forms that engines compute in
// eight bits.  A step is the distance between two levels: the scale of ONNX.
#pragma once
#include "convert/node_context.h"

namespace oarlock {

/// `output` + `bias` as one node with the bias in int32, if `output` is that of a Conv or of a
/// MatMul of two matrices whose operands are dequantized with constant steps, and `bias` is a
/// constant with one element per output channel; else Value{}.  Engines do not compute a Conv in
/// eight bits if a separate Add follows.
Value try_add_bias_to_quantized_conv_or_matmul(NodeContext& n, Value output, Value bias);

/// x @ y as MatMulInteger, if `x` is dequantized with a step that is known only at run time, and
/// `y` is a dequantized matrix of weights; else Value{}.
Value try_emit_dynamically_quantized_matmul(NodeContext& n, Value x, Value y);

/// The operand `x` for a multiplication by `y`: if both are dequantized with constant steps, the
/// output of a DequantizeLinear node of its own, because ONNX Runtime fuses a MatMul only with
/// nodes that no other node reads. Returns `x` itself if an operand is not dequantized with
/// constant steps.
Value copy_dequantize_for_matmul(NodeContext& n, Value x, Value y);

/// Whether no element of `v` is negative, as far as the ops of the nodes that compute it show.
bool is_known_nonnegative(const NodeContext& n, Value v);

/// The elements of a float32 constant; nullopt for other values.
std::optional<std::vector<float>> find_constant_floats(const NodeContext& n, Value v);

}  // namespace oarlock
