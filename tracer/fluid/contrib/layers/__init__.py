"""Layers that few models have: fluid.contrib.layers."""

from .nn import fused_elemwise_activation, fused_embedding_seq_pool, partial_concat, partial_sum, shuffle_batch

__all__ = ["fused_elemwise_activation", "fused_embedding_seq_pool", "partial_concat", "partial_sum", "shuffle_batch"]
