"""Run models that exist only in memory in the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...loader.engine import Engine
from ...loader.model_files import ModelFileContents
from ...loader.program_runner import create_engine_of_program
from .model import ProgramWithValues


class EngineSession:
    """The engine with a model in memory.

    outputs: variables to return; the outputs of the program if there are none.
    options: of the engine.
    """

    def __init__(
        self, model: ProgramWithValues, outputs: Sequence[str] = (), **options: Any
    ) -> None:
        self._outputs = list(outputs)
        feeds = model.program.feed_names()
        fetches = [name for name in self._outputs if name not in feeds]
        if fetches:
            options["outputs"] = fetches
        self.engine = create_engine_of_program(
            model.program, model.values, "model.pdmodel", cache_dir="none", **options
        )

    def run(self, feeds: Mapping[str, Any], names: Sequence[str] = ()) -> list[Any]:
        """Return variables for the inputs, by name.

        names: some of `outputs`; all of them if there are none.
        """
        names = names or self._outputs
        if not names:
            return self.engine.run(feeds, None)
        fetches = [name for name in names if name not in feeds]
        results = self.engine.run(feeds, fetches) if fetches else []
        by_name = {**feeds, **dict(zip(fetches, results, strict=True))}
        return [by_name[name] for name in names]


def create_engine_of_files(files: ModelFileContents) -> Engine:
    """Create the engine of a saved model, from the values in memory: a folder of Paddle 1.x may
    have a file per parameter.
    """
    return create_engine_of_program(files.program, files.values, files.name, cache_dir="none")
