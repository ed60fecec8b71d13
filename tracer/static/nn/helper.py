"""What the functions of static.nn share: a name, parameters under it, an activation at the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from ...capture.variable import Variable
from ...core import unique_name
from ...core.dtype import dtype_of, is_float
from ...core.errors import OarlockError, OperandError, OpError, with_user_line
from ...core.mode import state
from ...core.op import OPS
from ...core.operand_checks import no_axis_error
from ...core.paddle1_compat import compat
from ...core.tensor import Tensor
from ...nn.create_parameter import parameter_from_attr
from ...nn.initializer import Initializer
from ...nn.param_attr import ParamAttr


class Helper:
    """Of one call of such a function.

    name: `fc_0`, what its parameters and results are named after
    """

    def __init__(self, kind: str, name: str | None, *operands: Any) -> None:
        self.kind = kind
        written = state.mode.builder is not None
        if not written and not compat.is_paddle1:  # Paddle 1.x created new parameters at each call.
            raise OarlockError(
                with_user_line(
                    f"{kind}: makes parameters of a program; call enable_static() before"
                )
            )
        for operand in operands:
            if not isinstance(operand, Variable if written else Tensor):
                why = (
                    f"takes a {'variable of the program' if written else 'tensor'}, not "
                    f"{type(operand).__name__}"
                )
                raise TypeError(with_user_line(f"{kind}: {why}"))
        self.name = name or unique_name.generate(kind)

    def parameter(
        self,
        attr: Any,
        shape: Sequence[int],
        dtype: Any,
        is_bias: bool = False,
        start: Initializer | None = None,
    ) -> Any:
        """A parameter, None where attr is False.

        Raises OperandError for one of integers, which nothing could train.
        """
        spec = ParamAttr.of(attr)
        if not is_float(dtype_of(dtype).np):
            kind = dtype_of(dtype).name
            raise OperandError(
                with_user_line(f"{self.kind}: the operands should be floats, not {kind}")
            )
        return (
            None
            if spec is None
            else parameter_from_attr(spec, shape, dtype_of(dtype).np, is_bias, start, self.name)
        )

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Name the results of the body's ops."""
        builder = state.mode.builder
        with nullcontext() if builder is None else builder.recorder.owned_by(self.name):
            yield

    def biased(self, x: Any, attr: Any, axis: int, size: int | None = None) -> Any:
        """x plus a bias along `axis`, x itself where attr is False."""
        width = x.meta.shape[axis] if size is None else size
        bias = self.parameter(attr, [width], x.dtype, is_bias=True)
        return x if bias is None else OPS["elementwise_add"](x, bias, axis=axis)

    def activated(self, x: Any, act: str | dict[str, Any] | None) -> Any:
        """See `activated`."""
        return activated(self.kind, x, act)


def activated(kind: str, x: Any, act: str | dict[str, Any] | None) -> Any:
    """An activation of x, by the type of its op; x itself for None.

    Raises OpError for one that is none.
    kind: of the layer that asks
    """
    if act is None:
        return x
    attrs = dict(act) if isinstance(act, dict) else {"type": act}
    name = attrs.pop("type")
    op = OPS.get(name)
    if (
        op is None
        or [(s.name, s.many) for s in op.ins if not s.optional] != [("X", False)]
        or not op.single
    ):
        raise OpError(with_user_line(f"{kind}: act={name!r} is not an activation"))
    return op(x, **attrs)


def known_size(kind: str, x: Any, axis: int) -> int:
    """The size of an axis that a parameter is as long as.

    Raises OpError where it is not known.
    """
    try:
        size = x.meta.shape[axis]
    except IndexError:
        raise no_axis_error(x, axis) from None
    if size < 0:
        raise OpError(with_user_line(f"{kind}: the size of axis {axis} is not known (X={x.meta})"))
    return int(size)
