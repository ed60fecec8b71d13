"""The ops, one file per family.   Importing this package fills `oarlock.core.op.OPS`."""

from ..core import native as _native
from . import (
    activation,
    along,
    cast,
    compare,
    conv,
    create,
    dropout,
    elementwise,
    index,
    join,
    loss,
    matmul,
    maxpool,
    norm,
    pad,
    pool,
    random,
    reduce,
    shape,
    slice,
    softmax,
    sort,
    unary,
)

__all__ = [
    "activation", "along", "cast", "compare", "conv", "create", "dropout", "elementwise", "index", "join", "loss", "matmul",
    "maxpool", "norm", "pad", "pool", "random", "reduce", "shape", "slice", "softmax", "sort", "unary",
]  # fmt: skip

_native.use_native(_native.switch.on)
