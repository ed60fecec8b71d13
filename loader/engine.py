"""The engine: a program in the C++ runtime, on ONNX Runtime.

What the runtime refuses becomes Oarlock's own errors.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import FileError, GuardError, OarlockError, OpError, with_user_line
from ..ir.program import Arg
from .model_files import ModelFiles

Array = np.ndarray[Any, Any]


class EngineError(OarlockError, RuntimeError, ValueError):
    """The engine or the device it should run on is missing, or failed; a ValueError as well, as
    where an eager op refuses the same operands.
    """


class UnsupportedError(OarlockError, NotImplementedError):
    """A program holds ops that cannot be lowered; all of them are listed."""


def first_reason(error: OarlockError) -> str:
    """The first thing that the engine says against a program, in one line."""
    first, *rest = str(error).splitlines()
    return rest[0].strip() if isinstance(error, UnsupportedError) and rest else first


ERRORS: dict[str, type[OarlockError]] = {
    "file": FileError,
    "guard": GuardError,
    "input": OpError,
    "unsupported": UnsupportedError,
    "engine": EngineError,
}


@cache
def runtime() -> Any:
    """The C++ runtime.   Raises EngineError where it was not built."""
    # else the engine writes reports into the user's cache
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    try:
        from . import _runtime  # noqa: PLC0415 - only needed when something is run
    except ImportError as error:
        raise EngineError(
            f"the C++ runtime is not installed ({error}); install Oarlock with a C++20 "
            f"compiler at hand"
        ) from None
    return _runtime


@cache
def library_path() -> str:
    """Where the installed onnxruntime package keeps its library; '' when there is no such package.

    Imports nothing.
    """
    if os.environ.get("OARLOCK_ORT_LIBRARY"):
        return os.environ["OARLOCK_ORT_LIBRARY"]
    spec = importlib.util.find_spec("onnxruntime")
    for folder in (spec.submodule_search_locations or []) if spec is not None else []:
        found = sorted(Path(folder, "capi").glob("libonnxruntime.so*"))
        if found:
            return str(found[-1])
    return ""


@contextmanager
def translated() -> Iterator[None]:
    """Raise what the runtime refuses as the error of Oarlock that it is, with the user's line."""
    try:
        yield
    except runtime().Error as error:
        kind = ERRORS.get(error.kind, OarlockError)
        raise kind(with_user_line(str(error))) from None


def check_options(options: Mapping[str, Any]) -> None:
    """Raise OpError for options of an Engine that there are not, or whose values make no sense.

    Opens no engine.
    """
    if options:
        with translated():
            runtime().check_options(dict(options))


class Engine:
    """A program ready to run.

    pdmodel: its bytes; params: path of the values, None for none; options: see oarlock.jit.load.
    """

    def __init__(
        self, pdmodel: bytes, params: str | None, name: str = "model.pdmodel", **options: Any
    ) -> None:
        options.setdefault("ort_library", library_path())
        with translated():
            self._session = runtime().Session(pdmodel, params, options, name)
        self._run = self._session.run
        self._error = runtime().Error

    @property
    def inputs(self) -> list[tuple[str, str, list[int | str]]]:
        """Name, dtype and shape of every input."""
        return self._session.inputs

    @property
    def offsets(self) -> dict[str, str]:
        """The inputs and outputs that say where packed sequences begin, and the names of those
        whose rows they are.
        """
        return self._session.offsets

    @property
    def outputs(self) -> list[tuple[str, str, list[int | str]]]:
        """Name, dtype and shape of every output."""
        return self._session.outputs

    def made_up_inputs(
        self, shapes: Mapping[str, Sequence[int]] | None = None
    ) -> Iterator[list[Array]]:
        """Inputs that nobody gave, made up in one way after the other.

        shapes: by name, of those that are known; OpError for other names
        """
        for how in runtime().synthetic_specs():
            with translated():
                arrays = self._session.synthetic_inputs(how, dict(shapes or {}))
            yield arrays

    def stop(self) -> None:
        """End the runs under way, in whatever thread, with an EngineError; later ones end
        at once.
        """
        self._session.stop()

    def run(
        self, feeds: Mapping[str, Array] | Sequence[Array], fetch: list[str] | None = None
    ) -> list[Array]:
        """The outputs, or those named in `fetch`.

        Raises OpError for wrong inputs, GuardError where the trace assumed otherwise.
        """
        try:
            return self._run(feeds, fetch)
        except self._error as error:
            raise ERRORS.get(error.kind, OarlockError)(with_user_line(str(error))) from None


def offset_inputs(files: ModelFiles) -> list[Arg]:
    """The inputs that say where packed sequences begin: the engine has them behind those of the
    program.
    """
    if not any(var.lod_level for var in files.program.block.vars.values()):
        return []
    with translated():
        names = runtime().offset_inputs(files.pdmodel, files.name)
    return [Arg(name, "int64", (-1,), name) for name in names]


def library_info(path: str | None = None) -> dict[str, Any]:
    """Path, version and providers of the engine that would be used."""
    with translated():
        return runtime().library_info(path or library_path())
