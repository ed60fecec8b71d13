"""The ops, one file per family.   Importing this package fills `oarlock.core.op.OPS`."""

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
