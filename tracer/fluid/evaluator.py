"""Metrics that are part of a program: fluid.evaluator, of which fluid.metrics took the place in 1.x
already.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import OpError, with_user_line
from ..static import Program, Variable, default_main_program
from . import layers as _layers
from .deprecated import instead
from .detection_metric import DetectionMAP as _DetectionMAP
from .framework import program_guard
from .layer_helper import LayerHelper

__all__ = ["ChunkEvaluator", "DetectionMAP", "EditDistance"]

layers: Any = _layers  # most functions are generated from a table


class Evaluator:
    """Base.

    states: variables that add up over batches, set to zero by `reset`; metrics: of one batch
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        if default_main_program().current_block().idx != 0:
            raise OpError(
                with_user_line(f"{type(self).__name__}: belongs outside of loops and branches")
            )
        self.states: list[Variable] = []
        self.metrics: list[Variable] = []
        self.helper = LayerHelper(name, **kwargs)

    def reset(self, executor: Any, reset_program: Program | None = None) -> None:
        """Set all states to zero."""
        program = Program() if reset_program is None else reset_program
        with program_guard(program):
            for state in self.states:
                layers.fill_constant(state.shape, state.dtype, 0.0, out=_again(program, state))
        executor.run(program)

    def eval(self, executor: Any, eval_program: Program | None = None) -> Any:
        """What the states say."""
        raise NotImplementedError

    def _added_up(self, value: Any, suffix: str, dtype: str) -> Variable:
        """A state that each run adds a value to."""
        made: Variable = self.helper.create_variable(
            name=f"{self.helper.name}_{suffix}", persistable=True, dtype=dtype, shape=[1]
        )
        self.states.append(made)
        layers.sums(input=[made, value], out=made)
        return made

    def _values(self, executor: Any, program: Program | None) -> list[float]:
        """What the states hold."""
        asked = Program() if program is None else program
        fetched = executor.run(asked, fetch_list=[_again(asked, state) for state in self.states])
        return [float(np.asarray(value).reshape(())) for value in fetched]


def _again(program: Program, state: Variable) -> Any:
    """The same variable in another program."""
    block = program.global_block()
    return block.create_var(name=state.name, shape=state.shape, dtype=state.dtype, persistable=True)


@instead("fluid.evaluator.ChunkEvaluator", "fluid.metrics.ChunkEvaluator")
class ChunkEvaluator(Evaluator):
    """Chunks that are found, that there are, and that are right; see layers.chunk_eval.

    eval -> precision, recall, F1, float32 [1] each
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
        *shares, inferred, labelled, correct = layers.chunk_eval(
            input, label, chunk_scheme, num_chunk_types, excluded_chunk_types
        )
        self.num_infer_chunks = self._added_up(inferred, "num_infer_chunks", "int64")
        self.num_label_chunks = self._added_up(labelled, "num_label_chunks", "int64")
        self.num_correct_chunks = self._added_up(correct, "num_correct_chunks", "int64")
        self.metrics += shares

    def eval(self, executor: Any, eval_program: Program | None = None) -> tuple[Any, Any, Any]:
        """Of all batches since `reset`."""
        inferred, labelled, correct = self._values(executor, eval_program)
        precision = correct / inferred if inferred else 0.0
        recall = correct / labelled if labelled else 0.0
        f1 = 2 * precision * recall / (precision + recall) if correct else 0.0
        return tuple(np.array([v], np.float32) for v in (precision, recall, f1))  # type: ignore[return-value]


@instead("fluid.evaluator.EditDistance", "fluid.metrics.EditDistance")
class EditDistance(Evaluator):
    """How far sequences are from what they should be; see layers.edit_distance.

    eval -> mean distance, share of wrong ones, float32 [1]
    """

    def __init__(self, input: Any, label: Any, ignored_tokens: Any = None, **kwargs: Any) -> None:
        super().__init__("edit_distance", **kwargs)
        distances, count = layers.edit_distance(input, label, ignored_tokens=ignored_tokens)
        right = layers.cast(
            layers.equal(distances, layers.fill_constant([1], "float32", 0.0)), "int64"
        )
        wrong = layers.elementwise_sub(count, layers.reduce_sum(right))
        total = layers.reduce_sum(distances)
        self.total_distance = self._added_up(total, "total_distance", "float32")
        self.seq_num = self._added_up(count, "seq_num", "int64")
        self.instance_error = self._added_up(wrong, "instance_error", "int64")
        self.metrics += [total, wrong]

    def eval(self, executor: Any, eval_program: Program | None = None) -> tuple[Any, Any]:
        """Of all batches since `reset`; nan for none."""
        total, count, wrong = (
            np.array([v], np.float32) for v in self._values(executor, eval_program)
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            return total / count, wrong / count


@instead("fluid.evaluator.DetectionMAP", "fluid.metrics.DetectionMAP")
class DetectionMAP(_DetectionMAP):
    """As fluid.metrics.DetectionMAP."""
