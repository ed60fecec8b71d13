"""Format tensors as Paddle prints them: aligned columns, with the middle of large axes omitted."""

from __future__ import annotations

import numbers
from typing import Any, NamedTuple

import numpy as np

from .errors import OarlockError


class PrintOptions(NamedTuple):
    """Print options; see `set_printoptions`."""

    precision: int = 8
    threshold: int = 1000
    edgeitems: int = 3
    sci_mode: bool = False
    linewidth: int = 80


_print_options = PrintOptions()


def set_printoptions(
    precision: int | None = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    sci_mode: bool | None = None,
    linewidth: int | None = None,
) -> None:
    """Set the options with which tensors are printed; None keeps the current value of an option.

    Parameters
    ----------
    precision : int, optional
        Digits after the decimal point, at first 8.
    threshold : int, optional
        Tensors with more elements are abbreviated, at first 1000.
    edgeitems : int, optional
        Elements at each end of an abbreviated axis, at first 3.
    sci_mode : bool, optional
        Whether floating-point numbers have an exponent, as 1.5e+00; at first False.
    linewidth : int, optional
        Characters per line, at first 80.

    Raises
    ------
    OarlockError
        If a value is not an integer of 0 or more.

    Examples
    --------
    >>> paddle.set_printoptions(precision=2)
    >>> print(paddle.to_tensor([1.2345, 2.0]))
    Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
           [1.23, 2.  ])
    >>> paddle.set_printoptions(precision=8)
    """
    global _print_options  # noqa: PLW0603 - one process-wide setting, as in Paddle
    given: dict[str, Any] = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "sci_mode": sci_mode,
        "linewidth": linewidth,
    }
    for name, value in given.items():
        if value is not None and (not isinstance(value, numbers.Integral) or value < 0):
            raise OarlockError(
                f"set_printoptions: {name}={value!r} is not a number of zero or more"
            )
    _print_options = _print_options._replace(**{k: v for k, v in given.items() if v is not None})


def _format_element_unpadded(value: Any) -> str:
    """Format one element of a tensor without padding."""
    if not isinstance(value, np.floating):
        return str(value.item() if isinstance(value, np.generic) else value)
    if _print_options.sci_mode:
        return f"{value:.{_print_options.precision}e}"
    if np.isnan(value):
        return "nan"
    return f"{value:.0f}." if np.ceil(value) == value else f"{value:.{_print_options.precision}f}"


class _ColumnFormat(NamedTuple):
    """The width of the printed elements, and whether a column is reserved for the sign."""

    width: int
    has_sign_column: bool

    def format(self, value: Any) -> str:
        text = _format_element_unpadded(value)
        if self.has_sign_column and not value < 0 and len(text) < self.width:
            text = " " + text
        return text.ljust(self.width)


def _make_column_format(array: Any) -> _ColumnFormat:
    signed = array.dtype.kind != "c" and bool(np.any(array < 0))
    return _ColumnFormat(
        max((len(_format_element_unpadded(v)) for v in array.ravel()), default=0), signed
    )


def _visible_elements(array: Any) -> Any:
    """Return the elements that are printed of a large array, whose middle is omitted."""
    edge = _print_options.edgeitems
    for axis, size in enumerate(array.shape):
        if size > 2 * edge:
            array = np.take(array, [*range(edge), *range(size - edge, size)], axis=axis)
    return array


def _visible_subarrays(array: Any, short: bool) -> list[Any]:
    """Return the subarrays along the first axis that are printed; None stands for the omitted
    middle.
    """
    edge = _print_options.edgeitems
    if short and array.shape[0] > 2 * edge:
        return [*array[:edge], None, *(array[-edge:] if edge else [])]
    return list(array)


def _format_row(array: Any, short: bool, indent: int, column: _ColumnFormat) -> str:
    texts = ["..." if v is None else column.format(v) for v in _visible_subarrays(array, short)]
    each = max(1, (_print_options.linewidth - indent) // max(1, column.width + 2))
    lines = [texts[i : i + each] for i in range(0, len(texts), each)]
    return "[" + (",\n" + " " * (indent + 1)).join(", ".join(line) for line in lines) + "]"


def _format_array(array: Any, short: bool, indent: int, column: _ColumnFormat) -> str:
    if array.ndim == 0:
        return _format_element_unpadded(array[()])
    if array.ndim == 1:
        return _format_row(array, short, indent, column)
    texts = [
        "..." if p is None else _format_array(p, short, indent + 1, column)
        for p in _visible_subarrays(array, short)
    ]
    return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(texts) + "]"


def format_array(array: Any, indent: int) -> str:
    """Format the elements in brackets; all lines but the first are indented by `indent`."""
    array = np.asarray(array)
    if array.dtype.kind == "V":  # bfloat16
        array = array.astype(np.float32)
    short = array.size > _print_options.threshold
    return _format_array(
        array, short, indent, _make_column_format(_visible_elements(array) if short else array)
    )
