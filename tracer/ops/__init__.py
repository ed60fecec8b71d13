"""The ops, one file per family.   Importing this package fills `oarlock.core.op.OPS`."""

from . import (
    activation,
    compare,
    conv,
    create,
    elementwise,
    index,
    loss,
    matmul,
    norm,
    pool,
    random,
    reduce,
    shape,
)

__all__ = [
    "activation", "compare", "conv", "create", "elementwise", "index", "loss", "matmul", "norm", "pool", "random", "reduce",
    "shape",
]  # fmt: skip
