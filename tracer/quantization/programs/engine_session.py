"""Run models that exist only in memory in the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

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
        self._fetches = [name for name in self._outputs if name not in feeds]
        if self._fetches:
            options["outputs"] = self._fetches
        self.engine = create_engine_of_program(
            model.program, model.values, "model.pdmodel", cache_dir="none", **options
        )

    def run(self, feeds: Mapping[str, Any]) -> list[Any]:
        """Return the requested variables for the inputs, by name."""
        results = self.engine.run(feeds, self._fetches or None)
        if not self._outputs:
            return results
        by_name = {**feeds, **dict(zip(self._fetches, results, strict=False))}
        return [by_name[name] for name in self._outputs]
