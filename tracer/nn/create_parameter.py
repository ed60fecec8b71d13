"""Parameters: as a layer makes them, and alone."""

from __future__ import annotations

from typing import Any

from ..core import cuda, rng, unique_name
from ..core.dtype import dtype_of
from ..core.errors import OarlockError, with_user_line
from ..core.mode import state
from ..core.parameter import Parameter
from .initializer import Constant, Initializer, XavierUniform, global_initializer
from .param_attr import ParamAttr


def made_parameter(
    spec: ParamAttr, shape: Any, dtype: Any, is_bias: bool, start: Initializer | None, owner: str
) -> Parameter:
    """A parameter as spec says, else as start, else zeros for a bias and Xavier uniform for a
    weight.

    owner: what its name begins with
    """
    start = spec.initializer or global_initializer(is_bias) or start
    start = start or (Constant(0.0) if is_bias else XavierUniform())
    name = spec.name or unique_name.generate(f"{owner}.{'b' if is_bias else 'w'}")
    if spec.composed is not None:
        made: Parameter = spec.composed(
            name, shape, lambda n, s, first: _made(spec, n, s, dtype, start, first)
        )
        return made
    return _made(spec, name, shape, dtype, start)


def _made(
    spec: ParamAttr, name: str, shape: Any, dtype: Any, start: Initializer, first: Any = None
) -> Parameter:
    """A parameter that starts as `start` says, in a program as `first` gives."""
    sizes = [int(d) for d in shape]
    builder = state.mode.builder
    if builder is not None:
        recorded = first or (lambda: start.recorded(sizes, dtype))
        with rng.parameter_seed():  # for values drawn now, not by an op of the startup program
            made: Parameter = builder.parameter(name, sizes, dtype, spec.trainable, recorded)
    elif first is not None:
        raise OarlockError(
            with_user_line(
                f"{type(spec).__name__}: is there in programs only; call enable_static() before"
            )
        )
    else:
        with (
            cuda.use_default_device(None),
            rng.parameter_seed(),
        ):  # The same library creates the array for every device.
            array = start.make(sizes, dtype)
        made = Parameter(cuda.to_default_device(array), trainable=spec.trainable, name=name)
    made.optimize_attr["learning_rate"] = spec.learning_rate
    made.regularizer, made.need_clip = spec.regularizer, spec.need_clip
    made.do_model_average = spec.do_model_average
    return made


def create_parameter(
    shape: Any,
    dtype: Any,
    name: str | None = None,
    attr: Any = None,
    is_bias: bool = False,
    default_initializer: Initializer | None = None,
) -> Parameter | None:
    """A parameter of no layer, None when attr is False.

    -> [*shape]

    Starts as attr says, else as default_initializer, else zeros for a bias and Xavier uniform for a
    weight.
    """
    spec = ParamAttr.of(name if attr is None else attr)
    if spec is None:
        return None
    owner = unique_name.generate("create_parameter")
    return made_parameter(spec, shape, dtype_of(dtype).np, is_bias, default_initializer, owner)
