"""Beam search, and the loop that runs a decoder step by step.

B: batch size, W: beam size
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

LOG_ZERO = -1e9  # log-probability of an impossible token


class Decoder:
    """Interface of the decoders that `dynamic_decode` runs.

    initialize(inits) -> inputs, states, finished

    step(time, inputs, states) -> outputs, states, inputs, finished
    """

    def initialize(self, inits: Any) -> Any:
        """Return the inputs, states and finished flags of the first step."""
        raise NotImplementedError(f"{type(self).__name__} does not implement initialize")

    def step(self, time: Tensor, inputs: Any, states: Any, **kwargs: Any) -> Any:
        """Run one step; return outputs, states, next inputs and finished flags."""
        raise NotImplementedError(f"{type(self).__name__} does not implement step")

    def finalize(self, outputs: Any, final_states: Any, sequence_lengths: Tensor) -> Any:
        """Convert the stacked outputs of all steps; returns outputs and states."""
        return outputs, final_states

    @property
    def tracks_own_finished(self) -> bool:
        """Whether the `finished` flags that `step` returns include earlier steps. If so,
        dynamic_decode does not combine them with the flags of earlier steps, which are wrong if
        beams change their order.
        """
        return False


class OutputWrapper(NamedTuple):
    """Outputs of a step of beam search, each [B, W]."""

    scores: Tensor
    predicted_ids: Tensor
    parent_ids: Tensor


class StateWrapper(NamedTuple):
    """State of beam search. cell_states: [B, W, *]; the others: [B, W]."""

    cell_states: Any
    log_probs: Tensor
    finished: Tensor
    lengths: Tensor


class BeamSearchDecoder(Decoder):
    """Beam search: finds the `beam_size` most probable sequences of a cell.

    output_fn: maps outputs of the cell to token scores.
    embedding_fn: maps tokens to inputs.
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
        """Repeat each sample `beam_size` times.

        x [B, *] -> [B * W, *]
        """
        tiled = tile(unsqueeze(x, 1), [1, beam_size] + [1] * (x.ndim - 1))
        return flatten(tiled, 0, 1)

    def _split_beams(self, x: Tensor) -> Tensor:
        return reshape(x, [-1, self.beam_size, *x.meta.shape[1:]])

    def _merge_beams(self, x: Tensor) -> Tensor:
        return flatten(x, 0, 1)

    def initialize(self, initial_cell_states: Any) -> Any:
        """Return the inputs [B, W], the states and the finished flags of the first step. In the
        states, only the first beam of each sample has a nonzero probability, because all beams are
        equal at the start.
        """
        states = pytree.map(
            lambda x: self._split_beams(self.tile_beam_merge_with_batch(x, self.beam_size)),
            initial_cell_states,
        )
        batch = pytree.leaves(initial_cell_states)[0].shape[0]
        tokens = full([batch, self.beam_size], self.start_token, "int64")
        log_probs = np.array([[0.0] + [LOG_ZERO] * (self.beam_size - 1)], np.float32)
        finished = full([batch, self.beam_size], False, "bool")
        inputs = tokens if self.embedding_fn is None else self.embedding_fn(tokens)
        return (
            inputs,
            StateWrapper(
                states, tile(to_tensor(log_probs), [batch, 1]), finished, zeros_like(tokens)
            ),
            finished,
        )

    def _log_probs_of_extended_beams(self, logits: Tensor, state: Any) -> Tensor:
        """Return the log-probability of each beam extended by each token, [B, W * V].

        A finished beam can be extended by `end_token` only.
        """
        vocabulary = logits.meta.shape[-1]
        end_only = np.full([vocabulary], LOG_ZERO, np.float32)
        end_only[self.end_token] = 0.0
        token_log_probs = where(
            unsqueeze(state.finished, 2), to_tensor(end_only), log(F.softmax(logits))
        )
        return reshape(
            add(token_log_probs, unsqueeze(state.log_probs, 2)), [-1, self.beam_size * vocabulary]
        )

    def step(self, time: Tensor, inputs: Any, states: Any, **kwargs: Any) -> Any:
        """Run one step of beam search.

        -> OutputWrapper, StateWrapper, the next inputs, finished [B, W]
        """
        merged = pytree.map(self._merge_beams, states.cell_states)
        out, next_states = self.cell(pytree.map(self._merge_beams, inputs), merged, **kwargs)
        logits = pytree.map(self._split_beams, out)
        logits = logits if self.output_fn is None else self.output_fn(logits)
        scores, positions = topk(self._log_probs_of_extended_beams(logits, states), self.beam_size)
        vocabulary = full([1], logits.meta.shape[-1], "int64")
        beams, tokens = floor_divide(positions, vocabulary), mod(positions, vocabulary)
        cell_states = pytree.map(lambda x: _gather_beams(self._split_beams(x), beams), next_states)
        finished, lengths = (
            _gather_beams(states.finished, beams),
            _gather_beams(states.lengths, beams),
        )
        lengths = add(lengths, cast(logical_not(finished), lengths.dtype))
        finished = logical_or(finished, equal(tokens, full([1], self.end_token, "int64")))
        next_inputs = tokens if self.embedding_fn is None else self.embedding_fn(tokens)
        return (
            OutputWrapper(scores, tokens, beams),
            StateWrapper(cell_states, scores, finished, lengths),
            next_inputs,
            finished,
        )

    def finalize(self, outputs: Any, final_states: Any, sequence_lengths: Tensor) -> Any:
        """Return the token sequences of the beams, [T, B, W]."""
        return F.gather_tree(outputs.predicted_ids, outputs.parent_ids), final_states

    @property
    def tracks_own_finished(self) -> bool:
        """True: the `finished` flags that `step` returns include earlier steps, because a step
        changes the order of beams.
        """
        return True


def _gather_beams(x: Tensor, beams: Tensor) -> Tensor:
    """Gather beams by index for each sample.

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


def _make_finished_state_selector(finished: Tensor) -> Any:
    """Return a function that selects the old state of finished sequences and the new state of
    others.
    """

    def select(before: Tensor, after: Tensor) -> Tensor:
        return where(reshape(finished, [-1] + [1] * (after.ndim - 1)), before, after)

    return select


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
    """Run a decoder until all sequences are finished, or for max_step_num + 1 steps as in Paddle.

    -> outputs [B, T, *], states[, lengths]

    impute_finished: keep the state of a sequence from the step at which it finished
    """
    inputs, states, finished = decoder.initialize(inits)
    lengths, outputs, step = cast(zeros_like(finished), "int64"), [], 0
    while not bool(all_of(finished)):
        step_outputs, next_states, inputs, ended = decoder.step(
            full([1], step, "int64"), inputs, states, **kwargs
        )
        if decoder.tracks_own_finished:
            lengths = getattr(next_states, "lengths", lengths)
        else:
            lengths = add(lengths, cast(logical_not(finished), "int64"))
            next_states = (
                pytree.map(_make_finished_state_selector(finished), states, next_states)
                if impute_finished
                else next_states
            )
            ended = logical_or(ended, finished)
        outputs.append(step_outputs)
        states, finished, step = next_states, ended, step + 1
        if max_step_num is not None and step > max_step_num:
            break
    stacked, states = decoder.finalize(
        pytree.map(lambda *each: stack(each, 0), *outputs), states, lengths
    )
    if not output_time_major:
        stacked = pytree.map(lambda x: transpose(x, [1, 0, *range(2, x.ndim)]), stacked)
    return (stacked, states, lengths) if return_length else (stacked, states)
