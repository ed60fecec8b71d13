"""Sequences made step by step until all have ended: fluid.layers.dynamic_decode, and beam search
for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from ...capture.control.with_blocks import writing_mode
from ...core import pytree
from ...core.dtype import dtype_of
from ...core.mode import state
from ...core.op import OPS
from ...nn import decode
from ...nn.decode import Decoder
from .cells import turned
from .control_flow import While, array_read, array_write, create_array, tensor_array_to_tensor
from .helper import into, one, today
from .tensors import assign, fill_constant
from .unary import increment

__all__ = ["BeamSearchDecoder", "Decoder", "dynamic_decode"]


class BeamSearchDecoder(decode.BeamSearchDecoder):
    """The beam_size likeliest sequences of a cell; see oarlock.nn.BeamSearchDecoder.

    As in 1.8 a beam that has ended counts as ended for good.
    """

    @property
    def tracks_own_finished(self) -> bool:
        """No: what has ended in an earlier step stays so, whichever beam stands there now."""
        return False


@contextmanager
def around() -> Iterator[None]:
    """What the body of the `with` writes goes to the block around the one that is being written."""
    recorder = writing_mode("dynamic_decode").recorder
    with recorder.writing(recorder.open[-2]):
        yield


def _array_outside(like: Any) -> Any:
    with around():
        return create_array(like.dtype)


def _of_the_ended(finished: Any) -> Any:
    """Of the states of a step, those before it where a sequence had ended."""

    def choose(before: Any, after: Any) -> Any:
        dtype = before.dtype
        old, new, mask = (
            _as(x, "float32" if dtype.name == "bool" else dtype) for x in (before, after, finished)
        )
        rest = OPS["scale"](mask, scale=1.0, bias=-1.0)
        kept, made = (
            OPS["elementwise_mul"](old, mask, axis=0),
            OPS["elementwise_mul"](new, rest, axis=0),
        )
        return _as(OPS["elementwise_sub"](kept, made), dtype)

    return choose


@today("paddle.nn.dynamic_decode")
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

    -> outputs [B, T, *], states[, lengths]

    impute_finished: the states of a sequence stay when it has ended; is_test: no gradients, states
    are not kept.
    """
    if state.mode.builder is None:
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
    outputs, states, lengths = _Loop(
        decoder, inits, max_step_num, impute_finished, is_test
    ).written(kwargs)
    with suppress(NotImplementedError):  # of decoders of 1.8, which need not have it
        outputs, states = decoder.finalize(outputs, states, lengths)
    outputs = outputs if output_time_major else pytree.map(turned, outputs)
    return (outputs, states, lengths) if return_length else (outputs, states)


class _Loop:
    """The loop of a program that runs a decoder.

    With is_test its variables are written over, else they go into lists, for the way back.

    As in 1.8, what is_test writes over may be a variable of the states as well: a BeamSearchDecoder
    then sees there which beams have ended for good.
    """

    def __init__(self, decoder: Any, inits: Any, most: Any, impute: bool, is_test: bool) -> None:
        self.decoder, self.impute, self.is_test = decoder, impute, is_test
        self.inputs, self.states, self.finished = decoder.initialize(inits)
        self.finished.stop_gradient = True
        self.step = fill_constant([1], "int64", 0)
        self.cond = _some_go_on(self.finished)
        self.most = None if most is None else fill_constant([1], "int64", most)
        self.lengths = _as(OPS["fill_any_like"](self.finished, value=0.0), "int64")
        self.lengths.stop_gradient = True

    def written(self, kwargs: dict[str, Any]) -> tuple[Any, Any, Any]:
        """Write it; gives the outputs [T, B, *], the last states, and how long each sequence is."""
        kept = None
        if not self.is_test:
            kept = [
                pytree.map(lambda x: array_write(x, self.step), each)
                for each in (self.inputs, self.states)
            ]
        with While(self.cond, is_test=self.is_test).block():
            inputs, states = (
                (self.inputs, self.states) if kept is None else pytree.map(self._read, kept)
            )
            outputs, *after = self._one(inputs, states, kwargs)
            arrays = pytree.map(_array_outside, outputs)
            pytree.map(lambda x, array: array_write(x, self.step, array), outputs, arrays)
            self._go_on(kept, *after)
        outputs = pytree.map(
            lambda array: tensor_array_to_tensor(array, axis=0, use_stack=True)[0], arrays
        )
        return (
            outputs,
            self.states if kept is None else pytree.map(self._read, kept[1]),
            self.lengths,
        )

    def _read(self, array: Any) -> Any:
        return array_read(array, self.step)

    def _one(self, inputs: Any, states: Any, kwargs: dict[str, Any]) -> Any:
        """One step: its outputs, and what the next one gets."""
        outputs, following, more, ended = self.decoder.step(self.step, inputs, states, **kwargs)
        ended = OPS["logical_or"](ended, self.finished)
        lengths = OPS["elementwise_add"](
            self.lengths, _as(OPS["logical_not"](self.finished), "int64")
        )
        if self.impute:
            following = pytree.map(_of_the_ended(self.finished), states, following)
        return outputs, more, following, ended, lengths

    def _go_on(self, kept: Any, inputs: Any, states: Any, finished: Any, lengths: Any) -> None:
        """Write what the next step gets, and whether there is one."""
        increment(self.step, 1.0, in_place=True)
        if kept is None:
            pytree.map(assign, inputs, self.inputs)
            pytree.map(assign, states, self.states)
        else:
            pytree.map(lambda x, array: array_write(x, self.step, array), [inputs, states], kept)
        assign(finished, self.finished)
        assign(lengths, self.lengths)
        going = _some_go_on(self.finished)
        if self.most is not None:
            going = OPS["logical_and"](going, OPS["less_equal"](self.step, self.most))
        into(going, self.cond)


def _some_go_on(finished: Any) -> Any:
    """Whether a sequence has not ended, [1]."""
    return OPS["logical_not"](one(OPS["reduce_all"](finished, reduce_all=True)))


def _as(x: Any, dtype: Any) -> Any:
    wanted = dtype_of(dtype)
    return (
        x if x.dtype == wanted else OPS["cast"](x, in_dtype=x.dtype.proto, out_dtype=wanted.proto)
    )
