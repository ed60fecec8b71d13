"""The op hash, which hashes integers with XXH64, a hash function by Yann Collet
(https://github.com/Cyan4973/xxHash).
"""

from __future__ import annotations

from typing import Any

from ...core.arrays import np
from ...core.op import HOST_PYTHON_LOOP, NO_GRAD_NON_FLOAT_RESULT, Long, Meta, check, op
from ..shared_op_rules import num_elements

P1, P2, P3, P4, P5 = (
    np.uint64(p)
    for p in (
        11400714785074694791,
        14029467366897019727,
        1609587929392839161,
        9650029242287828579,
        2870177450012600261,
    )
)


def _rotate_left(x: Any, bits: int) -> Any:
    return (x << np.uint64(bits)) | (x >> np.uint64(64 - bits))


def _xxh64_round(held: Any, lane: Any) -> Any:
    return _rotate_left(held + lane * P2, 31) * P1


def _hash_stripes(lanes: Any, seed: Any) -> Any:
    """The part of XXH64 that hashes stripes of 32 bytes in four lanes.

    lanes uint64 [rows, 4 k]
    """
    held = [
        np.broadcast_to(start, lanes.shape[:1])
        for start in (seed + P1 + P2, seed + P2, seed, seed - P1)
    ]
    for at in range(0, lanes.shape[1], 4):
        held = [_xxh64_round(h, lanes[:, at + i]) for i, h in enumerate(held)]
    found = sum(_rotate_left(h, bits) for h, bits in zip(held, (1, 7, 12, 18), strict=True))
    for h in held:
        found = (found ^ _xxh64_round(np.uint64(0), h)) * P1 + P4
    return found


@np.errstate(over="ignore")
def xxh64_of_rows(rows: Any, seed: int) -> Any:
    """The XXH64 hash of each row. rows uint32 [n, k] -> uint64 [n]"""
    words, start = rows.shape[1], np.uint64(seed)
    lanes = np.ascontiguousarray(rows[:, : words // 2 * 2]).view("<u8")
    whole = words // 8 * 4
    found = _hash_stripes(lanes[:, :whole], start) if whole else np.full(len(rows), start + P5)
    found = found + np.uint64(4 * words)
    for at in range(whole, lanes.shape[1]):
        found = _rotate_left(found ^ _xxh64_round(np.uint64(0), lanes[:, at]), 27) * P1 + P4
    if words % 2:
        found = _rotate_left(found ^ (rows[:, -1].astype(np.uint64) * P1), 23) * P2 + P3
    found = (found ^ (found >> np.uint64(33))) * P2
    found = (found ^ (found >> np.uint64(29))) * P3
    return found ^ (found >> np.uint64(32))


@op("hash", "X -> Out", no_grad_reason=NO_GRAD_NON_FLOAT_RESULT, host_reason=HOST_PYTHON_LOOP)
def hash_rows(x, *, num_hash: int = 1, mod_by: Long = 100000):
    """Out = num_hash hashes of each row of X: the XXH64 hashes of its bytes with the seeds from 0
    to num_hash - 1, modulo mod_by.

    X int [*,D] -> Out [rows,num_hash,1]
    """
    rows = np.ascontiguousarray(x.reshape(-1, x.shape[-1])).view("<u4")
    found = np.stack(
        [xxh64_of_rows(rows, seed) % np.uint64(mod_by) for seed in range(num_hash)], axis=1
    )
    return found.astype(x.dtype)[:, :, None]


@hash_rows.meta
def _(x, *, num_hash, mod_by):
    check(x.dtype.name in ("int32", "int64"), "X is not of int32 or int64")
    check(len(x.shape) > 1, "X needs two axes")
    return Meta((num_elements(x.shape[:-1]), num_hash, 1), x.dtype)
