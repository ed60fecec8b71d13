"""Programs of eager tensors: indexing, in-place ops, the autograd engine, dtypes, 0-D tensors,
text, and modes.
"""

from . import (
    autograd,
    creation,
    dtypes,
    errors,
    hooks,
    indexing,
    inplace,
    methods,
    modes,
    text,
    zero_d,
)
