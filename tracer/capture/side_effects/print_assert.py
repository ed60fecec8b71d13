"""Print and Assert: the ops, their kernels, and their eager functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from ...core import cuda
from ...core.errors import AssertError, OperandError, OpError, append_user_line
from ...core.mode import state
from ...core.tensor import Tensor
from ...ir.program import Attr, AttrType, OpDesc
from ..modes import find_static_base_mode
from ..variable import Variable

PRINT_PHASES = ("forward", "backward", "both")


def Print(
    input: Tensor,
    first_n: int = -1,
    message: str | None = None,
    summarize: int = 20,
    print_tensor_name: bool = True,
    print_tensor_type: bool = True,
    print_tensor_shape: bool = True,
    print_tensor_layout: bool = True,
    print_tensor_lod: bool = True,
    print_phase: str = "both",
) -> Tensor:
    """Print a tensor in each run of a program, and its gradient in each backward pass.

    In eager mode, the tensor is printed once, without its gradient, and `first_n` has no effect.

    Parameters
    ----------
    input : Tensor [*]
    first_n : int, default -1
        How often to print; -1 for each run.
    message : str, optional
        Printed before the tensor.
    summarize : int, default 20
        Number of elements to print; -1 for all elements.
    print_tensor_name, print_tensor_type, print_tensor_shape : bool, default True
        Whether to print a line with this property.
    print_tensor_layout, print_tensor_lod : bool, default True
        Whether to print a line with this property.
    print_phase : "forward", "backward" or "both", default "both"

    Returns
    -------
    Tensor [*]
        The same value.

    Raises
    ------
    OpError
        If `input` is not a Tensor or `print_phase` is unknown.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    >>> y = paddle.static.Print(x, message="x", print_tensor_name=False, print_tensor_lod=False)
    x
      - place: Place(cpu)
      - shape: [2]
      - layout: NCHW
      - dtype: float32
      - data: [1.0 2.0]
    """
    if not isinstance(input, Tensor):
        raise OperandError(
            append_user_line(f"Print: input should be a Tensor, not {type(input).__name__}")
        )
    if print_phase not in PRINT_PHASES:
        raise OpError(
            append_user_line(
                f"Print: print_phase={print_phase!r} is not one of {list(PRINT_PHASES)}"
            )
        )
    settings: dict[str, bool | int | str] = {
        "first_n": first_n,
        "summarize": summarize,
        "message": message or "",
        "print_tensor_name": print_tensor_name,
        "print_tensor_type": print_tensor_type,
        "print_tensor_shape": print_tensor_shape,
        "print_tensor_layout": print_tensor_layout,
        "print_tensor_lod": print_tensor_lod,
        "print_phase": print_phase.upper(),
        "is_forward": True,
    }
    mode = find_static_base_mode(state.mode)
    if mode is None or not isinstance(input, Variable):
        PrintKernel(settings, input.name)(np.asarray(cuda.to_host(input.array)))
        return input
    return mode.recorder.emit_shape_preserving_unary_op(
        "print", "In", input, {name: print_setting_to_attr(v) for name, v in settings.items()}
    )


def print_setting_to_attr(value: bool | int | str) -> Attr:
    """Convert an argument of Print to an attribute of the op `print`."""
    kind = {bool: AttrType.BOOLEAN, int: AttrType.INT, str: AttrType.STRING}[type(value)]
    return Attr(kind, value)


class PrintKernel:
    """The kernel of the op `print`.

    settings: the attributes of the op.
    name: the printed variable.
    """

    def __init__(self, settings: dict[str, Any], name: str) -> None:
        self._settings, self._name = settings, name
        self._num_prints = 0

    @classmethod
    def from_op(cls, desc: OpDesc) -> PrintKernel:
        """Return the kernel of an op `print`, with the settings in its attributes."""
        return cls({name: attr.value for name, attr in desc.attrs.items()}, desc.inputs["In"][0])

    def __call__(self, array: Any) -> Any:
        """Print an array, unless `first_n` arrays were printed before, and return it."""
        settings = self._settings
        phase = "FORWARD" if settings.get("is_forward", True) else "BACKWARD"
        is_enabled = settings.get("print_phase", "BOTH") in (phase, "BOTH")
        first_n = settings.get("first_n", -1)
        if is_enabled and (first_n <= 0 or self._num_prints < first_n):
            self._num_prints += 1
            print("\n".join(self._format_lines(np.asarray(array))), flush=True)
        return array

    def _format_lines(self, array: Any) -> list[str]:
        settings, max_elements = self._settings, self._settings.get("summarize", 20)
        lines = [settings["message"]] if settings.get("message") else []
        name = self._name if settings.get("is_forward", True) else f"{self._name}@GRAD"
        lines += [f"Variable: {name}"] if settings.get("print_tensor_name", True) else []
        lines += ["  - lod: {}"] if settings.get("print_tensor_lod", True) else []
        lines += ["  - place: Place(cpu)"]
        lines += (
            [f"  - shape: {list(array.shape)}"] if settings.get("print_tensor_shape", True) else []
        )
        lines += ["  - layout: NCHW"] if settings.get("print_tensor_layout", True) else []
        lines += (
            [f"  - dtype: {array.dtype.name}"] if settings.get("print_tensor_type", True) else []
        )
        flat = array.reshape(-1)
        displayed = flat if max_elements < 0 else flat[:max_elements]
        return [
            *lines,
            f"  - data: [{' '.join(map(str, displayed))}]",
        ]


def Assert(
    cond: Tensor, data: Sequence[Tensor] | None = None, summarize: int = 20, name: str | None = None
) -> None:
    """Stop each run in which a condition does not hold, with an error that shows `data`.

    cond: bool with one element
    """
    if cond.meta.dtype != bool or any(d not in (1, -1) for d in cond.meta.shape):
        raise OpError(
            append_user_line(f"Assert: the condition must be one bool (cond={cond.meta})")
        )
    displayed = list(data or [])
    mode = find_static_base_mode(state.mode)
    if mode is None or not isinstance(cond, Variable):
        AssertKernel(summarize, "")(
            cuda.to_host(cond.array), [np.asarray(cuda.to_host(t.array)) for t in displayed]
        )
        return
    mode.recorder.emit_assert(cond, data=displayed, summarize=summarize)


class UndefinedReadKernel:
    """The kernel that raises an error when an undefined variable is read.

    message: the reason.
    """

    def __init__(self, message: str) -> None:
        self._message = message

    def __call__(self) -> NoReturn:
        """Raise an OpError with the message."""
        raise OpError(self._message)


class AssertKernel:
    """The kernel of the op `assert`.

    where: the user's line.
    message: the user's message.
    """

    def __init__(self, summarize: int, where: str, message: str = "") -> None:
        self._max_elements, self._user_line = summarize, where
        self._message = message or "the condition does not hold"

    def __call__(self, cond: Any, data: Sequence[Any]) -> None:
        """Raise AssertError unless the condition holds."""
        if np.asarray(cond).all():
            return
        flat = [np.asarray(a).reshape(-1) for a in data]
        shown = "; ".join(
            str((a if self._max_elements < 0 else a[: self._max_elements]).tolist()) for a in flat
        )
        line = f"\n  at {self._user_line}" if self._user_line else ""
        raise AssertError(f"assert: {self._message}{f'; data: {shown}' if data else ''}{line}")
