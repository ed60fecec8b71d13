"""The mode of `auto_cast`: before an op runs, its operands are cast to the dtype that the lists
say.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np

from ..core.dtype import HALF, DType, float32
from ..core.mode import Mode, WrapperMode, state
from ..core.op import OPS, Op
from ..core.parameter import Parameter
from ..core.tensor import Tensor
from .amp_lists import Lists


class Settings(NamedTuple):
    """What auto_cast was asked for.

    promote: an op of neither list runs in float32 if any operand is.
    """

    level: str
    dtype: DType
    lists: Lists
    promote: bool


class Cast(NamedTuple):
    """A parameter that was cast.

    array: what it held then.
    """

    parameter: Parameter
    array: Any
    made: Tensor


def tensors_of(args: tuple[Any, ...]) -> list[Tensor]:
    """All tensors among operands."""
    found: list[Tensor] = []
    for arg in args:
        found += [] if arg is None else [arg] if isinstance(arg, Tensor) else arg
    return found


class Amp(WrapperMode):
    """Operands are cast as `settings` say, by `cast` ops of the inner mode, so that gradients and
    programs know of them.

    A parameter is cast once in a block, for as long as its value and the tape behind the cast are
    there.
    """

    def __init__(
        self, inner: Mode, settings: Settings, casts: dict[Any, Cast] | None = None
    ) -> None:
        super().__init__(inner)
        self.settings = settings
        self.casts: dict[Any, Cast] = {} if casts is None else casts

    def with_inner(self, inner: Mode) -> Amp:
        """The same casts around another mode."""
        return Amp(inner, self.settings, self.casts)

    def cache_key(self) -> Hashable:
        """The settings and the key of the inner mode."""
        level, dtype, lists, promote = self.settings
        return level, dtype.name, tuple(map(frozenset, lists)), promote, self.inner.cache_key()

    def run(self, op: Op, args: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """Cast the inputs, then run the op in the inner mode."""
        before, state.mode = state.mode, self.inner
        try:
            with np.errstate(all="ignore"):  # what half precision cannot hold is infinite
                return op(*(args if op.type == "cast" else self._cast_all(op, args)), **attrs)
        finally:
            state.mode = before

    def _cast_all(self, op: Op, args: tuple[Any, ...]) -> tuple[Any, ...]:
        seen = args[:1] if op.traits.amp_casts_only_x else args
        target = self._target(op, seen)
        return (*(self._cast_slot(a, target) for a in seen), *args[len(seen) :])

    def _target(self, op: Op, args: tuple[Any, ...]) -> DType:
        level, dtype, lists, promote = self.settings
        if op.type in lists.white:
            return dtype
        if op.type in lists.black or op.traits.no_half or level == "OD":
            return float32
        single = promote and any(t.meta.dtype == float32.np for t in tensors_of(args))
        return float32 if single else dtype

    def _cast_slot(self, arg: Any, target: DType) -> Any:
        if isinstance(arg, list | tuple):
            return [self._cast(t, target) for t in arg]
        return None if arg is None else self._cast(arg, target)

    def _cast(self, tensor: Tensor, target: DType) -> Tensor:
        dtype = tensor.meta.dtype
        if dtype == target.np or not (dtype == float32.np or dtype in HALF):
            return tensor
        if isinstance(tensor, Parameter) and self.is_eager:
            return self._cast_parameter(tensor, target)
        return _casted(tensor, target)

    def _cast_parameter(self, parameter: Parameter, target: DType) -> Tensor:
        key = (id(parameter), target.proto, self.tape)
        held = self.casts.get(key)
        if held is not None and held.array is parameter.array:
            node = held.made.node
            # Otherwise an earlier backward() has freed the graph of the cast.
            if node is None or node.args is not None:
                return held.made
        made = _casted(parameter, target)
        self.casts[key] = Cast(parameter, parameter.array, made)
        return made


def _casted(tensor: Tensor, target: DType) -> Tensor:
    found: Tensor = OPS["cast"](tensor, in_dtype=tensor.dtype.proto, out_dtype=target.proto)
    return found
