"""Run models that exist only in memory in the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...jit.verify import describe_loops
from ...loader.program_engine import create_engine_of_program
from .model import ProgramWithValues
from .run_timeout import DEFAULT_RUN_TIMEOUT, stopping_endless_runs


class EngineSession:
    """A session of the engine for a model in memory.

    outputs: variables to return; the outputs of the program if there are none.
    run_timeout: seconds after which a run is an error if the program has loops.
    options: those of Engine.
    """

    def __init__(
        self,
        model: ProgramWithValues,
        outputs: Sequence[str] = (),
        *,
        run_timeout: float = DEFAULT_RUN_TIMEOUT,
        **options: Any,
    ) -> None:
        self._loops, self._run_timeout = describe_loops(model.program), run_timeout
        self._outputs = list(outputs)
        feeds = model.program.feed_names()
        fetches = [name for name in self._outputs if name not in feeds]
        if fetches:
            options["outputs"] = fetches
        self.engine = create_engine_of_program(
            model.program, model.values, "model.pdmodel", cache_dir="none", **options
        )

    def run(self, feeds: Mapping[str, Any], names: Sequence[str] = ()) -> list[Any]:
        """Run the model, and return the values of `names` in this order.

        feeds: arrays by input name.
        names: some of `outputs`; all of them if there are none.

        Raises RunTimeoutError if a run does not end within the timeout, because of a loop.
        """
        with stopping_endless_runs(self.engine, self._loops, self._run_timeout, "the data"):
            return self._run(feeds, names or self._outputs)

    def _run(self, feeds: Mapping[str, Any], names: Sequence[str]) -> list[Any]:
        if not names:
            return self.engine.run(feeds, None)
        fetches = [name for name in names if name not in feeds]
        results = self.engine.run(feeds, fetches) if fetches else []
        by_name = {**feeds, **dict(zip(fetches, results, strict=True))}
        return [by_name[name] for name in names]
