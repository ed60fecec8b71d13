"""`DynamicRNN`: a step that runs along sequences of different lengths, as programs for Paddle 1.x
have it.

The sequences are padded, the step runs for all of them as often as the longest one asks for, and
what it gave behind the end of a sequence
is dropped.
Paddle runs the step for those only that go on; the numbers are the same where a step works on each
row by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...core.dtype import dtype_of
from ...core.errors import OpError, with_user_line
from ...core.op import OPS
from ...core.tensor import Tensor
from .static_rnn import StaticRNN


class DynamicRNN:
    """`with rnn.block():` says what is done with each row of the sequences; `rnn()` gives the
    outputs, with the sequences of the inputs.

    In the block: `step_input` gives the rows of a step, `static_input` what all steps see, `memory`
    what the step before has left, `update_memory` says what this one leaves, `output` what it
    gives.
    """

    def __init__(self, name: str | None = None) -> None:
        self._rnn = StaticRNN(name or "dynamic_rnn")
        self._first: Tensor | None = None  # the first input, padded: [T, n, ...]
        self._lengths: Tensor | None = None

    @contextmanager
    def block(self) -> Iterator[None]:
        """The body of a `with`: one step."""
        with self._rnn.step():
            yield

    def step_input(self, x: Tensor, level: int = 0) -> Any:
        """The rows of a step.   x: sequences from outside, [R, ...] -> [n, ...]"""
        if level:
            raise OpError(
                with_user_line(f"DynamicRNN.step_input: level={level} is not there, only 0 is")
            )
        if not isinstance(x, Tensor):
            raise TypeError(
                with_user_line(
                    f"DynamicRNN.step_input: x should be a variable, not {type(x).__name__}"
                )
            )
        with self._rnn.outside():
            zero = OPS["fill_constant"](shape=[1], value=0.0, dtype=x.dtype.proto)
            padded, lengths = OPS["sequence_pad"](x, None, zero)
            along = OPS["transpose2"](padded, axis=[1, 0, *range(2, len(padded.meta.shape))])
        if self._first is None:
            self._first, self._lengths = along, lengths
        return self._rnn.step_input(along)

    def static_input(self, x: Tensor) -> Tensor:
        """What all steps see: x itself."""
        if self._first is None:
            raise OpError(with_user_line("DynamicRNN.static_input: call step_input before"))
        return x

    def memory(
        self,
        init: Tensor | None = None,
        shape: Sequence[int] | None = None,
        value: float = 0.0,
        need_reorder: bool = False,
        dtype: Any = "float32",
    ) -> Any:
        """What the step before has left; before the first one `init` [n, ...], or `shape`, less the
        first axis, filled with `value`.

        need_reorder: row i of `init` is for sequence i.
        Without it, as in Paddle 1.x, for the i-th longest one, of equal ones the first.
        """
        if init is None:
            if self._first is None or shape is None:
                raise OpError(
                    with_user_line(
                        "DynamicRNN.memory: without init it needs a shape, and a step_input before"
                    )
                )
            with self._rnn.outside():
                init = OPS["fill_constant_batch_size_like"](
                    self._first,
                    shape=[-1, *(int(d) for d in shape)],
                    value=float(value),
                    dtype=dtype_of(dtype).proto,
                    input_dim_idx=1,
                    output_dim_idx=0,
                )
        elif not need_reorder:
            init = self._by_length(init)
        return self._rnn.memory(init)

    def _by_length(self, init: Tensor) -> Tensor:
        """Rows that are in the order of the longest sequence first, in the order of the
        sequences.
        """
        if self._lengths is None:
            raise OpError(with_user_line("DynamicRNN.memory: call step_input before"))
        with self._rnn.outside():
            longest = OPS["argsort"](self._lengths, axis=0, descending=True)[1]
            made: Tensor = OPS["gather"](init, OPS["argsort"](longest, axis=0)[1])
        return made

    def update_memory(self, ex_mem: Any, new_mem: Tensor) -> None:
        """Let the next step find `new_mem` in `ex_mem`, which `memory` gave."""
        self._rnn.update_memory(ex_mem, new_mem)

    def output(self, *outputs: Tensor) -> None:
        """Let these, of each step, be outputs."""
        self._rnn.output(*outputs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The outputs [R, ...] with the sequences of the first input: one, or a list."""
        found = self._rnn()
        made = [
            self._as_sequences(each) for each in (found if isinstance(found, list) else [found])
        ]
        return made[0] if len(made) == 1 else made

    def _as_sequences(self, steps: Tensor) -> Any:
        turned = OPS["transpose2"](steps, axis=[1, 0, *range(2, len(steps.meta.shape))])
        return OPS["sequence_unpad"](turned, self._lengths)
