"""Global switches of the conversion: whether functions are converted, and how much is printed about
each conversion.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..core.errors import OpError
from .convert import CONVERSION_STAGES, converted_source

_switches = {
    "enabled": os.environ.get("ENABLE_TO_STATIC", "true").lower() not in ("0", "false"),
    "level": -1,
    "verbosity": 0,
    "stdout": False,
}


def enable_to_static(enable_to_static_bool: bool) -> None:
    """Turn the conversion to programs on or off for the whole process.

    Parameters
    ----------
    enable_to_static_bool : bool
        True: functions decorated with `to_static` run as programs. False: they run as Python, which
        helps to debug them. The initial value is True, or False if the environment variable
        ENABLE_TO_STATIC is "false" or "0".

    Raises
    ------
    TypeError
        If the argument is not a bool.

    Examples
    --------
    >>> double = paddle.jit.to_static(lambda x: 2 * x)
    >>> paddle.jit.enable_to_static(False)
    >>> double(paddle.to_tensor([1.0])).tolist()
    [2.0]
    >>> double.get_traced_count()
    0
    >>> paddle.jit.enable_to_static(True)
    """
    if not isinstance(enable_to_static_bool, int):
        raise TypeError(
            "enable_to_static: the argument should be a bool, not "
            f"{type(enable_to_static_bool).__name__}"
        )
    _switches["enabled"] = bool(enable_to_static_bool)


def is_to_static_enabled() -> bool:
    """Whether functions decorated with `to_static` run as programs."""
    return bool(_switches["enabled"])


@contextmanager
def temporarily_disable_to_static() -> Iterator[None]:
    """Context manager: functions decorated with `to_static` run as Python in the `with` body."""
    before = _switches["enabled"]
    _switches["enabled"] = False
    try:
        yield
    finally:
        _switches["enabled"] = before


def set_code_level(level: int = 100, also_to_stdout: bool = False) -> None:
    """Print the converted code of each function when it is captured.

    Parameters
    ----------
    level : int, default 100
        0 or less prints nothing; 1 prints the code after jumps became flags; 2 after statements
        became calls; 3 or more after the last stage. None means 0.
    also_to_stdout : bool, default False
        Print to standard output instead of standard error.

    Raises
    ------
    TypeError
        If `level` is neither an int nor None.

    Notes
    -----
    Paddle has 14 stages in another order; in Paddle, too, level 100 selects the last stage.

    Examples
    --------
    >>> double = paddle.jit.to_static(lambda x: 2 * x)
    >>> paddle.jit.set_code_level(also_to_stdout=True)
    >>> y = double(paddle.to_tensor([1.0]))
    # <lambda>, converted
    def _ol_lambda(x):
        return 2 * x
    >>> paddle.jit.set_code_level(0)
    """
    _switches.update(level=_require_int_level("set_code_level", level), stdout=also_to_stdout)


def set_verbosity(level: int = 0, also_to_stdout: bool = False) -> None:
    """Print the name of each function when it is captured.

    Parameters
    ----------
    level : int, default 0
        1 or more prints the names, 0 or None nothing.
    also_to_stdout : bool, default False
        Print to standard output instead of standard error.

    Raises
    ------
    TypeError
        If `level` is neither an int nor None.

    Examples
    --------
    >>> double = paddle.jit.to_static(lambda x: 2 * x)
    >>> paddle.jit.set_verbosity(1, also_to_stdout=True)
    >>> y = double(paddle.to_tensor([1.0]))
    to_static... recording <lambda>
    >>> paddle.jit.set_verbosity(0)
    """
    _switches.update(verbosity=_require_int_level("set_verbosity", level), stdout=also_to_stdout)


def _require_int_level(what: str, level: int | None) -> int:
    """Return `level` as an int, with 0 for None, as in Paddle. Raises TypeError if it is neither an
    int nor None.
    """
    if not isinstance(level, int | None):
        raise TypeError(f"{what}: level should be an int, not {level!r}")
    return level or 0


def print_requested_conversion_info(function: Any) -> None:
    """Print what `set_code_level` and `set_verbosity` requested about a function that is about to
    be captured.
    """
    out = sys.stdout if _switches["stdout"] else sys.stderr
    name = getattr(function, "__qualname__", "function")
    if _switches["verbosity"] > 0:
        print(f"to_static: recording {name}", file=out)
    if _switches["level"] > 0:
        try:
            stages = min(int(_switches["level"]), len(CONVERSION_STAGES))
            what = (
                f"after {CONVERSION_STAGES[stages - 1]}"
                if stages < len(CONVERSION_STAGES)
                else "converted"
            )
            print(f"# {name}, {what}\n{converted_source(function, stages)}", file=out)
        except (OpError, TypeError) as error:
            print(f"# {name} is not converted: {str(error).splitlines()[0]}", file=out)
