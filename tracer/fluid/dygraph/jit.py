"""Layers and functions as programs: fluid.dygraph.TracedLayer, declarative, dygraph_to_static_func,
ProgramTranslator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...core.errors import MisfitError, OperandError, OpError, with_user_line
from ...core.tensor import Tensor
from ...ir.passes.prune import prune
from ...jit.api import dygraph_to_static_func, to_static
from ...jit.dy2static.program_translator import ProgramTranslator
from ...jit.layer_capture import for_inference
from ...jit.save import select_names
from ...jit.traced_layer import TracedLayer as _TracedLayer
from ...nn.layer import Layer
from ...static import BuildStrategy, ExecutionStrategy
from ...static.graph.program import Program
from ..deprecated import instead
from ..io.models import write_model

__all__ = ["ProgramTranslator", "TracedLayer", "declarative", "dygraph_to_static_func"]


def _flat(inputs: Any) -> list[Any]:
    if isinstance(inputs, Tensor):
        return [inputs]
    return [t for one in inputs for t in _flat(one)] if isinstance(inputs, list | tuple) else []


class TracedLayer:
    """The program of a layer that was run once.   Made by `TracedLayer.trace`."""

    def __init__(self, program: Any, parameters: Any, feed_names: Any, fetch_names: Any) -> None:
        self._program, self._params, self._feed_names, self._fetch_names = (
            program,
            parameters,
            feed_names,
            fetch_names,
        )
        self._traced: Any = None

    @staticmethod
    @instead("fluid.dygraph.TracedLayer", "paddle.jit.to_static and paddle.jit.save")
    def trace(layer: Any, inputs: Any) -> tuple[Any, TracedLayer]:
        """Run `layer` on `inputs` (a variable or a list of them); gives what it gave, and the
        TracedLayer.
        """
        if not isinstance(layer, Layer):
            raise AssertionError(f"TracedLayer.trace: {type(layer).__name__} is not a Layer")
        if not _flat(inputs) and inputs not in ([], ()):
            raise OperandError(
                with_user_line(f"TracedLayer.trace: inputs should be variables, not {inputs!r:.80}")
            )
        outputs, traced = _TracedLayer.trace(layer, inputs, guards="drop")
        desc = traced.program
        made = TracedLayer(Program.of(desc), list(layer.parameters()), desc.feeds(), desc.fetches())
        made._traced = traced
        return outputs, made

    @property
    def program(self) -> Any:
        """The program."""
        return self._program

    def set_strategy(self, build_strategy: Any = None, exec_strategy: Any = None) -> None:
        """Taken, and nothing changes by it.   Raises AssertionError for what are no strategies."""
        for given, kind in ((build_strategy, BuildStrategy), (exec_strategy, ExecutionStrategy)):
            if not isinstance(given, kind | None):
                raise MisfitError(
                    with_user_line(f"set_strategy: {type(given).__name__} is not a {kind.__name__}")
                )

    def __call__(self, inputs: Any) -> Any:
        """The outputs for a list of variables, as ndarrays.

        Raises AssertionError for another number of them than was traced.
        """
        given = _flat(inputs)
        if len(given) != len(self._feed_names):
            raise MisfitError(
                with_user_line(f"TracedLayer: takes {self._feed_names}, got {len(given)} inputs")
            )
        return self._traced(given)

    @instead("fluid.dygraph.TracedLayer.save_inference_model", "paddle.jit.save")
    def save_inference_model(
        self,
        dirname: str | None = None,
        feed: Sequence[int] | None = None,
        fetch: Sequence[int] | None = None,
        path: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Write the folder `dirname` with `__model__` and a file for every parameter.

        feed, fetch: which, by number; all unless given

        path: the prefix of the two files of Paddle 2, which its `fluid` writes in place of the
        folder.
        """
        if (dirname is None) == (path is None):
            raise TypeError(with_user_line("save_inference_model: give either dirname or path"))
        if path is not None:
            self._traced.save_inference_model(path, feed, fetch, **kwargs)
            return
        if not isinstance(dirname, str):
            raise OperandError(
                with_user_line(
                    f"save_inference_model: dirname should be a str, not {dirname!r:.80}"
                )
            )
        if not dirname:
            raise OpError(with_user_line("save_inference_model: dirname is empty"))
        recording = self._traced._recording
        program = for_inference(recording.program)
        feeds, fetches = (
            select_names("feed", program.feeds(), feed),
            select_names("fetch", program.fetches(), fetch),
        )
        pruned = prune(program, feeds, fetches)
        write_model(
            pruned,
            {name: tensor.array for name, tensor in recording.scope.items()},
            dirname,
            None,
            None,
        )


@instead("fluid.dygraph.declarative", "paddle.jit.to_static")
def declarative(func: Callable[..., Any]) -> Any:
    """A function whose Python control flow is in the program that it becomes."""
    return to_static(func)
