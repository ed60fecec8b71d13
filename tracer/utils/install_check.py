"""Whether it works here, and whether it is new enough."""

from __future__ import annotations

import functools
import importlib
import re
import warnings
from collections.abc import Callable
from typing import Any

from ..core.errors import OpError, with_user_line

__all__ = ["deprecated", "require_version", "run_check", "try_import"]


def run_check() -> None:
    """Train a small layer for a step, and say that it worked."""
    import oarlock  # noqa: PLC0415 - the library is above this part

    print("Running verify PaddlePaddle program ... ")
    before = oarlock.in_dynamic_mode()
    oarlock.disable_static()
    try:
        layer = oarlock.nn.Linear(2, 3)
        layer(oarlock.ones([4, 2])).sum().backward()
        oarlock.optimizer.SGD(0.1, parameters=layer.parameters()).step()
    finally:
        if not before:
            oarlock.enable_static()
    print("PaddlePaddle works well on 1 CPU.")
    print(
        "PaddlePaddle is installed successfully! Let's start deep learning with PaddlePaddle now."
    )


def try_import(module_name: str, err_msg: str | None = None) -> Any:
    """A module by its name.

    ImportError with err_msg, or with how to get it, where there is none.
    """
    try:
        return importlib.import_module(module_name)
    except ImportError:
        package = module_name.partition(".")[0]
        why = (
            f"Failed importing {module_name}: it is not part of Oarlock, and has to be "
            f"installed (usually with `pip install {package}`)."
        )
        raise ImportError(err_msg or why) from None


def require_version(min_version: str, max_version: str | None = None) -> None:
    """Raise OpError unless `paddle.__version__` is in the range; TypeError for what is no text."""
    import oarlock  # noqa: PLC0415

    for name, value in (("min_version", min_version), ("max_version", max_version)):
        if not isinstance(value, str) and (value is not None or name == "min_version"):
            raise TypeError(
                f"The type of '{name}' in require_version must be str, but received {type(value)}."
            )
    low, have = _numbers(min_version), _numbers(oarlock.__version__)
    if have < low or (max_version is not None and have > _numbers(max_version)):
        wanted = (
            f"{min_version} or higher"
            if max_version is None
            else (f"in [{min_version}, {max_version}]")
        )
        raise OpError(
            with_user_line(
                f"require_version: version {wanted} is required, and this is {oarlock.__version__}"
            )
        )


def _numbers(version: str) -> tuple[int, ...]:
    if not re.fullmatch(r"\d+(\.\d+){0,3}\S*", version):
        raise OpError(with_user_line(f"require_version: {version!r} is not a number of a version"))
    found = [int(n) for n in re.findall(r"\d+", version)[:4]]
    return (*found, *[0] * (4 - len(found)))


def deprecated(
    update_to: str = "", since: str = "", reason: str = "", level: int = 0
) -> Callable[[Any], Any]:
    """Decorate a function that has a better one: its first call warns; with level 2 each call
    raises RuntimeError.
    """

    def decorate(function: Any) -> Any:
        told = f"{function.__module__}.{function.__name__} is deprecated"
        told += f" since {since}" if since else ""
        told += f"; use {update_to}" if update_to else ""
        told += f" ({reason})" if reason else ""
        warned: list[bool] = []

        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            if level == 2:
                raise RuntimeError(told)
            if level == 1 and not warned:
                warned.append(True)
                warnings.warn(told, DeprecationWarning, stacklevel=2)
            return function(*args, **kwargs)

        return called

    return decorate
