"""`paddle.utils.install_check` (run_check), and other functions of `paddle.utils`: require_version,
try_import, deprecated.
"""

from __future__ import annotations

import functools
import importlib
import re
import warnings
from collections.abc import Callable
from typing import Any

from ..core.errors import OpError, append_user_line

__all__ = ["deprecated", "require_version", "run_check", "try_import"]


def run_check() -> None:
    """Train a small layer for one step on the CPU and print that it worked.

    Examples
    --------
    >>> paddle.utils.run_check()
    Running verify PaddlePaddle program ...
    PaddlePaddle works well on 1 CPU.
    PaddlePaddle is installed successfully! Let's start deep learning with PaddlePaddle now.
    """
    import oarlock  # noqa: PLC0415 - the package imports this module

    print("Running verify PaddlePaddle program ... ")
    was_dynamic = oarlock.in_dynamic_mode()
    oarlock.disable_static()
    try:
        layer = oarlock.nn.Linear(2, 3)
        layer(oarlock.ones([4, 2])).sum().backward()
        oarlock.optimizer.SGD(0.1, parameters=layer.parameters()).step()
    finally:
        if not was_dynamic:
            oarlock.enable_static()
    print("PaddlePaddle works well on 1 CPU.")
    print(
        "PaddlePaddle is installed successfully! Let's start deep learning with PaddlePaddle now."
    )


def try_import(module_name: str, err_msg: str | None = None) -> Any:
    """Import a module by name and return it.

    Parameters
    ----------
    module_name : str
    err_msg : str, optional
        The message of the error; by default a hint how to install the package.

    Returns
    -------
    module

    Raises
    ------
    ImportError
        If the module cannot be imported.

    Examples
    --------
    >>> paddle.utils.try_import("math").sqrt(4)
    2.0
    """
    try:
        return importlib.import_module(module_name)
    except ImportError:
        package = module_name.partition(".")[0]
        message = (
            f"Failed importing {module_name}: it is not part of Oarlock, and has to be "
            f"installed (usually with `pip install {package}`)."
        )
        raise ImportError(err_msg or message) from None


def require_version(min_version: str, max_version: str | None = None) -> None:
    """Raise an error unless `paddle.__version__` is in a range.

    Parameters
    ----------
    min_version : str
        Such as "2.0" or "2.0.0".
    max_version : str, optional
        By default there is no upper bound.

    Raises
    ------
    OpError
        If the version is not in the range, or a bound is not a version number.
    TypeError
        If a bound is not a str.

    Examples
    --------
    >>> paddle.utils.require_version("0.1")
    """
    import oarlock  # noqa: PLC0415

    for name, value in (("min_version", min_version), ("max_version", max_version)):
        if not isinstance(value, str) and (value is not None or name == "min_version"):
            raise TypeError(
                f"The type of '{name}' in require_version must be str, but received {type(value)}."
            )
    minimum, version = _version_numbers(min_version), _version_numbers(oarlock.__version__)
    if version < minimum or (max_version is not None and version > _version_numbers(max_version)):
        required = (
            f"{min_version} or higher"
            if max_version is None
            else (f"in [{min_version}, {max_version}]")
        )
        raise OpError(
            append_user_line(
                f"require_version: version {required} is required, but this is "
                f"{oarlock.__version__}"
            )
        )


def _version_numbers(version: str) -> tuple[int, ...]:
    if not re.fullmatch(r"\d+(\.\d+){0,3}\S*", version):
        raise OpError(append_user_line(f"require_version: {version!r} is not a version number"))
    numbers = [int(n) for n in re.findall(r"\d+", version)[:4]]
    return (*numbers, *[0] * (4 - len(numbers)))


def deprecated(
    update_to: str = "", since: str = "", reason: str = "", level: int = 0
) -> Callable[[Any], Any]:
    """Return a decorator that marks a function as deprecated.

    Parameters
    ----------
    update_to : str, default ""
        The function to use instead.
    since : str, default ""
        The version since which the function is deprecated.
    reason : str, default ""
    level : 0, 1 or 2, default 0
        0: no effect; 1: the first call warns (DeprecationWarning); 2: each call raises
        RuntimeError.

    Returns
    -------
    callable
        The decorator.

    Examples
    --------
    >>> @paddle.utils.deprecated(update_to="paddle.add", level=2)
    ... def plus(x, y):
    ...     return x + y
    >>> plus(1, 2)
    Traceback (most recent call last):
    RuntimeError: ....plus is deprecated; use paddle.add
    """

    def decorate(function: Any) -> Any:
        message = f"{function.__module__}.{function.__name__} is deprecated"
        message += f" since {since}" if since else ""
        message += f"; use {update_to}" if update_to else ""
        message += f" ({reason})" if reason else ""
        has_warned: list[bool] = []

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if level == 2:
                raise RuntimeError(message)
            if level == 1 and not has_warned:
                has_warned.append(True)
                warnings.warn(message, DeprecationWarning, stacklevel=2)
            return function(*args, **kwargs)

        return wrapper

    return decorate
