"""Sequences in the order of their lengths: `lod_rank_table`, `reorder_lod_tensor_by_rank`."""

from __future__ import annotations

import numpy as np

from ..core.op import WHOLE, Meta, check, op
from .lod import lengths, offsets_from, ranges
from .meta import agree, like_x, no_second_order


@op("lod_rank_table", "X, X@LOD*?! -> Out", no_grad=WHOLE)
def lod_rank_table(x, lod=None, *, level: int = 0):
    """Out = the number and the length of each sequence of a level, the longest first, of equal ones the first.   X [R,*] -> int64 [n,2]"""
    check(0 <= level < len(lod or ()), f"X holds no sequences at level {level}")
    counts = lengths(np.asarray(lod[level], np.int64))
    order = np.argsort(-counts, kind="stable")
    return np.stack([order, counts[order]], axis=1)


@lod_rank_table.meta
def _(x, lod, *, level):
    return Meta((-1, 2), np.dtype(np.int64))


def _order(x, lod, table):
    """The rows of X in the order of a table, and the lengths of each level in that order."""
    which, found = table[:, 0], []
    check(len(which) == (len(lod[0]) - 1 if lod else x.shape[0]), "RankTable is of another number of sequences")
    for level in lod or []:
        offsets = np.asarray(level, np.int64)
        counts = lengths(offsets)[which]
        found.append(counts)
        which = ranges(offsets[:-1][which], counts)
    return which, found


@op("reorder_lod_tensor_by_rank", "X, X@LOD*?!, RankTable! -> Out")
def reorder_lod_tensor_by_rank(x, lod=None, table=None):
    """Out = the sequences of X, or rows where it holds none, in the order of RankTable.   X [R,*], RankTable int64 [n,2] -> Out [R,*]"""
    return x[_order(x, lod, table)[0]]


@reorder_lod_tensor_by_rank.meta
def _(x, lod, table):
    check(len(table.shape) == 2 and agree(table.shape[1], 2), "RankTable is not of a lod_rank_table")
    return x


@reorder_lod_tensor_by_rank.lod(lambda x, *_: x)
def _(x, lod=None, table=None):
    return [offsets_from(counts) for counts in _order(x, lod, table)[1]]


@reorder_lod_tensor_by_rank.vjp
def _(g, x, lod, table):
    return reorder_lod_tensor_by_rank_grad(x, lod, table, g), None, None


@op("reorder_lod_tensor_by_rank_grad", "X, X@LOD*?!, RankTable, Out@GRAD -> X@GRAD", meta=like_x, internal=True)
def reorder_lod_tensor_by_rank_grad(x, lod=None, table=None, g=None):
    """The gradient of X: back in the order that it had.   [R,*] -> [R,*]"""
    back = np.empty_like(g)
    back[_order(x, lod, table)[0]] = g
    return back


reorder_lod_tensor_by_rank_grad.vjp(no_second_order("reorder_lod_tensor_by_rank"))
