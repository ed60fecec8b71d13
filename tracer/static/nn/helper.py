"""Common steps of the functions of static.nn: naming, creation of parameters, bias and
activation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from ...capture.variable import Variable
from ...core import unique_name
from ...core.dtype import is_inexact, parse_dtype
from ...core.errors import OarlockError, OperandError, OpError, append_user_line
from ...core.mode import state
from ...core.op import OPS
from ...core.operand_checks import axis_out_of_range_error
from ...core.paddle1_compat import compat
from ...core.tensor import Tensor
from ...nn.create_parameter import create_parameter_from_param_attr
from ...nn.initializer import Initializer
from ...nn.param_attr import ParamAttr


class LayerHelper:
    """State of one call of a function that creates parameters, such as `fc`: the names and
    attributes of the parameters.

    name: such as `fc_0`; prefix of the names of parameters and outputs
    """

    def __init__(self, layer_type: str, name: str | None, *operands: Any) -> None:
        self.layer_type = layer_type
        is_recording = state.mode.program_builder is not None
        if not is_recording and not compat.rules.creates_parameters_in_eager_mode:
            raise OarlockError(
                append_user_line(
                    f"{layer_type}: creates parameters of a static graph program; call "
                    "enable_static() first"
                )
            )
        for operand in operands:
            if not isinstance(operand, Variable if is_recording else Tensor):
                expected = "variable of the program" if is_recording else "tensor"
                raise TypeError(
                    append_user_line(f"{layer_type}: {type(operand).__name__} is not a {expected}")
                )
        self.name = name or unique_name.generate(layer_type)

    def create_parameter(
        self,
        attr: Any,
        shape: Sequence[int],
        dtype: Any,
        is_bias: bool = False,
        default_initializer: Initializer | None = None,
    ) -> Any:
        """Create a parameter and return it; create nothing and return None if attr is False.

        Raises OperandError for dtypes that are not floating-point.
        """
        spec = ParamAttr.of(attr)
        if not is_inexact(parse_dtype(dtype).np):
            raise OperandError(
                append_user_line(
                    f"{self.layer_type}: operands must be floating-point, "
                    f"not {parse_dtype(dtype).name}"
                )
            )
        if spec is None:
            return None
        return create_parameter_from_param_attr(
            spec, shape, parse_dtype(dtype).np, is_bias, default_initializer, self.name
        )

    @contextmanager
    def prefixing_output_names(self) -> Iterator[None]:
        """Context manager: the names of outputs of ops recorded in its body start with the name of
        this layer call.
        """
        builder = state.mode.program_builder
        with (
            nullcontext() if builder is None else builder.recorder.prefixing_output_names(self.name)
        ):
            yield

    def add_bias(self, x: Any, attr: Any, axis: int, size: int | None = None) -> Any:
        """Create a bias and return x plus the bias along `axis`; return x itself if attr is
        False.
        """
        width = x.meta.shape[axis] if size is None else size
        bias = self.create_parameter(attr, [width], x.dtype, is_bias=True)
        return x if bias is None else OPS["elementwise_add"](x, bias, axis=axis)

    def activate(self, x: Any, act: str | dict[str, Any] | None) -> Any:
        """Apply an activation to x and return the result, see `apply_activation`."""
        return apply_activation(self.layer_type, x, act)


def apply_activation(caller: str, x: Any, act: str | dict[str, Any] | None) -> Any:
    """Apply an activation to x. The activation is given by the type of its op, or by a dict with
    the type and attributes.

    Returns x if act is None. Raises OpError if it is not an activation.
    caller: layer type for error messages
    """

    if act is None:
        return x
    attrs = dict(act) if isinstance(act, dict) else {"type": act}
    name = attrs.pop("type")
    op = OPS.get(name)
    if (
        op is None
        or [(s.name, s.is_list) for s in op.ins if not s.is_optional] != [("X", False)]
        or not op.has_single_output
    ):
        raise OpError(append_user_line(f"{caller}: act={name!r} is not an activation"))
    return op(x, **attrs)


def require_static_size(caller: str, x: Any, axis: int) -> int:
    """Return the size of an axis of x. Raises OpError if the size of the axis is dynamic."""
    try:
        size = x.meta.shape[axis]
    except IndexError:
        raise axis_out_of_range_error(x, axis) from None
    if size < 0:
        raise OpError(
            append_user_line(f"{caller}: the size of axis {axis} is dynamic (X={x.meta})")
        )
    return int(size)
