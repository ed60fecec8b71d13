"""What a decoder takes for the next step: fluid.layers.BasicDecoder and its helpers."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...core import pytree
from ...core.dtype import dtype_of
from ...core.op import OPS
from .decode import Decoder
from .randoms import sampling_id
from .shapes import pad
from .tensors import argmax, fill_constant

__all__ = [
    "BasicDecoder",
    "DecodeHelper",
    "GreedyEmbeddingHelper",
    "SampleEmbeddingHelper",
    "TrainingHelper",
]


class DecodeHelper:
    """Base of helpers, which say what a decoder begins with, which token a step gives, and what the
    next one gets.
    """

    def initialize(self) -> Any:
        """-> inputs of the first step, and whether each sequence has ended already"""

    def sample(self, time: Any, outputs: Any, states: Any) -> Any:
        """-> a token for each sequence"""

    def next_inputs(self, time: Any, outputs: Any, states: Any, sample_ids: Any) -> Any:
        """-> whether each sequence has ended, inputs and states of the next step"""


class TrainingHelper(DecodeHelper):
    """Takes the next step of given sequences.

    inputs [B, T, *], [T, B, *] if time_major; sequence_length int [B]
    """

    def __init__(self, inputs: Any, sequence_length: Any, time_major: bool = False) -> None:
        self.inputs, self.sequence_length, self.time_major = inputs, sequence_length, time_major
        # the input of the step after the last one is computed as well
        self.inputs_ = pytree.map(self._one_longer, inputs)

    def _one_longer(self, x: Any) -> Any:
        more = [[0, 1], [0, 0]] if self.time_major else [[0, 0], [0, 1]]
        return pad(x, [*more[0], *more[1], *[0, 0] * (len(x.meta.shape) - 2)])

    def initialize(self) -> Any:
        """Implement this step of decoding."""
        zero = fill_constant([1], self.sequence_length.dtype, 0)
        return pytree.map(lambda x: x[0] if self.time_major else x[:, 0], self.inputs), OPS[
            "equal"
        ](self.sequence_length, zero)

    def sample(self, time: Any, outputs: Any, states: Any) -> Any:
        """The likeliest token."""
        return argmax(outputs, axis=-1)

    def next_inputs(self, time: Any, outputs: Any, states: Any, sample_ids: Any) -> Any:
        """Implement this step of decoding."""
        after = OPS["scale"](time, scale=1.0, bias=1.0)
        axis = 0 if self.time_major else 1

        def at(x: Any) -> Any:
            return OPS["squeeze2"](OPS["gather"](x, after, axis=axis), axes=[axis])

        length = OPS["cast"](
            self.sequence_length,
            in_dtype=self.sequence_length.dtype.proto,
            out_dtype=after.dtype.proto,
        )
        return OPS["less_equal"](length, after), pytree.map(at, self.inputs_), states


class GreedyEmbeddingHelper(DecodeHelper):
    """Takes the likeliest token.

    embedding_fn: tokens to inputs; start_tokens int [B]; end_token: ends a sequence
    """

    def __init__(self, embedding_fn: Any, start_tokens: Any, end_token: int) -> None:
        self.embedding_fn, self.start_tokens = embedding_fn, start_tokens
        self.end_token = fill_constant([1], "int64", end_token)

    def initialize(self) -> Any:
        """Implement this step of decoding."""
        like = {"shape": [-1], "dtype": dtype_of("bool").proto, "value": 0.0, "str_value": "0.0"}
        return self.embedding_fn(self.start_tokens), OPS["fill_constant_batch_size_like"](
            self.start_tokens, **like
        )

    def sample(self, time: Any, outputs: Any, states: Any) -> Any:
        """The likeliest token."""
        return argmax(outputs, axis=-1)

    def next_inputs(self, time: Any, outputs: Any, states: Any, sample_ids: Any) -> Any:
        """Implement this step of decoding."""
        return OPS["equal"](sample_ids, self.end_token), self.embedding_fn(sample_ids), states


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """Draws a token with the probabilities that softmax gives.

    softmax_temperature: what scores are divided by before
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
        """A drawn token."""
        if self.softmax_temperature is not None:
            outputs = OPS["scale"](outputs, scale=1.0 / self.softmax_temperature)
        drawn = sampling_id(OPS["softmax"](outputs), seed=self.seed or 0)
        return OPS["cast"](
            drawn, in_dtype=drawn.dtype.proto, out_dtype=self.start_tokens.dtype.proto
        )


class Outputs(NamedTuple):
    """What a step of BasicDecoder gives."""

    cell_outputs: Any
    sample_ids: Any


class BasicDecoder(Decoder):
    """A cell and a helper.

    output_fn: what becomes of the cell's outputs before a token is taken
    """

    OutputWrapper = Outputs

    def __init__(self, cell: Any, helper: Any, output_fn: Any = None) -> None:
        self.cell, self.helper, self.output_fn = cell, helper, output_fn

    def initialize(self, initial_cell_states: Any) -> Any:
        """Implement this step of decoding."""
        inputs, finished = self.helper.initialize()
        return inputs, initial_cell_states, finished

    def step(self, time: Any, inputs: Any, states: Any, **kwargs: Any) -> Any:
        """Implement this step of decoding."""
        made, states = self.cell(inputs, states, **kwargs)
        made = made if self.output_fn is None else self.output_fn(made)
        tokens = self.helper.sample(time=time, outputs=made, states=states)
        tokens.stop_gradient = True
        ended, following, states = self.helper.next_inputs(
            time=time, outputs=made, states=states, sample_ids=tokens
        )
        return Outputs(made, tokens), states, following, ended
