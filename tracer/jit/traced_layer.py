"""TracedLayer: the program of a layer that was recorded by running it once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..capture.dynamic_shapes import program_without_guards_and_fixed_dims
from ..core.errors import OpError, append_user_line, warn
from ..core.garbage_collection import without_full_collections
from ..core.html import html_table
from ..core.tensor import Tensor
from ..ir.passes.prune import prune
from ..ir.program import Guard, Program
from ..loader.program_runner import ProgramRunner
from ..nn.layer import Layer
from ..static.graph.compiled_program import BuildStrategy, ExecutionStrategy
from .layer_capture import CHECK, CapturedProgram, copy_with_ops_in_inference_mode, trace_layer
from .model_writer import ModelToWrite, write_and_verify_model_files
from .relax_guards import relax_size_guards
from .save import (
    create_interpreter_reference,
    require_guards_config,
    require_path_prefix,
    select_names_by_index,
)


class TracedLayer:
    """The program of a layer that was recorded by running it once. Created by `TracedLayer.trace`.

    A trace contains the ops of one run, so it depends on the branches that Python code took in this
    run. `guards` lists the values that Python code read. A call with other values raises
    GuardError with the line that read the value. A call takes a list of Tensors or ndarrays and
    returns the outputs as a flat list of ndarrays.

    Parameters
    ----------
    recording : CapturedProgram
        Made by `trace`.

    Examples
    --------
    >>> net = nn.Linear(2, 3)
    >>> x = paddle.ones([4, 2])
    >>> y, traced = paddle.jit.TracedLayer.trace(net, x)
    >>> np.allclose(traced([x])[0], y.numpy())
    True
    """

    def __init__(self, recording: CapturedProgram) -> None:
        self._captured_program = recording
        self._program_runner = ProgramRunner(recording.program, recording.scope, name="traced")

    @staticmethod
    def trace(
        layer: Layer,
        inputs: Tensor | Sequence[object],
        guards: str = CHECK,
        again: Tensor | Sequence[object] | None = None,
    ) -> tuple[Any, TracedLayer]:
        """Run a layer on some inputs and record its ops.

        Parameters
        ----------
        layer : Layer
        inputs : Tensor, or list of Tensor
            One per argument of `forward`.
        guards : "check" or "drop", default "check"
            "check": a call that violates a guard raises GuardError. "drop": the guards
            are only listed, and a call that violates one returns what the recorded ops compute.
        again : Tensor, or list of Tensor, optional
            Inputs of other sizes, with which `layer` is traced a second time. If the program is the
            same, sizes that Python code only used in arithmetic may vary.

        Returns
        -------
        outputs : what the layer returned
        traced : TracedLayer

        Raises
        ------
        TypeError
            If `layer` is not a layer or `inputs` are neither a Tensor nor a list.
        ValueError
            If `guards` is neither "check" nor "drop".

        Warns
        -----
        UserWarning
            If `forward` changes parameters or buffers; the trace does not change them.

        Examples
        --------
        >>> y, traced = paddle.jit.TracedLayer.trace(nn.Linear(2, 3), paddle.ones([4, 2]))
        >>> y.shape
        [4, 3]
        >>> traced.program.feed_names(), traced.program.fetch_names()
        (['input'], ['out'])
        """
        require_guards_config("TracedLayer.trace", guards)
        if not isinstance(layer, Layer):
            raise TypeError(
                f"TracedLayer.trace: the layer should be an nn.Layer, not {type(layer).__name__}"
            )
        with without_full_collections():
            outputs, recording = trace_layer(
                layer, _to_input_list(inputs), guards, tracks_constrained_dims=again is not None
            )
            if again is not None:
                other = trace_layer(
                    layer, _to_input_list(again), guards, tracks_constrained_dims=True
                )[1]
                recording = relax_size_guards(recording, other)
        if recording.changed_state_names:
            why = (
                f"forward changes {recording.changed_state_names}; the trace does not, because it "
                "keeps no state between calls"
            )
            warn(f"TracedLayer.trace: {why}")
        return outputs, TracedLayer(recording)

    def _repr_html_(self) -> str:
        """Return a table for notebooks."""
        return html_table(self.program.summary_rows(), caption="TracedLayer")

    @property
    def program(self) -> Program:
        """The recorded Program; `print` shows it as text that oarlock.ir.parser can parse.

        Examples
        --------
        >>> y, traced = paddle.jit.TracedLayer.trace(nn.ReLU(), paddle.ones([4, 2]))
        >>> [op.type for op in traced.program.ops()]
        ['feed', 'relu', 'fetch']
        """
        return self._captured_program.program

    @property
    def guards(self) -> list[Guard]:
        """Everything that Python code read of traced values and sizes, a list of Guard.

        A Guard has the attributes `kind`, `var`, `axis`, `expected` (the value), `reader` (what was
        called) and `where` (the line). One of kind "state" is a parameter or buffer that forward
        changed; it is not stored in the file and cannot be checked. With guards="drop" the
        guards are listed as well.

        Examples
        --------
        >>> class Mean(nn.Layer):
        ...     def forward(self, x):
        ...         return x.sum() / float(x.shape[0])
        >>> y, traced = paddle.jit.TracedLayer.trace(Mean(), paddle.ones([4, 2]))
        >>> guard = traced.guards[0]
        >>> guard.var, guard.axis, guard.expected
        ('x', 0, '4')
        >>> print(guard)  # doctest: +ELLIPSIS
        x.shape[0] == 4, read by shape[0] at ...
        """
        state = [
            Guard("state", name, 0, "", "changed by forward", "", "")
            for name in self._captured_program.changed_state_names
        ]
        return [
            *self._captured_program.contract.guards,
            *self._captured_program.dropped_guards,
            *state,
        ]

    def set_strategy(
        self,
        build_strategy: BuildStrategy | None = None,
        exec_strategy: ExecutionStrategy | None = None,
    ) -> None:
        """Accept a BuildStrategy and an ExecutionStrategy without effect.

        Parameters
        ----------
        build_strategy : BuildStrategy, optional
        exec_strategy : ExecutionStrategy, optional

        Raises
        ------
        TypeError
            If an argument is neither None nor of the expected class.

        Examples
        --------
        >>> y, traced = paddle.jit.TracedLayer.trace(nn.ReLU(), paddle.ones([4, 2]))
        >>> traced.set_strategy(build_strategy=paddle.static.BuildStrategy())
        """
        for given, kind in ((build_strategy, BuildStrategy), (exec_strategy, ExecutionStrategy)):
            if given is not None and not isinstance(given, kind):
                raise TypeError(f"set_strategy: {type(given).__name__} is not a {kind.__name__}")

    def __call__(self, inputs: Any) -> list[Any]:
        """Return the outputs for a list of Tensors or ndarrays, as a flat list of ndarrays.

        Raises GuardError if a guard does not hold.
        """
        given = [inputs] if isinstance(inputs, Tensor | np.ndarray) else list(inputs)
        if len(given) != len(self._program_runner.input_names):
            raise OpError(
                append_user_line(
                    f"traced: the layer takes the inputs {self._program_runner.input_names}, "
                    f"got {len(given)}"
                )
            )
        return self._program_runner.infer(
            [g.array if isinstance(g, Tensor) else np.asarray(g) for g in given]
        )

    def save_inference_model(
        self,
        path: str | os.PathLike[str],
        feed: Sequence[int] | None = None,
        fetch: Sequence[int] | None = None,
        **configs: Any,
    ) -> None:
        """Write `path`.pdmodel and `path`.pdiparams for inference, verified.

        Parameters
        ----------
        path : str or os.PathLike
            The prefix of the files.
        feed, fetch : list of int, optional
            The indices of the inputs and outputs to save. Default: all.
        **configs
            - verify : bool, default True. Compare the files with the program.
            - guards : "check" or "drop", default "check". "drop" does not save the guards.
            - clip_extra: accepted without effect.

        Raises
        ------
        OpError
            If an index is out of range.
        ValueError
            If a config is unknown or the prefix is empty.

        Examples
        --------
        >>> y, traced = paddle.jit.TracedLayer.trace(nn.Linear(2, 3), paddle.ones([4, 2]))
        >>> traced.save_inference_model("traced")
        >>> paddle.jit.load("traced")(paddle.ones([4, 2])).shape
        [4, 3]
        """
        wanted = configs.pop("verify", True)
        guards = require_guards_config("save_inference_model", configs.pop("guards", CHECK))
        configs.pop("clip_extra", None)
        if configs:
            raise ValueError(f"save_inference_model: unknown configs {sorted(configs)}")
        prefix = require_path_prefix(path)
        program = copy_with_ops_in_inference_mode(
            self.program if guards == CHECK else program_without_guards_and_fixed_dims(self.program)
        )
        feeds = select_names_by_index("feed", program.feed_names(), feed)
        fetches = select_names_by_index("fetch", program.fetch_names(), fetch)
        given = [
            t
            for n, t in zip(program.feed_names(), self._captured_program.inputs, strict=True)
            if n in feeds
        ]
        pruned = prune(program, feeds, fetches)
        recording = replace(
            self._captured_program,
            program=pruned,
            scope=dict(self._captured_program.scope),
            inputs=given,
        )
        write_and_verify_model_files(
            [
                ModelToWrite(
                    prefix, recording, create_interpreter_reference(recording) if wanted else None
                )
            ],
            prefix,
            False,
            parameters=False,
        )


def _to_input_list(inputs: Any) -> list[Any]:
    given = [inputs] if isinstance(inputs, Tensor) else inputs
    if not isinstance(given, list | tuple):
        raise TypeError(
            f"TracedLayer.trace: inputs should be a Tensor or a list of them, not "
            f"{type(inputs).__name__}"
        )
    return list(given)
