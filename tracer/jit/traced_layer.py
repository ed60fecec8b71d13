"""TracedLayer: a layer run once, and the program that came of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..capture.dynamic_shapes import without_guards
from ..core.errors import OpError, warn, with_user_line
from ..core.tensor import Tensor
from ..ir.passes.prune import prune
from ..ir.program import Guard, Program
from ..loader.program_runner import ProgramRunner
from ..nn.layer import Layer
from ..static.graph.compiled_program import BuildStrategy, ExecutionStrategy
from .layer_capture import CHECK, Recording, for_inference, trace
from .model_writer import Model, write_all
from .relax_guards import relaxed
from .save import checked_guards, checked_path, chosen_names, interpreted


class TracedLayer:
    """The program of a layer, recorded by running it.   Made by `TracedLayer.trace`.

    A trace holds what was run: Python's decisions are in it as they fell.  What they were based on
    is listed by `assumptions`, and a call for which one does not hold is refused with the line that
    read it.
    """

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._runner = ProgramRunner(recording.program, recording.scope, name="traced")

    @staticmethod
    def trace(
        layer: Layer, inputs: Any, guards: str = CHECK, again: Any = None
    ) -> tuple[Any, TracedLayer]:
        """Run `layer` on `inputs` (a Tensor, or a list of them, one per argument); gives its
        outputs and the TracedLayer.

        guards: 'check', or 'drop' for assumptions that are only listed: then a call may be given
        what they did not hold for, and what
        comes out is what the trace makes of it.
        again: inputs of other sizes, on which `layer` is run as well: where the program is the
        same, sizes that Python only computed with, and that were others, may vary.
        """
        checked_guards("TracedLayer.trace", guards)
        if not isinstance(layer, Layer):
            raise TypeError(
                f"TracedLayer.trace: the layer should be an nn.Layer, not {type(layer).__name__}"
            )
        outputs, recording = trace(layer, _listed(inputs), guards, watches=again is not None)
        if again is not None:
            recording = relaxed(recording, trace(layer, _listed(again), guards, watches=True)[1])
        if recording.changed:
            why = (
                f"forward changes {recording.changed}; the trace does not, it keeps nothing "
                f"from call to call"
            )
            warn(f"TracedLayer.trace: {why}")
        return outputs, TracedLayer(recording)

    @property
    def program(self) -> Program:
        """The program; `print` shows it as text that oarlock.ir.parser reads back."""
        return self._recording.program

    @property
    def assumptions(self) -> list[Guard]:
        """Everything Python read of traced values and sizes: what was read, what it was, and the
        line that read it.

        Of kind 'state': a parameter or buffer that forward changed.
        That is not in the file, and cannot be checked. With guards='drop' they are listed all the
        same.
        """
        state = [
            Guard("state", name, 0, "", "changed by forward", "", "")
            for name in self._recording.changed
        ]
        return [*self._recording.contract.guards, *self._recording.dropped, *state]

    def set_strategy(
        self,
        build_strategy: BuildStrategy | None = None,
        exec_strategy: ExecutionStrategy | None = None,
    ) -> None:
        """Taken, and nothing changes by it.   Raises TypeError for what is no strategy."""
        for given, kind in ((build_strategy, BuildStrategy), (exec_strategy, ExecutionStrategy)):
            if given is not None and not isinstance(given, kind):
                raise TypeError(f"set_strategy: {type(given).__name__} is no {kind.__name__}")

    def __call__(self, inputs: Any) -> list[Any]:
        """The outputs for a list of Tensors or ndarrays, flat, as ndarrays.

        Raises GuardError where an assumption does not hold.
        """
        given = [inputs] if isinstance(inputs, Tensor | np.ndarray) else list(inputs)
        if len(given) != len(self._runner.feeds):
            raise OpError(
                with_user_line(f"traced: takes {self._runner.feeds}, got {len(given)} inputs")
            )
        return self._runner.infer(
            [g.array if isinstance(g, Tensor) else np.asarray(g) for g in given]
        )

    def save_inference_model(
        self,
        path: str | os.PathLike[str],
        feed: Sequence[int] | None = None,
        fetch: Sequence[int] | None = None,
        **configs: Any,
    ) -> None:
        """Write `path`.pdmodel and `path`.pdiparams, set to inference, and verified.

        feed, fetch: which inputs and outputs, by number; all of them unless given.
        verify=False leaves out the comparison. guards='drop' leaves out the assumptions: nobody
        checks them then.
        """
        wanted = configs.pop("verify", True)
        guards = checked_guards("save_inference_model", configs.pop("guards", CHECK))
        configs.pop("clip_extra", None)
        if configs:
            raise ValueError(f"save_inference_model: there is no config {sorted(configs)}")
        prefix = checked_path(path)
        program = for_inference(self.program if guards == CHECK else without_guards(self.program))
        feeds = chosen_names("feed", program.feeds(), feed)
        fetches = chosen_names("fetch", program.fetches(), fetch)
        given = [
            t for n, t in zip(program.feeds(), self._recording.given, strict=True) if n in feeds
        ]
        pruned = prune(program, feeds, fetches)
        recording = replace(
            self._recording, program=pruned, scope=dict(self._recording.scope), given=given
        )
        write_all(
            [Model(prefix, recording, interpreted(recording) if wanted else None)],
            prefix,
            False,
            parameters=False,
        )


def _listed(inputs: Any) -> list[Any]:
    given = [inputs] if isinstance(inputs, Tensor) else inputs
    if not isinstance(given, list | tuple):
        raise TypeError(
            f"TracedLayer.trace: inputs should be a Tensor or a list of them, not "
            f"{type(inputs).__name__}"
        )
    return list(given)
