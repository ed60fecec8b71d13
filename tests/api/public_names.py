"""The public functions, classes, methods and properties that users can look up.

`python -m tests.api.public_names MODULE...` prints those of modules, such as `nn.conv`.
"""

from __future__ import annotations

import functools
import inspect
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import oarlock

TESTS = Path(__file__).resolve().parents[1]
# Packages whose names are public but not in `signatures.json`.
OTHER_PACKAGES = """
    amp autograd callbacks device distributed fft incubate inference io jit linalg metric onnx
    profiler regularizer signal static text utils vision vision.datasets vision.models vision.transforms
"""


class PublicName(NamedTuple):
    """A public object, and the name that users call it by."""

    name: str  # such as "nn.Conv2D" or "nn.Layer.parameters"
    value: Any  # a class, a function or a property
    module: str  # where it is defined, such as "nn.layer"

    @property
    def docstring(self) -> str:
        """The docstring as it is written in the source."""
        return self.value.__doc__ or ""


def package_named(name: str) -> Any:
    """Return the package, or the class Tensor."""
    if name == "Tensor":
        return oarlock.Tensor
    return import_module(f"oarlock.{name}") if name else oarlock


def names_by_package() -> dict[str, list[str]]:
    """Return the public names of each package."""
    names: dict[str, list[str]] = {}
    for path in (TESTS / "signatures.json", TESTS / "nn" / "signatures.json"):
        for package, signatures in json.loads(path.read_text()).items():
            names.setdefault(package, []).extend(signatures)
    for package in OTHER_PACKAGES.split():
        module = package_named(package)
        shown = getattr(module, "__all__", None) or [n for n in dir(module) if n[0] != "_"]
        names.setdefault(package, []).extend(shown)
    return names


def is_of_oarlock(value: Any) -> bool:
    """Whether a class or function is defined by Oarlock, but not for Paddle 1.x.

    An import of `oarlock.fluid` replaces methods of Tensor by those of Paddle 1.x.
    """
    package, *modules = str(getattr(value, "__module__", "")).split(".")
    return package == "oarlock" and modules[:1] != ["fluid"]


def members_of(name: str, cls: type) -> list[PublicName]:
    """Return the public methods and properties that a class defines and documents itself.

    A method without a docstring has that of the method it overrides.
    """
    found = []
    for member, value in vars(cls).items():
        if isinstance(value, staticmethod | classmethod):
            value = value.__func__  # noqa: PLW2901
        is_method = inspect.isfunction(value) or isinstance(value, property)
        overrides = any(hasattr(base, member) for base in cls.__mro__[1:])
        if is_method and not member.startswith("_") and not (overrides and not value.__doc__):
            getter = value.fget if isinstance(value, property) else value
            if is_of_oarlock(getter):
                found.append(PublicName(f"{name}.{member}", value, home_of(getter)))
    return found


def home_of(value: Any) -> str:
    """Return the module of a class or function, without `oarlock.` in front."""
    return str(value.__module__).removeprefix("oarlock.")


@functools.cache
def public_names() -> list[PublicName]:
    """Return every public class, function, method and property once, under its first name."""
    found: dict[int, PublicName] = {}
    for package, names in names_by_package().items():
        for name in names:
            value = getattr(package_named(package), name, None)
            if not (inspect.isclass(value) or inspect.isfunction(value)) or not is_of_oarlock(
                value
            ):
                continue
            full_name = f"{package}.{name}".removeprefix(".")
            entries = [PublicName(full_name, value, home_of(value))]
            if inspect.isclass(value):
                entries += members_of(full_name, value)
            for entry in entries:
                found.setdefault(id(entry.value), entry)
    return list(found.values())


if __name__ == "__main__":
    for entry in public_names():
        if entry.module in sys.argv[1:]:
            print(entry.name)
