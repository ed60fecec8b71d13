"""Capture of layers and functions: `fluid.dygraph.TracedLayer`, declarative,
dygraph_to_static_func, ProgramTranslator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...core.errors import ArgumentAssertionError, OperandError, OpError, append_user_line
from ...core.tensor import Tensor
from ...ir.passes.prune import prune
from ...jit.api import dygraph_to_static_func, to_static
from ...jit.dy2static.program_translator import ProgramTranslator
from ...jit.layer_capture import copy_with_ops_in_inference_mode
from ...jit.save import select_names_by_index
from ...jit.traced_layer import TracedLayer as _TracedLayer
from ...nn.layer import Layer
from ...static import BuildStrategy, ExecutionStrategy
from ...static.graph.program import Program
from ..deprecated import warn_deprecated_on_first_use
from ..io.models import convert_in_place_and_write_paddle1_model

__all__ = ["ProgramTranslator", "TracedLayer", "declarative", "dygraph_to_static_func"]


def _collect_nested_tensors(inputs: Any) -> list[Any]:
    if isinstance(inputs, Tensor):
        return [inputs]
    return (
        [t for item in inputs for t in _collect_nested_tensors(item)]
        if isinstance(inputs, list | tuple)
        else []
    )


class TracedLayer:
    """The program of a layer, captured by `TracedLayer.trace`.

    The newer name is `paddle.jit.TracedLayer`.
    """

    def __init__(self, program: Any, parameters: Any, feed_names: Any, fetch_names: Any) -> None:
        self._program, self._params, self._feed_names, self._fetch_names = (
            program,
            parameters,
            feed_names,
            fetch_names,
        )
        self._traced: Any = None

    @staticmethod
    @warn_deprecated_on_first_use(
        "fluid.dygraph.TracedLayer", "paddle.jit.to_static and paddle.jit.save"
    )
    def trace(layer: Any, inputs: Any) -> tuple[Any, TracedLayer]:
        """Run `layer` on `inputs`, a variable or a list of variables. Returns the outputs of the
        layer and a TracedLayer, the captured program.
        """
        if not isinstance(layer, Layer):
            raise AssertionError(f"TracedLayer.trace: {type(layer).__name__} is not a Layer")
        if not _collect_nested_tensors(inputs) and inputs not in ([], ()):
            raise OperandError(
                append_user_line(f"TracedLayer.trace: inputs must be variables, not {inputs!r:.80}")
            )
        outputs, traced = _TracedLayer.trace(layer, inputs, guards="drop")
        desc = traced.program
        layer_program = TracedLayer(
            Program.view_of_raw(desc),
            list(layer.parameters()),
            desc.feed_names(),
            desc.fetch_names(),
        )
        layer_program._traced = traced
        return outputs, layer_program

    @property
    def program(self) -> Any:
        """The captured program."""
        return self._program

    def set_strategy(self, build_strategy: Any = None, exec_strategy: Any = None) -> None:
        """Check that the arguments are a BuildStrategy and an ExecutionStrategy or None; strategies
        have no effect. Raises AssertionError for other types.
        """
        for strategy, cls in ((build_strategy, BuildStrategy), (exec_strategy, ExecutionStrategy)):
            if not isinstance(strategy, cls | None):
                raise ArgumentAssertionError(
                    append_user_line(
                        f"set_strategy: {type(strategy).__name__} is not a {cls.__name__}"
                    )
                )

    def __call__(self, inputs: Any) -> Any:
        """Run the program on a list of variables; returns the outputs as ndarrays.

        Raises AssertionError for another number of inputs.
        """
        tensors = _collect_nested_tensors(inputs)
        if len(tensors) != len(self._feed_names):
            raise ArgumentAssertionError(
                append_user_line(
                    f"TracedLayer: takes {self._feed_names}, got {len(tensors)} inputs"
                )
            )
        return self._traced(tensors)

    @warn_deprecated_on_first_use(
        "fluid.dygraph.TracedLayer.save_inference_model", "paddle.jit.save"
    )
    def save_inference_model(
        self,
        dirname: str | None = None,
        feed: Sequence[int] | None = None,
        fetch: Sequence[int] | None = None,
        path: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Write the folder `dirname` with `__model__` and a file for every parameter.

        feed, fetch: indices of the inputs and outputs, by default all
        path: prefix of the two files of Paddle 2, which its `fluid` writes instead of a folder
        """
        if (dirname is None) == (path is None):
            raise TypeError(
                append_user_line("save_inference_model: requires either dirname or path")
            )
        if path is not None:
            self._traced.save_inference_model(path, feed, fetch, **kwargs)
            return
        if not isinstance(dirname, str):
            raise OperandError(
                append_user_line(
                    f"save_inference_model: dirname must be a str, not {dirname!r:.80}"
                )
            )
        if not dirname:
            raise OpError(append_user_line("save_inference_model: dirname is empty"))
        recording = self._traced._captured_program
        program = copy_with_ops_in_inference_mode(recording.program)
        feeds, fetches = (
            select_names_by_index("feed", program.feed_names(), feed),
            select_names_by_index("fetch", program.fetch_names(), fetch),
        )
        pruned = prune(program, feeds, fetches)
        convert_in_place_and_write_paddle1_model(
            pruned,
            {name: tensor.array for name, tensor in recording.scope.items()},
            dirname,
            None,
            None,
        )


@warn_deprecated_on_first_use("fluid.dygraph.declarative", "paddle.jit.to_static")
def declarative(func: Callable[..., Any]) -> Any:
    """Convert a function with Python control flow to a program, like `paddle.jit.to_static`."""
    return to_static(func)
