"""`DynamicRNN` of Paddle 1.x: a step function that runs along sequences of different lengths.

The sequences are padded to the longest one, and each step runs for all of them. Outputs beyond the
end of a sequence are dropped. Paddle runs a step only for the sequences that have not ended; the
results are equal if the step handles each row independently.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...core.dtype import parse_dtype
from ...core.errors import OpError, append_user_line
from ...core.op import OPS
from ...core.tensor import Tensor
from .static_rnn import StaticRNN


class DynamicRNN:
    """A recurrent network: `with rnn.block():` defines one step for the rows of the sequences,
    `rnn()` returns the outputs with the LoD of the inputs.

    In the block, `step_input` returns the rows of a step, `static_input` a tensor that all steps
    read, and `memory` a value from the previous step, which `update_memory` sets for the next step;
    `output` defines outputs.
    """

    def __init__(self, name: str | None = None) -> None:
        self._static_rnn = StaticRNN(name or "dynamic_rnn")
        self._first_padded_input: Tensor | None = None  # the first input, padded: [T, n, ...]
        self._sequence_lengths: Tensor | None = None

    @contextmanager
    def block(self) -> Iterator[None]:
        """Return the context manager whose `with` body defines the step."""
        with self._static_rnn.step():
            yield

    def step_input(self, x: Tensor, level: int = 0) -> Any:
        """Return one row of each sequence for the current step, [n, ...]; n is the number of
        sequences.

        x: the sequences, concatenated along the first axis, [R, ...]; created before the block.
        """
        if level:
            raise OpError(
                append_user_line(f"DynamicRNN.step_input: level={level} is not supported, only 0")
            )
        if not isinstance(x, Tensor):
            raise TypeError(
                append_user_line(
                    f"DynamicRNN.step_input: x should be a variable, not {type(x).__name__}"
                )
            )
        with self._static_rnn.record_in_outer_block():
            zero = OPS["fill_constant"](shape=[1], value=0.0, dtype=x.dtype.proto)
            padded, lengths = OPS["sequence_pad"](x, None, zero)
            time_major = OPS["transpose2"](padded, axis=[1, 0, *range(2, len(padded.meta.shape))])
        if self._first_padded_input is None:
            self._first_padded_input, self._sequence_lengths = time_major, lengths
        return self._static_rnn.step_input(time_major)

    def static_input(self, x: Tensor) -> Tensor:
        """Return `x` unchanged, for reading in all steps."""
        if self._first_padded_input is None:
            raise OpError(append_user_line("DynamicRNN.static_input: call step_input first"))
        return x

    def memory(
        self,
        init: Tensor | None = None,
        shape: Sequence[int] | None = None,
        value: float = 0.0,
        need_reorder: bool = False,
        dtype: Any = "float32",
    ) -> Any:
        """Return a memory: a value that is carried from step to step. The initial value of the
        memory is `init` [n, ...], or a tensor of shape [n, *shape] filled with `value`.

        need_reorder: if True, row i of `init` belongs to sequence i; otherwise, as in Paddle 1.x,
        to the i-th longest sequence.
        """
        if init is None:
            if self._first_padded_input is None or shape is None:
                raise OpError(
                    append_user_line(
                        "DynamicRNN.memory: without init, it needs a shape and an earlier call of "
                        "step_input"
                    )
                )
            with self._static_rnn.record_in_outer_block():
                init = OPS["fill_constant_batch_size_like"](
                    self._first_padded_input,
                    shape=[-1, *(int(d) for d in shape)],
                    value=float(value),
                    dtype=parse_dtype(dtype).proto,
                    input_dim_idx=1,
                    output_dim_idx=0,
                )
        elif not need_reorder:
            init = self._reorder_init_from_length_order(init)
        return self._static_rnn.memory(init)

    def _reorder_init_from_length_order(self, init: Tensor) -> Tensor:
        """Return `init` with its rows in the order of the sequences. The rows of `init` are in the
        order of decreasing sequence lengths.
        """
        if self._sequence_lengths is None:
            raise OpError(append_user_line("DynamicRNN.memory: call step_input first"))
        with self._static_rnn.record_in_outer_block():
            order = OPS["argsort"](self._sequence_lengths, axis=0, descending=True)[1]
            result: Tensor = OPS["gather"](init, OPS["argsort"](order, axis=0)[1])
        return result

    def update_memory(self, ex_mem: Any, new_mem: Tensor) -> None:
        """Set the value of a memory for the next step."""
        self._static_rnn.update_memory(ex_mem, new_mem)

    def output(self, *outputs: Tensor) -> None:
        """Define values of each step as outputs of the network."""
        self._static_rnn.output(*outputs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return one output [R, ...], or a list of them, with the LoD of the first input."""
        outputs = self._static_rnn()
        result = [
            self._remove_padding(each)
            for each in (outputs if isinstance(outputs, list) else [outputs])
        ]
        return result[0] if len(result) == 1 else result

    def _remove_padding(self, steps: Tensor) -> Any:
        batch_major = OPS["transpose2"](steps, axis=[1, 0, *range(2, len(steps.meta.shape))])
        return OPS["sequence_unpad"](batch_major, self._sequence_lengths)
