"""Beam search, and the loop that runs a decoder step by step.

B: batch size, W: beam size
"""

from __future__ import annotations

from collections.abc import Callable
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

    def finalize(self, outputs: Any, final_states: Any, sequence_lengths: Tensor | None) -> Any:
        """Convert the stacked outputs of all steps; returns outputs and states."""
        return outputs, final_states

    @property
    def tracks_own_finished(self) -> bool:
        """Whether the `finished` flags that `step` returns include earlier steps, as a bool.

        If not, `dynamic_decode` combines them with the flags of earlier steps, which is wrong if a
        step changes the order of beams.

        Examples
        --------
        >>> class Decoder(nn.decode.Decoder):
        ...     pass
        >>> Decoder().tracks_own_finished
        False
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
    """Beam search: finds the most probable token sequences of a recurrent cell.

    Each step extends the W = `beam_size` best sequences of a sample by all tokens and keeps the W
    best ones, by the sum of log softmax(scores). A finished sequence is extended by `end_token`
    only, at no cost. Run the decoder with `dynamic_decode`.

    Parameters
    ----------
    cell : RNNCellBase or callable
        Maps inputs [B * W, *] and states to outputs and new states.
    start_token, end_token : int
        Sequences begin after `start_token`; they are finished after `end_token`.
    beam_size : int
    embedding_fn : callable, optional
        Maps tokens, int64 [B, W], to inputs [B, W, *] of the cell. By default, the inputs are
        tokens.
    output_fn : callable, optional
        Maps outputs of the cell [B, W, *] to scores (logits) of tokens [B, W, V]. By default, the
        outputs are scores.

    Notes
    -----
    `dynamic_decode` returns the tokens of the beams, int64 [B, T, W], the best beam first.

    Examples
    --------
    >>> table = paddle.to_tensor([[0.0, 5.0, 1.0], [0.0, 1.0, 5.0], [0.0, 0.0, 0.0]])
    >>> decoder = nn.BeamSearchDecoder(
    ...     lambda inputs, states: (inputs, states), start_token=0, end_token=2, beam_size=2,
    ...     embedding_fn=lambda tokens: F.embedding(tokens, table),
    ... )
    >>> tokens, states = nn.dynamic_decode(decoder, paddle.zeros([1, 1]), max_step_num=5)
    >>> tokens[0, :, 0].tolist()
    [1, 2]
    """

    OutputWrapper = OutputWrapper
    StateWrapper = StateWrapper

    def __init__(
        self,
        cell: Callable[..., Any],
        start_token: int,
        end_token: int,
        beam_size: int,
        embedding_fn: Callable[..., Any] | None = None,
        output_fn: Callable[..., Any] | None = None,
    ) -> None:
        self.cell = cell
        self.start_token, self.end_token, self.beam_size = start_token, end_token, beam_size
        self.embedding_fn, self.output_fn = embedding_fn, output_fn

    @staticmethod
    def tile_beam_merge_with_batch(x: Tensor, beam_size: int) -> Tensor:
        """Repeat each sample `beam_size` times.

        Use it for tensors that the cell needs besides its states.

        Parameters
        ----------
        x : Tensor [B, *]
        beam_size : int

        Returns
        -------
        Tensor [B * beam_size, *], dtype of x

        Examples
        --------
        >>> memory = paddle.to_tensor([[1], [2]])
        >>> nn.BeamSearchDecoder.tile_beam_merge_with_batch(memory, 2).tolist()
        [[1], [1], [2], [2]]
        """
        tiled = tile(unsqueeze(x, 1), [1, beam_size] + [1] * (x.ndim - 1))
        return flatten(tiled, 0, 1)

    def _split_beams(self, x: Tensor) -> Tensor:
        return reshape(x, [-1, self.beam_size, *x.meta.shape[1:]])

    def _merge_beams(self, x: Tensor) -> Tensor:
        return flatten(x, 0, 1)

    def initialize(self, initial_cell_states: Any) -> Any:
        """Return the inputs, the states and the finished flags of the first step.

        Parameters
        ----------
        initial_cell_states : Tensor [B, *] or nested structure of them

        Returns
        -------
        inputs : Tensor [B, W, *]
            `start_token` for each beam, after `embedding_fn`.
        states : BeamSearchDecoder.StateWrapper
            `cell_states` [B, W, *]; `log_probs` float32 [B, W], where only the first beam of each
            sample has a probability above 0, because all beams are equal at the start; `finished`
            and `lengths`.
        finished : Tensor [B, W], bool

        Examples
        --------
        >>> decoder = nn.BeamSearchDecoder(nn.GRUCell(3, 4), 0, 1, beam_size=2)
        >>> inputs, states, finished = decoder.initialize(paddle.zeros([3, 4]))
        >>> inputs.shape, states.cell_states.shape
        ([3, 2], [3, 2, 4])
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
        """Extend the beams by one token.

        Parameters
        ----------
        time : Tensor [1], int64
            The index of the step; not used.
        inputs : Tensor [B, W, *] or nested structure of them
        states : BeamSearchDecoder.StateWrapper
            As `initialize` or the previous step returned them.
        **kwargs : Any
            Further arguments of the call of the cell.

        Returns
        -------
        outputs : BeamSearchDecoder.OutputWrapper
            `scores` float32 [B, W], `predicted_ids` and `parent_ids` int64 [B, W]: the sums of
            log-probabilities, the tokens, and the beams that they extend.
        states : BeamSearchDecoder.StateWrapper
        inputs : Tensor [B, W, *]
            Of the next step.
        finished : Tensor [B, W], bool

        Examples
        --------
        >>> cell = lambda inputs, states: (inputs, states)  # the inputs are scores
        >>> scores = paddle.to_tensor([0.0, 5.0, 1.0])
        >>> decoder = nn.BeamSearchDecoder(
        ...     cell, start_token=0, end_token=2, beam_size=1,
        ...     embedding_fn=lambda tokens: paddle.tile(scores, [*tokens.shape, 1]),
        ... )
        >>> inputs, states, _ = decoder.initialize(paddle.zeros([2, 1]))
        >>> outputs, states, _, _ = decoder.step(paddle.zeros([1], "int64"), inputs, states)
        >>> outputs.predicted_ids.tolist()
        [[1], [1]]
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

    def finalize(self, outputs: Any, final_states: Any, sequence_lengths: Tensor | None) -> Any:
        """Follow the beams back from the last step and return their token sequences.

        Parameters
        ----------
        outputs : BeamSearchDecoder.OutputWrapper
            The stacked outputs of all steps, each [T, B, W].
        final_states : BeamSearchDecoder.StateWrapper
        sequence_lengths : Tensor [B, W], int64
            Not used.

        Returns
        -------
        tokens : Tensor [T, B, W], int64
        final_states : BeamSearchDecoder.StateWrapper
            Unchanged.

        Examples
        --------
        >>> decoder = nn.BeamSearchDecoder(nn.GRUCell(3, 4), 0, 1, beam_size=2)
        >>> tokens = paddle.to_tensor([[[5, 6]], [[7, 8]]])
        >>> parents = paddle.to_tensor([[[0, 0]], [[1, 0]]])
        >>> outputs = decoder.OutputWrapper(None, tokens, parents)
        >>> decoder.finalize(outputs, None, None)[0].tolist()
        [[[6, 5]], [[7, 8]]]
        """
        return F.gather_tree(outputs.predicted_ids, outputs.parent_ids), final_states

    @property
    def tracks_own_finished(self) -> bool:
        """True: the `finished` flags that `step` returns include earlier steps.

        A step changes the order of beams, so `dynamic_decode` must not combine its flags with those
        of earlier steps.

        Examples
        --------
        >>> decoder = nn.BeamSearchDecoder(nn.GRUCell(3, 4), 0, 1, beam_size=2)
        >>> decoder.tracks_own_finished
        True
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
    decoder: Decoder,
    inits: Any = None,
    max_step_num: int | None = None,
    output_time_major: bool = False,
    impute_finished: bool = False,
    is_test: bool = False,
    return_length: bool = False,
    **kwargs: Any,
) -> Any:
    """Run a decoder step by step until all sequences are finished.

    Parameters
    ----------
    decoder : BeamSearchDecoder or object with its methods `initialize`, `step` and `finalize`
    inits : Tensor or nested structure of tensors, optional
        Argument of `decoder.initialize`: the initial states of the cell of a `BeamSearchDecoder`.
    max_step_num : int, optional
        At most ``max_step_num + 1`` steps are run, as in Paddle. By default there is no limit.
    output_time_major : bool, default False
        Whether the time axis of the outputs comes before the batch axis.
    impute_finished : bool, default False
        Whether a sequence keeps the states of the step at which it finished. A `BeamSearchDecoder`
        ignores it.
    is_test : bool, default False
        Has no effect.
    return_length : bool, default False
        Whether to return the lengths of the sequences.
    **kwargs : Any
        Further arguments of `decoder.step`.

    Returns
    -------
    outputs : Tensor [B, T, *] or [T, B, *] with `output_time_major`, or nested structure of them
        Of a `BeamSearchDecoder`: tokens, int64 [B, T, W].
    final_states : Tensor or nested structure of tensors
    lengths : Tensor, int64
        Only with `return_length`; [B, W] for a `BeamSearchDecoder`.

    Examples
    --------
    >>> table = paddle.to_tensor([[0.0, 5.0, 1.0], [0.0, 1.0, 5.0], [0.0, 0.0, 0.0]])
    >>> decoder = nn.BeamSearchDecoder(
    ...     lambda inputs, states: (inputs, states), start_token=0, end_token=2, beam_size=2,
    ...     embedding_fn=lambda tokens: F.embedding(tokens, table),
    ... )
    >>> tokens, states, lengths = nn.dynamic_decode(
    ...     decoder, paddle.zeros([1, 1]), max_step_num=5, return_length=True
    ... )
    >>> tokens.tolist(), lengths.tolist()
    ([[[1, 2], [2, 2]]], [[2, 1]])
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
