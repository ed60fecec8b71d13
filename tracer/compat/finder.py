"""`paddle.a.b` is the very module `oarlock.a.b`: no copies, so that `paddle.nn.Linear is
oarlock.nn.Linear`.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from .attributes import Attributes
from .modules import OTHERWISE, PARENTS


class PaddleFinder(Loader, MetaPathFinder):
    """Finds `paddle` and all under it in Oarlock.

    first: called before the first module is given
    """

    def __init__(self, first: Callable[[], None]) -> None:
        self._first, self._attributes = first, Attributes()
        # A module's own spec, which the import system replaces by the requested one.
        self._specs: dict[str, Any] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Implement the import protocol."""
        if fullname != "paddle" and not fullname.startswith("paddle."):
            return None
        self._first()
        if _module(fullname) is None:
            return None
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module that stands for it."""
        module = _module(spec.name)
        assert module is not None
        self._specs[spec.name] = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is run: it was when Oarlock was imported."""
        assert module.__spec__ is not None
        name = module.__spec__.name
        module.__spec__ = self._specs.pop(name)
        self._attributes.add()
        _keep_shadowed(name, module)

    def forget(self) -> None:
        """Take the names back."""
        self._attributes.take_back()
        names = [
            n
            for n, m in sys.modules.items()
            if n == "paddle" or n.startswith("paddle.") or isinstance(m, View)
        ]
        for name in names:
            module, parent = sys.modules[name], sys.modules.get(name.rpartition(".")[0])
            if isinstance(module, View) and parent is not None and not isinstance(parent, View):
                module.leave(parent)
        for name in names:
            del sys.modules[name]


def _keep_shadowed(name: str, module: ModuleType) -> None:
    """Let modules below that lie under a function of their name stay there when they are imported:
    `amp.auto_cast` is both.

    What is known as imported, the import system does not hang into the module above once more.
    """
    above = f"{module.__name__}."
    for inner, found in list(sys.modules.items()):
        last = inner.removeprefix(above)
        if inner == above + last and "." not in last and vars(module).get(last, found) is not found:
            sys.modules.setdefault(f"{name}.{last}", found)


class ViewFinder(Loader, MetaPathFinder):
    """Finds those modules of Paddle that have none in Oarlock.

    Comes last; what is asked for may be named either way.

    `from paddle.tensor import random` asks for `oarlock.tensor.random`, because that is what the
    module above calls itself.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Implement the import protocol."""
        known = fullname.startswith("oarlock.") and fullname[len("oarlock") :] in PARENTS
        return ModuleSpec(fullname, self, is_package=True) if known else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """A view of the module above."""
        return View(
            spec.name, importlib.import_module(f"oarlock{PARENTS[spec.name[len('oarlock') :]]}")
        )

    def exec_module(self, module: ModuleType) -> None:
        """Nothing: there is no file."""


class View(ModuleType):
    """A module of Paddle that has none here: its names are those of the one above it.

    above: that module

    It may take the place of a function of its name, as `fluid.layers.rnn` is both: then it can be
    called.
    """

    def __init__(self, name: str, above: ModuleType) -> None:
        super().__init__(name, above.__doc__)
        self._above = above
        self._function = vars(above).get(name.rpartition(".")[2])
        self.__path__: list[str] = []
        self.__spec__ = ModuleSpec(name, None, is_package=True)
        inner = name[len("oarlock") :]
        # code looks its layers up in `nn.layer.activation.__dict__`
        for own, value in vars(above).items():
            if (
                own[0] != "_"
                and f"{inner}.{own}" not in PARENTS
                and not isinstance(value, ModuleType)
            ):
                self.__dict__.setdefault(own, value)

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return [n for n in dir(self._above) if not n.startswith("_")]
        inner = f"{self.__name__[len('oarlock') :]}.{name}"
        return (
            importlib.import_module(f"paddle{inner}")
            if inner in PARENTS
            else getattr(self._above, name)
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function that it lies over."""
        if not callable(self._function):
            raise TypeError("'module' object is not callable")
        return self._function(*args, **kwargs)

    def __dir__(self) -> list[str]:
        return dir(self._above)

    def leave(self, parent: ModuleType) -> None:
        """Give the name in the module that it hangs in back to what had it before."""
        name = self.__name__.rpartition(".")[2]
        if vars(parent).get(name) is not self:
            return
        if self._function is None:
            delattr(parent, name)
        else:
            setattr(parent, name, self._function)


def _module(fullname: str) -> ModuleType | None:
    """What `paddle.x` stands for, None for what neither Paddle nor Oarlock has."""
    inner = fullname[len("paddle") :]
    name = f"oarlock{inner}"
    if inner not in OTHERWISE:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise  # Another module is missing.
    if inner in PARENTS:
        return View(name, importlib.import_module(f"oarlock{PARENTS[inner]}"))
    above, _, last = name.rpartition(".")
    # a module under another name, as oarlock.nn.clip might be
    found = getattr(sys.modules.get(above), last, None)
    return found if isinstance(found, ModuleType) else None
