"""Metrics as parts of a program: `fluid.evaluator`, which `fluid.metrics` replaced in Paddle
1.x.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import OpError, append_user_line
from ..static import Program, Variable, default_main_program
from . import layers as _layers
from .deprecated import warn_deprecated_on_first_use
from .detection_metric import DetectionMAP as _DetectionMAP
from .framework import program_guard
from .layer_helper import LayerHelper

__all__ = ["ChunkEvaluator", "DetectionMAP", "EditDistance"]

layers: Any = _layers  # most functions are generated from a table


class Evaluator:
    """Base class.

    states: variables that accumulate over batches; `reset` sets them to zero
    metrics: variables of one batch
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        if default_main_program().current_block().idx != 0:
            raise OpError(
                append_user_line(f"{type(self).__name__}: must be created outside of sub-blocks")
            )
        self.states: list[Variable] = []
        self.metrics: list[Variable] = []
        self.helper = LayerHelper(name, **kwargs)

    def reset(self, executor: Any, reset_program: Program | None = None) -> None:
        """Set all states of the evaluator to zero."""
        program = Program() if reset_program is None else reset_program
        with program_guard(program):
            for state in self.states:
                layers.fill_constant(
                    state.shape, state.dtype, 0.0, out=_declare_state_in_program(program, state)
                )
        executor.run(program)

    def eval(self, executor: Any, eval_program: Program | None = None) -> Any:
        """Return the metrics of all batches since `reset`."""
        raise NotImplementedError

    def _create_accumulating_state(self, value: Any, suffix: str, dtype: str) -> Variable:
        """Create a state variable to which each run of the program adds `value`."""
        state: Variable = self.helper.create_variable(
            name=f"{self.helper.name}_{suffix}", persistable=True, dtype=dtype, shape=[1]
        )
        self.states.append(state)
        layers.sums(input=[state, value], out=state)
        return state

    def _fetch_states(self, executor: Any, program: Program | None) -> list[float]:
        """Return the values of all states of the evaluator."""
        program = Program() if program is None else program
        values = executor.run(
            program, fetch_list=[_declare_state_in_program(program, state) for state in self.states]
        )
        return [float(np.asarray(value).reshape(())) for value in values]


def _declare_state_in_program(program: Program, state: Variable) -> Any:
    """Declare the variable of a state in `program`, so that this program can read or write the
    state.
    """
    block = program.global_block()
    return block.create_var(name=state.name, shape=state.shape, dtype=state.dtype, persistable=True)


@warn_deprecated_on_first_use("fluid.evaluator.ChunkEvaluator", "fluid.metrics.ChunkEvaluator")
class ChunkEvaluator(Evaluator):
    """Evaluator of chunks: sums the numbers of inferred, labeled and correct chunks, as
    `layers.chunk_eval` counts them.

    `eval` returns precision, recall and F1, each float32 [1].
    """

    def __init__(
        self,
        input: Any,
        label: Any,
        chunk_scheme: str,
        num_chunk_types: int,
        excluded_chunk_types: Any = None,
    ) -> None:
        super().__init__("chunk_eval")
        *metrics, inferred, labeled, correct = layers.chunk_eval(
            input, label, chunk_scheme, num_chunk_types, excluded_chunk_types
        )
        self.num_infer_chunks = self._create_accumulating_state(
            inferred, "num_infer_chunks", "int64"
        )
        self.num_label_chunks = self._create_accumulating_state(
            labeled, "num_label_chunks", "int64"
        )
        self.num_correct_chunks = self._create_accumulating_state(
            correct, "num_correct_chunks", "int64"
        )
        self.metrics += metrics

    def eval(self, executor: Any, eval_program: Program | None = None) -> tuple[Any, Any, Any]:
        """Return precision, recall and F1 of all batches since `reset`."""
        inferred, labeled, correct = self._fetch_states(executor, eval_program)
        precision = correct / inferred if inferred else 0.0
        recall = correct / labeled if labeled else 0.0
        f1 = 2 * precision * recall / (precision + recall) if correct else 0.0
        return tuple(np.array([v], np.float32) for v in (precision, recall, f1))  # type: ignore[return-value]


@warn_deprecated_on_first_use("fluid.evaluator.EditDistance", "fluid.metrics.EditDistance")
class EditDistance(Evaluator):
    """Evaluator of the edit distances of sequences to their labels, as `layers.edit_distance`
    computes them.

    `eval` returns the mean distance and the fraction of wrong sequences, each float32 [1].
    """

    def __init__(self, input: Any, label: Any, ignored_tokens: Any = None, **kwargs: Any) -> None:
        super().__init__("edit_distance", **kwargs)
        distances, count = layers.edit_distance(input, label, ignored_tokens=ignored_tokens)
        right = layers.cast(
            layers.equal(distances, layers.fill_constant([1], "float32", 0.0)), "int64"
        )
        wrong = layers.elementwise_sub(count, layers.reduce_sum(right))
        total = layers.reduce_sum(distances)
        self.total_distance = self._create_accumulating_state(total, "total_distance", "float32")
        self.seq_num = self._create_accumulating_state(count, "seq_num", "int64")
        self.instance_error = self._create_accumulating_state(wrong, "instance_error", "int64")
        self.metrics += [total, wrong]

    def eval(self, executor: Any, eval_program: Program | None = None) -> tuple[Any, Any]:
        """Return the metrics of all batches since `reset`; NaN if there were no batches."""
        total, count, wrong = (
            np.array([v], np.float32) for v in self._fetch_states(executor, eval_program)
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            return total / count, wrong / count


@warn_deprecated_on_first_use("fluid.evaluator.DetectionMAP", "fluid.metrics.DetectionMAP")
class DetectionMAP(_DetectionMAP):
    """Evaluator of the mean average precision of a detector; same as
    `fluid.metrics.DetectionMAP`.
    """
