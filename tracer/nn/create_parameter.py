"""Create parameters, for layers and standalone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, overload

from ..core import cuda, rng, unique_name
from ..core.dtype import parse_dtype
from ..core.errors import OarlockError, append_user_line
from ..core.mode import state
from ..core.parameter import Parameter
from ..core.type_aliases import DTypeLike
from .initializer import Constant, Initializer, XavierUniform, global_initializer
from .param_attr import ParamAttr
from .type_aliases import ParamAttrLike


def create_parameter_from_param_attr(
    attr: ParamAttr, shape: Any, dtype: Any, is_bias: bool, default: Initializer | None, prefix: str
) -> Parameter:
    """Create a parameter as its ParamAttr specifies.

    The first of these that is set initializes it: the initializer of `attr`, the global
    initializer, `default`, zeros for a bias, Xavier uniform for a weight.

    prefix: of the generated name
    """
    initializer = attr.initializer or global_initializer(is_bias) or default
    initializer = initializer or (Constant(0.0) if is_bias else XavierUniform())
    name = attr.name or unique_name.generate(f"{prefix}.{'b' if is_bias else 'w'}")
    if attr.reparameterize is not None:
        weight: Parameter = attr.reparameterize(
            name,
            shape,
            lambda n, s, record: _create_with_initializer(attr, n, s, dtype, initializer, record),
        )
        return weight
    return _create_with_initializer(attr, name, shape, dtype, initializer)


def _create_with_initializer(
    attr: ParamAttr,
    name: str,
    shape: Any,
    dtype: Any,
    initializer: Initializer,
    record_value: Any = None,
) -> Parameter:
    """Create a parameter. `initializer` computes its value; in a program, `record_value` (by
    default `initializer.record`) records the ops that compute it.
    """
    sizes = [int(d) for d in shape]
    builder = state.mode.program_builder
    if builder is not None:
        record = record_value or (lambda: initializer.record(sizes, dtype))
        # The program's seed is used for values that are drawn now, not by an op of the startup
        # program.
        with rng.use_program_seed_for_parameter():
            parameter: Parameter = builder.declare_parameter(
                name, sizes, dtype, attr.trainable, record
            )
    elif record_value is not None:
        raise OarlockError(
            append_user_line(
                f"{type(attr).__name__}: supported in static programs only; "
                f"call enable_static() first"
            )
        )
    else:
        # Initial values are computed on the CPU, so that they are the same for every device.
        with cuda.use_as_default_device(None), rng.use_program_seed_for_parameter():
            array = initializer.compute(sizes, dtype)
        parameter = Parameter(cuda.to_default_device(array), trainable=attr.trainable, name=name)
    parameter.optimize_attr["learning_rate"] = attr.learning_rate
    parameter.regularizer, parameter.need_clip = attr.regularizer, attr.need_clip
    parameter.do_model_average = attr.do_model_average
    return parameter


@overload
def create_parameter(
    shape: Sequence[int],
    dtype: DTypeLike,
    name: str | None = None,
    attr: ParamAttr | Initializer | str | Literal[True] | None = None,
    is_bias: bool = False,
    default_initializer: Initializer | None = None,
) -> Parameter: ...
@overload
def create_parameter(
    shape: Sequence[int],
    dtype: DTypeLike,
    name: str | None = None,
    *,
    attr: Literal[False],
    is_bias: bool = False,
    default_initializer: Initializer | None = None,
) -> None: ...
@overload
def create_parameter(
    shape: Sequence[int],
    dtype: DTypeLike,
    name: str | None = None,
    attr: ParamAttrLike | None = None,
    is_bias: bool = False,
    default_initializer: Initializer | None = None,
) -> Any: ...
def create_parameter(
    shape: Sequence[int],
    dtype: DTypeLike,
    name: str | None = None,
    attr: ParamAttrLike | None = None,
    is_bias: bool = False,
    default_initializer: Initializer | None = None,
) -> Parameter | None:
    """Create a parameter that belongs to no layer.

    The first of these that is set initializes it: the initializer of `attr`, the global initializer
    (`nn.initializer.set_global_initializer`), `default_initializer`, zeros for a bias, Xavier
    uniform for a weight.

    Parameters
    ----------
    shape : list of int
    dtype : str or dtype
    name : str, optional
        The name of the parameter; not used if `attr` is given.
    attr : ParamAttr, Initializer, str or False, optional
        Name, initialization and regularizer.
    is_bias : bool, default False
        Selects the default initialization.
    default_initializer : Initializer, optional

    Returns
    -------
    Parameter [*shape] or None
        None if `attr` is False.

    Raises
    ------
    OpError
        If `attr` has another type, or `dtype` is unknown.

    Examples
    --------
    >>> bias = paddle.create_parameter([3], "float32", is_bias=True)
    >>> bias.tolist(), bias.stop_gradient
    ([0.0, 0.0, 0.0], False)
    """
    spec = ParamAttr.of(name if attr is None else attr)
    if spec is None:
        return None
    prefix = unique_name.generate("create_parameter")
    return create_parameter_from_param_attr(
        spec, shape, parse_dtype(dtype).np, is_bias, default_initializer, prefix
    )
