"""LoDTensors from arrays and sequence lengths."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import ArgumentAssertionError, append_user_line
from ..ir.lod import are_lod_levels_consistent, lengths_to_offsets
from ..ir.scope_values import LoDTensor

__all__ = ["LoDTensor", "LoDTensorArray", "create_lod_tensor", "create_random_int_lodtensor"]


class LoDTensorArray(list[Any]):
    """A list of LoDTensors."""


def create_lod_tensor(data: Any, recursive_seq_lens: Any, place: Any = None) -> LoDTensor:
    """Create a LoDTensor with sequence lengths by level.

    data: an array [rows, *], a LoDTensor, or one list of numbers per sequence

    Raises OpError if the lengths do not fit the rows.
    """
    if isinstance(data, LoDTensor):
        return create_lod_tensor(np.asarray(data), recursive_seq_lens, place)
    if isinstance(data, list):
        lengths = [len(sequence) for sequence in data]
        if [lengths] != [list(level) for level in recursive_seq_lens]:
            raise ArgumentAssertionError(
                append_user_line(
                    f"create_lod_tensor: the lists have the lengths {lengths}, not "
                    f"{recursive_seq_lens}"
                )
            )
        data = np.concatenate(
            [np.asarray(sequence, np.int64).reshape(len(sequence), -1) for sequence in data]
        )
    array = np.asarray(data)
    offsets = lengths_to_offsets(recursive_seq_lens)
    if not are_lod_levels_consistent(offsets, len(array)):
        why = f"the lengths {recursive_seq_lens} do not fit {len(array)} rows"
        raise ArgumentAssertionError(append_user_line(f"create_lod_tensor: {why}"))
    return LoDTensor(array, offsets)


def create_random_int_lodtensor(
    recursive_seq_lens: Any, base_shape: Any, place: Any, low: int, high: int
) -> LoDTensor:
    """Create a LoDTensor of random integers in [low, high], int64 [rows, *base_shape]."""
    rows = sum(recursive_seq_lens[-1])
    return create_lod_tensor(
        np.random.randint(low, high + 1, (rows, *base_shape)), recursive_seq_lens, place
    )
