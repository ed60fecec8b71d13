"""Check that an op rejects operands, for the modules `test_rejections*`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from oarlock.core.errors import OpError
from oarlock.core.op import OPS
from oarlock.core.tensor import Tensor


def f(*shape: int, dtype: str = "float32") -> Any:
    """Ones of a shape."""
    return np.ones(shape, dtype)


def ix(*values: Any) -> Any:
    """An array of indices."""
    return np.array(values, "int64")


def assert_rejected(type: str, args: list[Any], attrs: dict[str, Any], words: str) -> None:
    """Assert that an op raises an OpError that begins with its public name and contains `words`."""
    tensors = [
        a if a is None else [Tensor(t) for t in a] if isinstance(a, list) else Tensor(a)
        for a in args
    ]
    with pytest.raises(OpError) as caught:
        OPS[type](*tensors, **attrs)
    assert str(caught.value).startswith(f"{OPS[type].public_name}: ")
    assert words in str(caught.value)
