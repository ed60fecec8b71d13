"""Sequences made step by step: beam search, and the loop that runs a decoder.

B: batch, W: beams
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core import pytree
from ..core.op import OPS
from ..core.tensor import Tensor
from ..tensor.convert import cast, to_tensor
from ..tensor.creation import full, zeros_like
from ..tensor.logic import equal, logical_not, logical_or
from ..tensor.manipulation import flatten, reshape, stack, tile, transpose, unsqueeze, where
from ..tensor.math import add, floor_divide, log, mod
from ..tensor.math import all as all_of
from ..tensor.search import topk
from . import functional as F

__all__ = ["BeamSearchDecoder", "dynamic_decode"]

LOWEST = -1e9  # ln of no probability


class Decoder:
    """What dynamic_decode runs.

    initialize(inits) -> inputs, states, finished; step(time, inputs, states) -> outputs, states,
    inputs, finished
    """

    def initialize(self, inits: Any) -> Any:
        """What the first step gets."""
        raise NotImplementedError(f"{type(self).__name__} has no initialize")

    def step(self, time: Tensor, inputs: Any, states: Any, **kwargs: Any) -> Any:
        """One step."""
        raise NotImplementedError(f"{type(self).__name__} has no step")

    def finalize(self, outputs: Any, final_states: Any, sequence_lengths: Tensor) -> Any:
        """What the outputs of all steps become."""
        return outputs, final_states

    @property
    def tracks_own_finished(self) -> bool:
        """Whether `finished` of a step may take back that of an earlier one, as beams change
        places.
        """
        return False


class OutputWrapper(NamedTuple):
    """What a step of beam search gives, each [B, W]."""

    scores: Tensor
    predicted_ids: Tensor
    parent_ids: Tensor


class StateWrapper(NamedTuple):
    """What beam search goes on with.

    cell_states: [B, W, *]; the others [B, W]
    """

    cell_states: Any
    log_probs: Tensor
    finished: Tensor
    lengths: Tensor


class BeamSearchDecoder(Decoder):
    """The beam_size likeliest sequences of a cell.

    output_fn takes the cell's outputs to scores of tokens, embedding_fn tokens to inputs
    """

    OutputWrapper = OutputWrapper
    StateWrapper = StateWrapper

    def __init__(
        self,
        cell: Any,
        start_token: int,
        end_token: int,
        beam_size: int,
        embedding_fn: Any = None,
        output_fn: Any = None,
    ) -> None:
        self.cell = cell
        self.start_token, self.end_token, self.beam_size = start_token, end_token, beam_size
        self.embedding_fn, self.output_fn = embedding_fn, output_fn

    @staticmethod
    def tile_beam_merge_with_batch(x: Tensor, beam_size: int) -> Tensor:
        """Each sample as often as there are beams.

        x [B, *] -> [B * W, *]
        """
        wide = tile(unsqueeze(x, 1), [1, beam_size] + [1] * (x.ndim - 1))
        return flatten(wide, 0, 1)

    def _split(self, x: Tensor) -> Tensor:
        return reshape(x, [-1, self.beam_size, *x.meta.shape[1:]])

    def _merged(self, x: Tensor) -> Tensor:
        return flatten(x, 0, 1)

    def initialize(self, initial_cell_states: Any) -> Any:
        """Inputs [B, W], states and finished for the first step: the first beam of each sample is
        alone in question.
        """
        states = pytree.map(
            lambda x: self._split(self.tile_beam_merge_with_batch(x, self.beam_size)),
            initial_cell_states,
        )
        batch = pytree.leaves(initial_cell_states)[0].shape[0]
        tokens = full([batch, self.beam_size], self.start_token, "int64")
        start = np.array([[0.0] + [LOWEST] * (self.beam_size - 1)], np.float32)
        finished = full([batch, self.beam_size], False, "bool")
        inputs = tokens if self.embedding_fn is None else self.embedding_fn(tokens)
        return (
            inputs,
            StateWrapper(states, tile(to_tensor(start), [batch, 1]), finished, zeros_like(tokens)),
            finished,
        )

    def _scored(self, logits: Tensor, state: Any) -> Tensor:
        """ln of the probability of each beam with each token behind it, [B, W * V]; a finished one
        goes on with end_token only.
        """
        vocabulary = logits.meta.shape[-1]
        ended = np.full([vocabulary], LOWEST, np.float32)
        ended[self.end_token] = 0.0
        step = where(unsqueeze(state.finished, 2), to_tensor(ended), log(F.softmax(logits)))
        return reshape(add(step, unsqueeze(state.log_probs, 2)), [-1, self.beam_size * vocabulary])

    def step(self, time: Tensor, inputs: Any, states: Any, **kwargs: Any) -> Any:
        """See Decoder.

        -> OutputWrapper, StateWrapper, the next inputs, finished [B, W]
        """
        merged = pytree.map(self._merged, states.cell_states)
        out, next_states = self.cell(pytree.map(self._merged, inputs), merged, **kwargs)
        logits = pytree.map(self._split, out)
        logits = logits if self.output_fn is None else self.output_fn(logits)
        scores, places = topk(self._scored(logits, states), self.beam_size)
        size = full([1], logits.meta.shape[-1], "int64")
        beams, tokens = floor_divide(places, size), mod(places, size)
        kept = pytree.map(lambda x: _of_beams(self._split(x), beams), next_states)
        finished, lengths = _of_beams(states.finished, beams), _of_beams(states.lengths, beams)
        lengths = add(lengths, cast(logical_not(finished), lengths.dtype))
        finished = logical_or(finished, equal(tokens, full([1], self.end_token, "int64")))
        following = tokens if self.embedding_fn is None else self.embedding_fn(tokens)
        return (
            OutputWrapper(scores, tokens, beams),
            StateWrapper(kept, scores, finished, lengths),
            following,
            finished,
        )

    def finalize(self, outputs: Any, final_states: Any, sequence_lengths: Tensor) -> Any:
        """The whole beams, [T, B, W]."""
        return F.gather_tree(outputs.predicted_ids, outputs.parent_ids), final_states

    @property
    def tracks_own_finished(self) -> bool:
        """Beams change places."""
        return True


def _of_beams(x: Tensor, beams: Tensor) -> Tensor:
    """For each sample the chosen beams.

    x [B, W, *], beams int64 [B, W] -> [B, W, *]
    """
    batch = OPS["range"](
        full([], 0, "int64"),
        OPS["cast"](
            OPS["slice"](OPS["shape"](beams), axes=[0], starts=[0], ends=[1], decrease_axis=[0]),
            in_dtype=2,
            out_dtype=3,
        ),
        full([], 1, "int64"),
    )
    rows = add(unsqueeze(batch, 1), zeros_like(beams))
    return OPS["gather_nd"](x, stack([rows, beams], 2))


def _kept(finished: Tensor) -> Any:
    """Of the states of a step, those before it where a sequence had ended."""

    def choose(before: Tensor, after: Tensor) -> Tensor:
        return where(reshape(finished, [-1] + [1] * (after.ndim - 1)), before, after)

    return choose


def dynamic_decode(
    decoder: Any,
    inits: Any = None,
    max_step_num: int | None = None,
    output_time_major: bool = False,
    impute_finished: bool = False,
    is_test: bool = False,
    return_length: bool = False,
    **kwargs: Any,
) -> Any:
    """Run a decoder until all sequences have ended, or for max_step_num + 1 steps as in Paddle.

    -> outputs [B, T, *], states[, lengths]

    impute_finished: the states of a sequence stay when it has ended.
    """
    inputs, states, finished = decoder.initialize(inits)
    lengths, outputs, step = cast(zeros_like(finished), "int64"), [], 0
    while not bool(all_of(finished)):
        made, following, inputs, ended = decoder.step(
            full([1], step, "int64"), inputs, states, **kwargs
        )
        if decoder.tracks_own_finished:
            lengths = getattr(following, "lengths", lengths)
        else:
            lengths = add(lengths, cast(logical_not(finished), "int64"))
            following = (
                pytree.map(_kept(finished), states, following) if impute_finished else following
            )
            ended = logical_or(ended, finished)
        outputs.append(made)
        states, finished, step = following, ended, step + 1
        if max_step_num is not None and step > max_step_num:
            break
    whole, states = decoder.finalize(
        pytree.map(lambda *each: stack(each, 0), *outputs), states, lengths
    )
    if not output_time_major:
        whole = pytree.map(lambda x: transpose(x, [1, 0, *range(2, x.ndim)]), whole)
    return (whole, states, lengths) if return_length else (whole, states)
