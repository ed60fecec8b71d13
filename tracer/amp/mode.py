"""The mode of `auto_cast`: casts the inputs of each op to the dtype that the lists specify."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np

from ..core.dtype import HALF_DTYPES, DType, float32
from ..core.mode import Mode, WrapperMode, state
from ..core.op import OPS, Op
from ..core.parameter import Parameter
from ..core.tensor import Tensor
from .amp_lists import AmpOpLists


class AmpSettings(NamedTuple):
    """Arguments of auto_cast.

    promote: an op of neither list runs in float32 if any input is float32
    """

    level: str
    dtype: DType
    lists: AmpOpLists
    promote: bool


class CachedParameterCast(NamedTuple):
    """A cast parameter.

    array: its value at the time of the cast.
    result: the cast tensor.
    """

    parameter: Parameter
    array: Any
    result: Tensor


def tensors_in_op_args(args: tuple[Any, ...]) -> list[Tensor]:
    """Return all tensors among the inputs of an op, including those in lists."""
    tensors: list[Tensor] = []
    for arg in args:
        tensors += [] if arg is None else [arg] if isinstance(arg, Tensor) else arg
    return tensors


class AmpMode(WrapperMode):
    """Dispatch mode that casts inputs of ops by `cast` ops of the inner mode, so that the casts are
    differentiated and captured.

    A parameter is cast once in a block, as long as its value and the graph of the cast exist.
    """

    def __init__(
        self,
        inner: Mode,
        settings: AmpSettings,
        casts: dict[Any, CachedParameterCast] | None = None,
    ) -> None:
        super().__init__(inner)
        self.settings = settings
        self.casts: dict[Any, CachedParameterCast] = {} if casts is None else casts

    def with_inner_mode(self, inner: Mode) -> AmpMode:
        """Return an AmpMode around another mode, with the same settings and the same cache of cast
        parameters.
        """
        return AmpMode(inner, self.settings, self.casts)

    def cache_key(self) -> Hashable:
        """A key of the settings of auto_cast and of the inner mode."""
        level, dtype, lists, promote = self.settings
        return level, dtype.name, tuple(map(frozenset, lists)), promote, self.inner.cache_key()

    def run(self, op: Op, args: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """Cast the inputs of the op, then run the op in the inner mode."""
        outer_mode, state.mode = state.mode, self.inner
        try:
            with np.errstate(all="ignore"):  # half precision may overflow to infinity
                return op(*(args if op.type == "cast" else self._cast_op_args(op, args)), **attrs)
        finally:
            state.mode = outer_mode

    def _cast_op_args(self, op: Op, args: tuple[Any, ...]) -> tuple[Any, ...]:
        cast_args = args[:1] if op.traits.amp_casts_only_x else args
        target = self._target_dtype(op, cast_args)
        return (*(self._cast_slot(a, target) for a in cast_args), *args[len(cast_args) :])

    def _target_dtype(self, op: Op, args: tuple[Any, ...]) -> DType:
        level, dtype, lists, promote = self.settings
        if op.type in lists.white:
            return dtype
        if op.type in lists.black or op.traits.no_half_reason or level == "OD":
            return float32
        has_float32 = promote and any(t.meta.dtype == float32.np for t in tensors_in_op_args(args))
        return float32 if has_float32 else dtype

    def _cast_slot(self, arg: Any, target: DType) -> Any:
        if isinstance(arg, list | tuple):
            return [self._cast_float_tensor_if_needed(t, target) for t in arg]
        return None if arg is None else self._cast_float_tensor_if_needed(arg, target)

    def _cast_float_tensor_if_needed(self, tensor: Tensor, target: DType) -> Tensor:
        dtype = tensor.meta.dtype
        if dtype == target.np or not (dtype == float32.np or dtype in HALF_DTYPES):
            return tensor
        if isinstance(tensor, Parameter) and self.is_eager:
            return self._cast_parameter(tensor, target)
        return _run_cast_op(tensor, target)

    def _cast_parameter(self, parameter: Parameter, target: DType) -> Tensor:
        key = (id(parameter), target.proto, self.tape)
        cached = self.casts.get(key)
        if cached is not None and cached.array is parameter.array:
            node = cached.result.node
            # A cached cast without `args` cannot be used: an earlier backward() has freed its
            # graph.
            if node is None or node.args is not None:
                return cached.result
        result = _run_cast_op(parameter, target)
        self.casts[key] = CachedParameterCast(parameter, parameter.array, result)
        return result


def _run_cast_op(tensor: Tensor, target: DType) -> Tensor:
    out: Tensor = OPS["cast"](tensor, in_dtype=tensor.dtype.proto, out_dtype=target.proto)
    return out
