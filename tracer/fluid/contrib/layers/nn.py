"""Layers that are compositions of several ops."""

from __future__ import annotations

from typing import Any

from ....core.errors import OpError, append_user_line
from ....core.op import OPS
from ... import layers

__all__ = [
    "fused_elemwise_activation",
    "fused_embedding_seq_pool",
    "partial_concat",
    "partial_sum",
    "shuffle_batch",
]


def fused_elemwise_activation(
    x: Any,
    y: Any,
    functor_list: Any,
    axis: int = -1,
    scale: float = 0.0,
    save_intermediate_out: bool = True,
) -> Any:
    """Composition of a unary and a binary function: ['elementwise_add', 'relu'] is x + relu(y),
    ['relu', 'elementwise_add'] is relu(x + y).

    Returns the shape of x.
    """
    names = functor_list.split(",") if isinstance(functor_list, str) else list(functor_list)
    if len(names) != 2 or sum(n.startswith("elementwise_") for n in names) != 1:
        raise OpError(
            append_user_line(
                f"fused_elemwise_activation: functor_list={functor_list!r} must contain one "
                f"binary (elementwise_*) and one unary op"
            )
        )

    def apply_unary(name: str, value: Any) -> Any:
        return OPS[name](value, scale=float(scale)) if name == "scale" else OPS[name](value)

    if names[0].startswith("elementwise_"):
        return OPS[names[0]](x, apply_unary(names[1], y), axis=axis)
    return apply_unary(names[0], OPS[names[1]](x, y, axis=axis))


def fused_embedding_seq_pool(
    input: Any,
    size: Any,
    is_sparse: bool = False,
    padding_idx: int | None = None,
    combiner: str = "sum",
    param_attr: Any = None,
    dtype: Any = "float32",
) -> Any:
    """Look up rows of a table [N, D] and pool each sequence.

    input: int [R, 1] with LoD.
    Returns [n, D].
    """
    rows = layers.embedding(
        input, size, is_sparse, padding_idx=padding_idx, param_attr=param_attr, dtype=dtype
    )
    return layers.sequence_pool(rows, combiner)


def _slice_columns(x: Any, start: int, length: int) -> Any:
    start = start % int(x.meta.shape[1])
    end = 2**31 - 1 if length < 0 else start + length
    return OPS["slice"](x, axes=[1], starts=[start], ends=[end], infer_flags=[1], decrease_axis=[])


def partial_concat(input: Any, start_index: int = 0, length: int = -1) -> Any:
    """Concatenate the same columns of several matrices; length=-1: all columns from start_index on.

    input: list of [N, D].
    Returns [N, length * len(input)].
    """
    return OPS["concat"]([_slice_columns(x, start_index, length) for x in input], axis=1)


def partial_sum(input: Any, start_index: int = 0, length: int = -1) -> Any:
    """Add the same columns of several matrices; length=-1: all columns from start_index on.

    input: list of [N, D].
    Returns [N, length].
    """
    return OPS["sum"]([_slice_columns(x, start_index, length) for x in input])


def shuffle_batch(x: Any, seed: Any = None) -> Any:
    """Shuffle rows: [*, D] -> [*, D]."""
    rows = OPS["reshape2"](x, shape=[-1, int(x.meta.shape[-1])])
    noise = OPS["fill_any_like"](OPS["reduce_sum"](rows, dim=[1]), value=1.0)
    order = OPS["argsort"](OPS["exponential"](noise))[1]
    sizes = [0] * (x.ndim - 1) + [int(x.meta.shape[-1])]
    return OPS["reshape2"](OPS["gather"](rows, order), shape=sizes)
