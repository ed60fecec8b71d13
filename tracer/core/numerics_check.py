"""Check the results of ops for NaN and infinity while `FLAGS_check_nan_inf` is set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import cuda
from .dtype import is_float, work_dtype
from .errors import NumericsError, with_user_line
from .mode import Mode, WrapperMode, find_mode, remove_wrapper, state
from .op import Op
from .tensor import Tensor


class NumericsCheck(WrapperMode):
    """A mode that raises NumericsError if the result of an executed op contains NaN or infinity."""

    def with_inner(self, inner: Mode) -> NumericsCheck:
        """See the base class.over."""
        return NumericsCheck(inner)

    def run(self, op: Op, args: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """See the base class.run."""
        made = super().run(op, args, attrs)
        if self.bare:
            for tensor in _tensors(made):
                check_array(op.type, "its result", tensor.array)
        return made


def _tensors(made: Any) -> Iterator[Tensor]:
    for item in made if isinstance(made, list | tuple) else [made]:
        if isinstance(item, list | tuple):
            yield from _tensors(item)
        elif isinstance(item, Tensor):
            yield item


def check_array(op: str, name: str, array: Any) -> None:
    """Raise NumericsError if a floating array contains NaN or infinity."""
    if not is_float(array.dtype):
        return
    values = np.asarray(cuda.to_host(array)).astype(work_dtype(array.dtype), copy=False)
    if not np.isfinite(values).all():
        counts = (
            f"num_nan={int(np.isnan(values).sum())}, num_inf={int(np.isinf(values).sum())}, "
            f"num_zero={int((values == 0).sum())}"
        )
        what = f"{array.dtype.name}[{','.join(map(str, array.shape))}]"
        raise NumericsError(
            with_user_line(f"{op}: There are NAN or INF ({counts}) in {name} ({what})")
        )


def is_enabled() -> bool:
    """Whether this thread checks results."""
    return find_mode(state.mode, NumericsCheck) is not None


def set_enabled(on: bool) -> None:
    """Turn the check on or off for the ops of this thread."""
    plain = remove_wrapper(state.mode, NumericsCheck)
    state.mode = NumericsCheck(plain) if on else plain
