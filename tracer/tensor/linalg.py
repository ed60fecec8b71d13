"""Products and norms of matrices and vectors."""

from __future__ import annotations

from typing import Any

from ..core.op import OPS
from ..core.tensor import Tensor
from .convert import axes_of
from .manipulation import flatten, t, transpose

__all__ = ["addmm", "bmm", "dot", "matmul", "mm", "mv", "norm", "t", "transpose"]
IN_PLACE = ["addmm", "t", "transpose"]


def matmul(
    x: Tensor, y: Tensor, transpose_x: bool = False, transpose_y: bool = False, name: str | None = None
) -> Tensor:
    """x @ y over the last two axes, the others broadcasting.   x [*A, M, K], y [*B, K, N] -> [*broadcast(A, B), M, N]"""
    if transpose_x or transpose_y:
        return OPS["matmul_v2"](x, y, trans_x=transpose_x, trans_y=transpose_y)
    return OPS["matmul_v2"](x, y)


def mm(input: Tensor, mat2: Tensor, name: str | None = None) -> Tensor:
    """The product of two matrices.   [M, K], [K, N] -> [M, N]"""
    return matmul(input, mat2)


def bmm(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Products of two batches of matrices.   [B, M, K], [B, K, N] -> [B, M, N]"""
    return OPS["bmm"](x, y)


def dot(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Inner products over the last axis.   [N], [N] -> []; [B, N], [B, N] -> [B]"""
    return OPS["dot"](x, y)


def mv(x: Tensor, vec: Tensor, name: str | None = None) -> Tensor:
    """Matrix times vector.   [M, N], [N] -> [M]"""
    return OPS["mv"](x, vec)


def addmm(
    input: Tensor, x: Tensor, y: Tensor, beta: float = 1.0, alpha: float = 1.0, name: str | None = None
) -> Tensor:
    """beta * input + alpha * (x @ y).   input [M, N], x [M, K], y [K, N] -> [M, N]"""
    return OPS["addmm"](input, x, y, Beta=float(beta), Alpha=float(alpha))


def norm(x: Tensor, p: Any = None, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """The norm over `axis`: Frobenius when p is None or 'fro', else the p-norm of a vector.   x [*] -> [* without axis]"""
    axes = axes_of(axis)
    if p in (None, "fro") and len(axes) != 1:
        return OPS["frobenius_norm"](x, dim=axes or [0], keep_dim=keepdim, reduce_all=not axes)
    order = 2.0 if p in (None, "fro") else float(p)
    if not axes:
        return OPS["p_norm"](flatten(x), porder=order, axis=-1, keepdim=keepdim)
    return OPS["p_norm"](x, porder=order, axis=axes[0], keepdim=keepdim)
