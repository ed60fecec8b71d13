"""Import finders that make `paddle.a.b` the module `oarlock.a.b` itself, so that `paddle.nn.Linear
is oarlock.nn.Linear`.
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

from .lazy_submodules import LazySubmoduleHooks
from .module_aliases import DIFFERENT_CONTENT, MODULE_ALIASES


class PaddleFinder(Loader, MetaPathFinder):
    """Import finder that finds `paddle` and its submodules in Oarlock.

    on_import: called before each import of `paddle` or a submodule
    """

    def __init__(self, on_import: Callable[[], None]) -> None:
        self._on_import, self._lazy_submodules = on_import, LazySubmoduleHooks()
        # Name of a module as `paddle.*` -> the spec of the module as `oarlock.*`, which the import
        # system replaces.
        self._specs: dict[str, Any] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a spec for a module of `paddle` that exists in Oarlock (method of the import
        protocol).
        """
        if fullname != "paddle" and not fullname.startswith("paddle."):
            return None
        self._on_import()
        if _import_paddle_module_or_none(fullname) is None:
            return None
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return Oarlock's module for the spec (method of the import protocol)."""
        module = _import_paddle_module_or_none(spec.name)
        assert module is not None
        self._specs[spec.name] = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Restore the spec that the module had as `oarlock.*`, and add its lazy and shadowed
        submodules (method of the import protocol). The code of the module is not executed, because
        `oarlock.*` was imported before.
        """
        assert module.__spec__ is not None
        name = module.__spec__.name
        module.__spec__ = self._specs.pop(name)
        self._lazy_submodules.add()
        _register_shadowed_submodules(name, module)

    def unload_paddle_modules(self) -> None:
        """Remove all modules named `paddle.*` from `sys.modules`, and undo the changes of Oarlock's
        modules.
        """
        self._lazy_submodules.restore()
        names = [
            n
            for n, m in sys.modules.items()
            if n == "paddle" or n.startswith("paddle.") or isinstance(m, AliasModule)
        ]
        for name in names:
            module, parent = sys.modules[name], sys.modules.get(name.rpartition(".")[0])
            if (
                isinstance(module, AliasModule)
                and parent is not None
                and not isinstance(parent, AliasModule)
            ):
                module.detach(parent)
        for name in names:
            del sys.modules[name]


def _register_shadowed_submodules(name: str, module: ModuleType) -> None:
    """Register the submodules that a function of the same name hides in the parent module, such as
    `amp.auto_cast`.

    The import system would otherwise import them again and replace the function in the parent
    module.
    """
    prefix = f"{module.__name__}."
    for full_name, submodule in list(sys.modules.items()):
        last = full_name.removeprefix(prefix)
        if full_name != prefix + last or "." in last:
            continue
        if vars(module).get(last, submodule) is not submodule:
            sys.modules.setdefault(f"{name}.{last}", submodule)


class AliasModuleFinder(Loader, MetaPathFinder):
    """Import finder for aliased modules of Paddle, under the name `oarlock.*`. The finder is at the
    end of `sys.meta_path`.

    `from paddle.tensor import random` imports `oarlock.tensor.random`, because Python uses the
    `__name__` of the parent module.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a spec for an aliased module (method of the import protocol)."""
        is_alias = fullname.startswith("oarlock.") and fullname[len("oarlock") :] in MODULE_ALIASES
        return ModuleSpec(fullname, self, is_package=True) if is_alias else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Create a view of the module of Oarlock that has the names of the aliased module (method
        of the import protocol).
        """
        return AliasModule(
            spec.name,
            importlib.import_module(f"oarlock{MODULE_ALIASES[spec.name[len('oarlock') :]]}"),
        )

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: an AliasModule has no code to execute (method of the import protocol)."""


class AliasModule(ModuleType):
    """A view of Oarlock's module `target` under the name of an aliased module of Paddle.

    If `target` has a function with the last part of the module's name, as for `fluid.layers.rnn`,
    the view is callable and calls that function.
    """

    def __init__(self, name: str, target: ModuleType) -> None:
        super().__init__(name, target.__doc__)
        self._target = target
        self._function = vars(target).get(name.rpartition(".")[2])
        self.__path__: list[str] = []
        self.__spec__ = ModuleSpec(name, None, is_package=True)
        inner = name[len("oarlock") :]
        # some programs look up layers in `nn.layer.activation.__dict__`
        for own, value in vars(target).items():
            if (
                own[0] != "_"
                and f"{inner}.{own}" not in MODULE_ALIASES
                and not isinstance(value, ModuleType)
            ):
                self.__dict__.setdefault(own, value)

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return [n for n in dir(self._target) if not n.startswith("_")]
        inner = f"{self.__name__[len('oarlock') :]}.{name}"
        return (
            importlib.import_module(f"paddle{inner}")
            if inner in MODULE_ALIASES
            else getattr(self._target, name)
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function of the same name that this module hides, such as `fluid.layers.rnn`."""
        if not callable(self._function):
            raise TypeError("'module' object is not callable")
        return self._function(*args, **kwargs)

    def __dir__(self) -> list[str]:
        return dir(self._target)

    def detach(self, parent: ModuleType) -> None:
        """Restore the attribute of the parent module that this module replaced."""
        name = self.__name__.rpartition(".")[2]
        if vars(parent).get(name) is not self:
            return
        if self._function is None:
            delattr(parent, name)
        else:
            setattr(parent, name, self._function)


def _import_paddle_module_or_none(fullname: str) -> ModuleType | None:
    """Return Oarlock's module for the name `paddle.x`, or None if neither Paddle nor Oarlock has
    such a module.
    """
    inner = fullname[len("paddle") :]
    name = f"oarlock{inner}"
    if inner not in DIFFERENT_CONTENT:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise  # an import inside the module failed
    if inner in MODULE_ALIASES:
        return AliasModule(name, importlib.import_module(f"oarlock{MODULE_ALIASES[inner]}"))
    parent, _, last = name.rpartition(".")
    # a module that is an attribute of its parent under another name
    attribute = getattr(sys.modules.get(parent), last, None)
    return attribute if isinstance(attribute, ModuleType) else None
