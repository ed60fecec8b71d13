"""BasicDecoder, and the helpers that choose its inputs: `fluid.layers.TrainingHelper` and
others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...core import pytree
from ...core.dtype import parse_dtype
from ...core.op import OPS
from .decode import Decoder
from .manipulation import pad
from .random_ops import sampling_id
from .tensors import argmax, fill_constant

__all__ = [
    "BasicDecoder",
    "DecodeHelper",
    "GreedyEmbeddingHelper",
    "SampleEmbeddingHelper",
    "TrainingHelper",
]


class DecodeHelper:
    """Base class of decode helpers. A helper determines the first inputs of a BasicDecoder, the
    token that each step selects, and the inputs of the next step.

    The newer name is `paddle.nn.dynamic_decode`.
    """

    def initialize(self) -> Any:
        """Return the inputs of the first step, and whether each sequence is finished."""

    def sample(self, time: Any, outputs: Any, states: Any) -> Any:
        """Return the token that the step selects for each sequence."""

    def next_inputs(self, time: Any, outputs: Any, states: Any, sample_ids: Any) -> Any:
        """Return whether each sequence is finished, the inputs of the next step, and the states of
        the next step.
        """


class TrainingHelper(DecodeHelper):
    """Decode helper whose inputs are the steps of given sequences.

    inputs: [B, T, *], or [T, B, *] if time_major
    sequence_length: int [B]

    The newer name is `paddle.nn.RNN`.
    """

    def __init__(self, inputs: Any, sequence_length: Any, time_major: bool = False) -> None:
        self.inputs, self.sequence_length, self.time_major = inputs, sequence_length, time_major
        # A step of zeros is appended to the inputs, because the input after the last step is read,
        # too.
        self.inputs_ = pytree.map(self._append_zero_step, inputs)

    def _append_zero_step(self, x: Any) -> Any:
        padding = [[0, 1], [0, 0]] if self.time_major else [[0, 0], [0, 1]]
        return pad(x, [*padding[0], *padding[1], *[0, 0] * (len(x.meta.shape) - 2)])

    def initialize(self) -> Any:
        """Return the first step of the given sequences, and whether each sequence is empty."""
        zero = fill_constant([1], self.sequence_length.dtype, 0)
        first = pytree.map(lambda x: x[0] if self.time_major else x[:, 0], self.inputs)
        return first, OPS["equal"](self.sequence_length, zero)

    def sample(self, time: Any, outputs: Any, states: Any) -> Any:
        """Return the most probable token of each sequence."""
        return argmax(outputs, axis=-1)

    def next_inputs(self, time: Any, outputs: Any, states: Any, sample_ids: Any) -> Any:
        """Return whether each sequence is finished, the next step of the given sequences, and the
        states.
        """
        next_time = OPS["scale"](time, scale=1.0, bias=1.0)
        axis = 0 if self.time_major else 1

        def read_step(x: Any) -> Any:
            return OPS["squeeze2"](OPS["gather"](x, next_time, axis=axis), axes=[axis])

        length = OPS["cast"](
            self.sequence_length,
            in_dtype=self.sequence_length.dtype.proto,
            out_dtype=next_time.dtype.proto,
        )
        return OPS["less_equal"](length, next_time), pytree.map(read_step, self.inputs_), states


class GreedyEmbeddingHelper(DecodeHelper):
    """Decode helper that embeds the most probable token of a step as the input of the next step.

    embedding_fn: converts tokens to inputs
    start_tokens: int [B]
    end_token: ends a sequence

    The newer name is `paddle.nn.dynamic_decode`.
    """

    def __init__(self, embedding_fn: Any, start_tokens: Any, end_token: int) -> None:
        self.embedding_fn, self.start_tokens = embedding_fn, start_tokens
        self.end_token = fill_constant([1], "int64", end_token)

    def initialize(self) -> Any:
        """Return the embedding of the start tokens, and False for each sequence, because none is
        finished.
        """
        like = {"shape": [-1], "dtype": parse_dtype("bool").proto, "value": 0.0, "str_value": "0.0"}
        return self.embedding_fn(self.start_tokens), OPS["fill_constant_batch_size_like"](
            self.start_tokens, **like
        )

    def sample(self, time: Any, outputs: Any, states: Any) -> Any:
        """Return the most probable token of each sequence."""
        return argmax(outputs, axis=-1)

    def next_inputs(self, time: Any, outputs: Any, states: Any, sample_ids: Any) -> Any:
        """Return whether each token is the end token, the embedding of the tokens, and the
        states.
        """
        return OPS["equal"](sample_ids, self.end_token), self.embedding_fn(sample_ids), states


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """Decode helper that samples a token from the softmax of the outputs and embeds it as the input
    of the next step.

    softmax_temperature: divisor of the outputs

    The newer name is `paddle.nn.dynamic_decode`.
    """

    def __init__(
        self,
        embedding_fn: Any,
        start_tokens: Any,
        end_token: int,
        softmax_temperature: float | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(embedding_fn, start_tokens, end_token)
        self.softmax_temperature, self.seed = softmax_temperature, seed

    def sample(self, time: Any, outputs: Any, states: Any) -> Any:
        """Sample a token."""
        if self.softmax_temperature is not None:
            outputs = OPS["scale"](outputs, scale=1.0 / self.softmax_temperature)
        samples = sampling_id(OPS["softmax"](outputs), seed=self.seed or 0)
        return OPS["cast"](
            samples, in_dtype=samples.dtype.proto, out_dtype=self.start_tokens.dtype.proto
        )


class Outputs(NamedTuple):
    """The outputs of a step of BasicDecoder."""

    cell_outputs: Any
    sample_ids: Any


class BasicDecoder(Decoder):
    """A decoder that runs a cell with the inputs of a helper.

    output_fn: applied to the outputs of the cell before a token is selected

    The newer name is `paddle.nn.RNN`.
    """

    OutputWrapper = Outputs

    def __init__(self, cell: Any, helper: Any, output_fn: Any = None) -> None:
        self.cell, self.helper, self.output_fn = cell, helper, output_fn

    def initialize(self, initial_cell_states: Any) -> Any:
        """Return the first inputs, the initial states, and whether each sequence is finished."""
        inputs, finished = self.helper.initialize()
        return inputs, initial_cell_states, finished

    def step(self, time: Any, inputs: Any, states: Any, **kwargs: Any) -> Any:
        """Run one step of the decoder; returns outputs, states, inputs of the next step, and
        whether each sequence is finished.
        """
        outs, states = self.cell(inputs, states, **kwargs)
        outs = outs if self.output_fn is None else self.output_fn(outs)
        tokens = self.helper.sample(time=time, outputs=outs, states=states)
        tokens.stop_gradient = True
        finished, next_inputs, states = self.helper.next_inputs(
            time=time, outputs=outs, states=states, sample_ids=tokens
        )
        return Outputs(outs, tokens), states, next_inputs, finished
