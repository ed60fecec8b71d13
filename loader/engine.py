"""The engine: runs a program in the C++ runtime, on ONNX Runtime. Errors of the C++ runtime are
raised as Oarlock's Python exceptions.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import OarlockError, OpError, append_user_line
from ..ir.dim import Dim
from ..ir.program import ContractInputOrOutput
from .model_files import ModelFileContents
from .runtime import ERROR_CLASSES, runtime_module, translate_runtime_errors

Array = np.ndarray[Any, Any]


@cache
def ort_library_path() -> str:
    """Return the path of ONNX Runtime's library: that in OARLOCK_ORT_LIBRARY, otherwise that in the
    installed onnxruntime package; '' if there is none. Imports nothing.
    """
    if os.environ.get("OARLOCK_ORT_LIBRARY"):
        return os.environ["OARLOCK_ORT_LIBRARY"]
    spec = importlib.util.find_spec("onnxruntime")
    for folder in (spec.submodule_search_locations or []) if spec is not None else []:
        libraries = sorted(Path(folder, "capi").glob("libonnxruntime.so*"))
        if libraries:
            return str(libraries[-1])
    return ""


def check_engine_options(options: Mapping[str, Any]) -> None:
    """Raise OpError for unknown or invalid options of an Engine. Does not load ONNX Runtime."""
    if options:
        with translate_runtime_errors():
            runtime_module().check_options(dict(options))


class Engine:
    """A session of ONNX Runtime for one program.

    pdmodel: the bytes of the program.
    params: the path of the parameter file; None if there are no parameters.
    options: see oarlock.jit.load.
    """

    def __init__(
        self, pdmodel: bytes, params: str | None, name: str = "model.pdmodel", **options: Any
    ) -> None:
        options.setdefault("ort_library", ort_library_path())
        with translate_runtime_errors():
            self._session = runtime_module().Session(pdmodel, params, options, name)
        self._session_run = self._session.run
        self._runtime_error = runtime_module().Error

    @property
    def inputs(self) -> list[tuple[str, str, list[int | str]]]:
        """Name, dtype and shape of every input."""
        return self._session.inputs

    @property
    def named_dims(self) -> list[tuple[str, int, Dim]]:
        """The named dimensions of the inputs, each as a tuple: name of the input, axis, and Dim."""
        return [
            (name, axis, Dim(dim_name, least, most or None, multiple))
            for name, axis, dim_name, least, most, multiple in self._session.named_dims
        ]

    @property
    def row_split_owners(self) -> dict[str, str]:
        """The inputs and outputs that hold the row splits of packed sequences, with the names of
        the tensors that they belong to.
        """
        return self._session.offsets

    @property
    def outputs(self) -> list[tuple[str, str, list[int | str]]]:
        """Name, dtype and shape of every output."""
        return self._session.outputs

    def iter_synthetic_input_sets(
        self, shapes: Mapping[str, Sequence[int]] | None = None
    ) -> Iterator[list[Array]]:
        """Yield sets of synthetic inputs with different sizes and values. A set with too many
        elements is skipped, or raises OpError if `shapes` is given.

        shapes: the shapes of some inputs, by name. Raises OpError for unknown names.
        """
        for spec in runtime_module().synthetic_input_options_to_try():
            try:
                with translate_runtime_errors():
                    arrays = self._session.synthetic_inputs(spec, dict(shapes or {}))
            except OpError:  # too many elements, or an invalid shape
                if shapes:
                    raise
                continue
            yield arrays

    def stop(self) -> None:
        """Stop all current runs, in any thread, with an EngineError; later runs end at once."""
        self._session.stop()

    def end_profile(self) -> str:
        """End profiling, and return the path of the profile; '' without the option `profile`."""
        path: str = self._session.end_profile()
        return path

    def run(
        self, feeds: Mapping[str, Array] | Sequence[Array], fetch: list[str] | None = None
    ) -> list[Array]:
        """Run the program. Return its outputs, or the values of the variables named in `fetch`.

        Raises OpError for invalid inputs, and GuardError for a violated guard.
        """
        try:
            return self._session_run(feeds, fetch)
        except self._runtime_error as error:
            raise ERROR_CLASSES.get(error.kind, OarlockError)(
                append_user_line(str(error))
            ) from None


def make_row_splits_input_specs(files: ModelFileContents) -> list[ContractInputOrOutput]:
    """Return the specifications of the additional inputs that hold the row splits of packed
    sequences. In the engine these additional inputs follow the inputs of the program.
    """
    if not any(var.lod_level for var in files.program.block.vars.values()):
        return []
    with translate_runtime_errors():
        names = runtime_module().offset_inputs(files.pdmodel, files.name)
    return [ContractInputOrOutput(name, "int64", (-1,), name) for name in names]


def ort_library_info(path: str | None = None) -> dict[str, Any]:
    """Return the path, the version and the providers of ONNX Runtime."""
    with translate_runtime_errors():
        return runtime_module().ort_library_info(path or ort_library_path())
