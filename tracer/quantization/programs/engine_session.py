"""Run models that exist only in memory in the engine."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...export import pdiparams_writer, pdmodel
from ...loader.engine import Engine
from .model import ProgramWithValues


class EngineSession:
    """The engine with a model in memory; its parameters are in a temporary file.

    outputs: variables to return; the outputs of the program if there are none.
    options: of the engine.
    """

    def __init__(
        self, model: ProgramWithValues, outputs: Sequence[str] = (), **options: Any
    ) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="oarlock-quantize-")
        self._outputs = list(outputs)
        feeds = model.program.feed_names()
        self._fetches = [name for name in self._outputs if name not in feeds]
        path = None
        if model.values:
            path = str(Path(self._folder.name) / "model.pdiparams")
            with open(path, "wb") as file:
                pdiparams_writer.write(model.values, file)
        if self._fetches:
            options["outputs"] = self._fetches
        self.engine = Engine(
            pdmodel.to_bytes(model.program), path, "model.pdmodel", cache_dir="none", **options
        )

    def run(self, feeds: Mapping[str, Any]) -> list[Any]:
        """Return the requested variables for the inputs, by name."""
        results = self.engine.run(feeds, self._fetches or None)
        if not self._outputs:
            return results
        by_name = {**feeds, **dict(zip(self._fetches, results, strict=False))}
        return [by_name[name] for name in self._outputs]

    def close(self) -> None:
        """Release the engine and the temporary file."""
        del self.engine
        self._folder.cleanup()

    def __enter__(self) -> EngineSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
