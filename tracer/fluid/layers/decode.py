"""Decoding step by step until all sequences have ended: `fluid.layers.dynamic_decode` and
BeamSearchDecoder.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from ...capture.control.with_blocks import require_static_mode
from ...core import pytree
from ...core.dtype import parse_dtype
from ...core.mode import state
from ...core.op import OPS
from ...nn import decode
from ...nn.decode import Decoder
from .control_flow import While, array_read, array_write, create_array, tensor_array_to_tensor
from .layer_utils import assign_to, deprecated_layer, ensure_at_least_1d
from .rnn_cells import swap_batch_time
from .tensors import assign, fill_constant
from .unary import increment

__all__ = ["BeamSearchDecoder", "Decoder", "dynamic_decode"]


class BeamSearchDecoder(decode.BeamSearchDecoder):
    """Beam search with a cell, like `oarlock.nn.BeamSearchDecoder`.

    As in 1.8, a beam that has ended remains ended.

    The newer name is `paddle.nn.BeamSearchDecoder`.
    """

    @property
    def tracks_own_finished(self) -> bool:
        """False, which means that a beam index that was finished in an earlier step stays
        finished.
        """
        return False


@contextmanager
def parent_block() -> Iterator[None]:
    """In the body of the `with` statement, record ops in the parent of the current block."""
    recorder = require_static_mode("dynamic_decode").recorder
    with recorder.enter_block(recorder.open_blocks[-2]):
        yield


def _create_array_in_parent_block(like: Any) -> Any:
    with parent_block():
        return create_array(like.dtype)


def _make_finished_state_selector(finished: Any) -> Any:
    """Return a function of (before, after) that returns the states of `before` for finished
    sequences and those of `after` for the others.
    """

    def select(before: Any, after: Any) -> Any:
        dtype = before.dtype
        old, new, mask = (
            _cast_if_needed(x, "float32" if dtype.name == "bool" else dtype)
            for x in (before, after, finished)
        )
        negated_mask = OPS["scale"](mask, scale=1.0, bias=-1.0)  # mask - 1
        frozen = OPS["elementwise_mul"](old, mask, axis=0)
        negated_new = OPS["elementwise_mul"](new, negated_mask, axis=0)
        return _cast_if_needed(OPS["elementwise_sub"](frozen, negated_new), dtype)

    return select


@deprecated_layer("paddle.nn.dynamic_decode")
def dynamic_decode(
    decoder: Any,
    inits: Any = None,
    max_step_num: Any = None,
    output_time_major: bool = False,
    impute_finished: bool = False,
    is_test: bool = False,
    return_length: bool = False,
    **kwargs: Any,
) -> Any:
    """Run a decoder until all sequences have ended, or for max_step_num + 1 steps.

    impute_finished: the states of a sequence do not change after its end
    is_test: no gradients; states of earlier steps are not stored

    Returns the outputs [B, T, *], the last states, and with return_length the lengths.
    """
    if state.mode.program_builder is None:
        return decode.dynamic_decode(
            decoder,
            inits,
            max_step_num,
            output_time_major,
            impute_finished,
            is_test,
            return_length,
            **kwargs,
        )
    outputs, states, lengths = _DecodeLoop(
        decoder, inits, max_step_num, impute_finished, is_test
    ).record(kwargs)
    with suppress(NotImplementedError):  # optional for decoders of 1.8
        outputs, states = decoder.finalize(outputs, states, lengths)
    outputs = outputs if output_time_major else pytree.map(swap_batch_time, outputs)
    return (outputs, states, lengths) if return_length else (outputs, states)


class _DecodeLoop:
    """The loop of a program that runs a decoder.

    With is_test its variables are overwritten in each iteration; otherwise they are written to
    tensor arrays for the backward pass.

    As in 1.8, a variable overwritten with is_test may be one of the states, too: a
    BeamSearchDecoder then sees which beams have finished.
    """

    def __init__(
        self, decoder: Any, inits: Any, max_step: Any, impute_finished: bool, is_test: bool
    ) -> None:
        self.decoder, self.impute_finished, self.is_test = decoder, impute_finished, is_test
        self.inputs, self.states, self.finished = decoder.initialize(inits)
        self.finished.stop_gradient = True
        self.step = fill_constant([1], "int64", 0)
        self.cond = _any_unfinished(self.finished)
        self.max_step = None if max_step is None else fill_constant([1], "int64", max_step)
        self.lengths = _cast_if_needed(OPS["fill_any_like"](self.finished, value=0.0), "int64")
        self.lengths.stop_gradient = True

    def record(self, kwargs: dict[str, Any]) -> tuple[Any, Any, Any]:
        """Record the decoding loop; returns the outputs of all steps [T, B, *], the last states and
        the lengths of the sequences.
        """
        arrays = None
        if not self.is_test:
            arrays = [
                pytree.map(lambda x: array_write(x, self.step), tree)
                for tree in (self.inputs, self.states)
            ]
        with While(self.cond, is_test=self.is_test).block():
            inputs, states = (
                (self.inputs, self.states)
                if arrays is None
                else pytree.map(self._read_array_at_current_step, arrays)
            )
            outputs, *carried = self._record_decoder_step(inputs, states, kwargs)
            output_arrays = pytree.map(_create_array_in_parent_block, outputs)
            pytree.map(lambda x, array: array_write(x, self.step, array), outputs, output_arrays)
            self._increment_step_and_write_loop_variables(arrays, *carried)
        outputs = pytree.map(
            lambda array: tensor_array_to_tensor(array, axis=0, use_stack=True)[0], output_arrays
        )
        return (
            outputs,
            self.states
            if arrays is None
            else pytree.map(self._read_array_at_current_step, arrays[1]),
            self.lengths,
        )

    def _read_array_at_current_step(self, array: Any) -> Any:
        return array_read(array, self.step)

    def _record_decoder_step(self, inputs: Any, states: Any, kwargs: dict[str, Any]) -> Any:
        """Record one step of the decoder; returns the outputs of the step and the next values of
        the loop-carried variables.
        """
        outputs, next_states, next_inputs, finished = self.decoder.step(
            self.step, inputs, states, **kwargs
        )
        finished = OPS["logical_or"](finished, self.finished)
        lengths = OPS["elementwise_add"](
            self.lengths, _cast_if_needed(OPS["logical_not"](self.finished), "int64")
        )
        if self.impute_finished:
            next_states = pytree.map(
                _make_finished_state_selector(self.finished), states, next_states
            )
        return outputs, next_inputs, next_states, finished, lengths

    def _increment_step_and_write_loop_variables(
        self, arrays: Any, inputs: Any, states: Any, finished: Any, lengths: Any
    ) -> None:
        """Record the end of an iteration: increment the step, and assign the loop-carried variables
        and the condition of the loop.
        """
        increment(self.step, 1.0, in_place=True)
        if arrays is None:
            pytree.map(assign, inputs, self.inputs)
            pytree.map(assign, states, self.states)
        else:
            pytree.map(lambda x, array: array_write(x, self.step, array), [inputs, states], arrays)
        assign(finished, self.finished)
        assign(lengths, self.lengths)
        cond = _any_unfinished(self.finished)
        if self.max_step is not None:
            cond = OPS["logical_and"](cond, OPS["less_equal"](self.step, self.max_step))
        assign_to(cond, self.cond)


def _any_unfinished(finished: Any) -> Any:
    """Whether any sequence is unfinished, [1]."""
    return OPS["logical_not"](ensure_at_least_1d(OPS["reduce_all"](finished, reduce_all=True)))


def _cast_if_needed(x: Any, dtype: Any) -> Any:
    out_dtype = parse_dtype(dtype)
    if x.dtype == out_dtype:
        return x
    return OPS["cast"](x, in_dtype=x.dtype.proto, out_dtype=out_dtype.proto)
