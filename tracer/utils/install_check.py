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
    """Train a small layer for one step and print that it worked."""
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

    Raises ImportError with err_msg, or with a hint how to install it.
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
    """Raise OpError unless `paddle.__version__` is in the given range. Raise TypeError if a bound
    of the range is not a str.
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
    """Decorator for deprecated functions: level 1 warns at the first call, level 2 raises
    RuntimeError at each call.
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
