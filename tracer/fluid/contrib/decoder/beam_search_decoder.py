"""TrainingDecoder, whose inputs are the target words, and BeamSearchDecoder, which searches for the
most probable words.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ....core.errors import append_user_line
from ....core.op import OPS
from ....core.tensor import Tensor
from ... import layers
from ...layers.decode import parent_block
from .states import ArrayState, InitState, MemoryState, StateCell

__all__ = ["BeamSearchDecoder", "InitState", "StateCell", "TrainingDecoder"]

BEFORE, INSIDE, AFTER = range(3)


class _DecoderBase:
    """Base class of the decoders: the block of one step, which is recorded once, and the state
    cell, which is attached to the decoder while the block is recorded.
    """

    def __init__(self, state_cell: StateCell) -> None:
        self._stage, self._state_cell = BEFORE, state_cell
        state_cell.attach(self)

    @property
    def state_cell(self) -> StateCell:
        """The state cell of the decoder; it can be read inside of `decoder.block()` only."""
        self._check_in_block("state_cell")
        return self._state_cell

    @contextmanager
    def _enter_block(self) -> Iterator[None]:
        if self._stage != BEFORE:
            raise ValueError(append_user_line("decoder.block() can only be invoked once"))
        self._stage = INSIDE
        yield
        self._stage = AFTER
        self._state_cell.detach()

    def _check_in_block(self, method: str) -> None:
        if self._stage != INSIDE:
            raise ValueError(
                append_user_line(
                    f"{method} should be invoked inside block of {type(self).__name__} object"
                )
            )

    def _check_after_block(self) -> None:
        if self._stage != AFTER:
            raise ValueError(
                append_user_line("Output of a decoder can only be visited outside the block")
            )


class TrainingDecoder(_DecoderBase):
    """Decoder for training: `with decoder.block():` records the step that runs for each element of
    the sequences, with the methods of DynamicRNN and of the state cell; `decoder()` returns the
    outputs.

    The newer name is `paddle.nn.RNN`.
    """

    BEFORE_DECODER, IN_DECODER, AFTER_DECODER = BEFORE, INSIDE, AFTER

    def __init__(self, state_cell: StateCell, name: str | None = None) -> None:
        self._rnn = layers.DynamicRNN()
        super().__init__(state_cell)

    @contextmanager
    def block(self) -> Iterator[None]:
        """Record the ops in the body of the `with` statement as one step of the decoder."""
        with self._enter_block(), self._rnn.block():
            yield

    def create_state_storage(self, initial: InitState) -> MemoryState:
        """Create the storage of one state of the state cell: a memory of the DynamicRNN."""
        return MemoryState(self._rnn, initial)

    @property
    def dynamic_rnn(self) -> Any:
        """The DynamicRNN of the decoder."""
        return self._rnn

    def step_input(self, x: Any) -> Any:
        """Return the rows of the sequences `x` for the current step."""
        self._check_in_block("step_input")
        return self._rnn.step_input(x)

    def static_input(self, x: Any) -> Any:
        """Return the input `x`, which is the same in all steps of the decoder."""
        self._check_in_block("static_input")
        return self._rnn.static_input(x)

    def output(self, *outputs: Any) -> None:
        """Mark values that a step computes as outputs of the decoder."""
        self._check_in_block("output")
        self._rnn.output(*outputs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the outputs of all steps of the decoder, after the block was recorded."""
        self._check_after_block()
        return self._rnn(*args, **kwargs)


class BeamSearchDecoder(_DecoderBase):
    """Decoder for beam search: `decoder.decode()` records the loop, `decoder()` returns the found
    sentences and their scores.

    To record another loop, use `block`, `read_array` and `update_array`.

    Parameters
    ----------
    init_ids : int64 [B, 1]
    init_scores : float [B, 1]
        One beam for each source, with two LoD levels.
    target_dict_dim, word_dim : int
        Number of words, and width of their embedding.
    input_var_dict : dict of str to Variable, optional
        Inputs of the cell that are the same in all steps.
    topk_size : int
        Number of words considered for a beam.
    max_len : int
        Maximum length of a sentence.
    end_id : int
        Word that ends a sentence.

    The newer name is `paddle.nn.BeamSearchDecoder`.
    """

    BEFORE_BEAM_SEARCH_DECODER, IN_BEAM_SEARCH_DECODER, AFTER_BEAM_SEARCH_DECODER = (
        BEFORE,
        INSIDE,
        AFTER,
    )

    def __init__(
        self,
        state_cell: StateCell,
        init_ids: Any,
        init_scores: Any,
        target_dict_dim: int,
        word_dim: int,
        input_var_dict: dict[str, Any] | None = None,
        topk_size: int = 50,
        sparse_emb: bool = True,
        max_len: int = 100,
        beam_size: int = 1,
        end_id: int = 1,
        name: str | None = None,
    ) -> None:
        self._counter = layers.zeros(shape=[1], dtype="int64")
        self._max_len = layers.fill_constant(shape=[1], dtype="int64", value=max_len)
        self._condition = layers.less_than(x=self._counter, y=self._max_len)
        self._zero_index = layers.fill_constant(shape=[1], value=0, dtype="int64", force_cpu=True)
        super().__init__(state_cell)
        self._initial_ids_and_scores = (init_ids, init_scores)
        self._sizes = (target_dict_dim, word_dim, topk_size)
        self._inputs, self._sparse = dict(input_var_dict or {}), sparse_emb
        self._beam_size, self._end_id = beam_size, end_id
        self._array_by_variable: dict[str, Any] = {}  # by the name of the variable read from it
        self._updates: list[tuple[Any, Any]] = []
        self._results: dict[str, Any] = {}

    @contextmanager
    def block(self) -> Iterator[None]:
        """Record the ops in the body of the `with` statement as one step of the search. At the end
        of the body, the values that were passed to update_array are written.
        """
        with self._enter_block(), layers.While(self._condition).block():
            yield
            with layers.Switch() as switch, switch.case(self._condition):
                layers.increment(x=self._counter, value=1.0, in_place=True)
                for value, array in self._updates:
                    layers.array_write(x=value, i=self._counter, array=array)
                layers.less_than(x=self._counter, y=self._max_len, cond=self._condition)

    def create_state_storage(self, initial: InitState) -> ArrayState:
        """Create the storage of one state of the state cell: a TensorArray with an entry per
        step.
        """
        return ArrayState(initial)

    def early_stop(self) -> None:
        """End the loop of the beam search after the current step."""
        layers.fill_constant(shape=[1], value=0, dtype="bool", force_cpu=True, out=self._condition)

    def read_array(self, init: Any, is_ids: bool = False, is_scores: bool = False) -> Any:
        """Return the value that the previous step passed to update_array; in the first step,
        `init`.

        is_ids, is_scores: the array holds the words, or the scores, that the decoder returns
        """
        self._check_in_block("read_array")
        if is_ids and is_scores:
            raise ValueError(
                append_user_line("read_array: is_ids and is_scores must not both be True")
            )
        if not isinstance(init, Tensor):
            raise TypeError(
                append_user_line("read_array: the input argument `init` must be a Variable")
            )
        with parent_block():
            array = layers.array_write(init, self._zero_index)
        if is_ids or is_scores:
            self._results["ids" if is_ids else "scores"] = array
        value = layers.array_read(array=array, i=self._counter)
        self._array_by_variable[value.name] = array
        return value

    def update_array(self, array: Any, value: Any) -> None:
        """Set the value that read_array returns in the next step to `value`. array: the result of
        read_array
        """
        self._check_in_block("update_array")
        if not isinstance(array, Tensor) or not isinstance(value, Tensor):
            raise TypeError(
                append_user_line(
                    "update_array: the input arguments `array` and `value` must be Variables"
                )
            )
        if array.name not in self._array_by_variable:
            raise ValueError(append_user_line("Please invoke read_array before update_array"))
        self._updates.append((value, self._array_by_variable[array.name]))

    def decode(self) -> None:
        """Record the loop: embedding, state cell, projection with softmax, and selection of the
        best words for the next step.
        """
        with self.block():
            previous_ids, previous_scores = (
                self.read_array(self._initial_ids_and_scores[0], is_ids=True),
                self.read_array(self._initial_ids_and_scores[1], is_scores=True),
            )
            inputs = {name: self.read_array(value) for name, value in self._inputs.items()}
            expanded = {
                name: layers.sequence_expand(value, previous_scores)
                for name, value in inputs.items()
            }
            self._run_state_cell(previous_ids, previous_scores, expanded)
            ids, scores = self._select_best_continuations(previous_ids, previous_scores)
            with layers.Switch() as switch:
                with switch.case(layers.is_empty(ids)):
                    self.early_stop()
                with switch.default():
                    self._state_cell.update_states()
                    for old, new in [
                        (previous_ids, ids),
                        (previous_scores, scores),
                        *((inputs[name], expanded[name]) for name in inputs),
                    ]:
                        self.update_array(old, new)

    def _run_state_cell(self, ids: Any, scores: Any, inputs: dict[str, Any]) -> None:
        """Compute the next states of the state cell from the words of the current beams."""
        cell, (num_words, width, _) = self._state_cell, self._sizes
        embedded = layers.embedding(
            ids, size=[num_words, width], dtype="float32", is_sparse=self._sparse
        )
        for name in cell.state_names:
            cell.set_state(name, layers.sequence_expand(cell.get_state(name), scores))
        cell.compute_state(
            inputs={**{name: embedded for name in cell.inputs if name not in inputs}, **inputs}
        )

    def _select_best_continuations(self, ids: Any, scores: Any) -> Any:
        """Append a beam_search op, which returns the words that best continue the beams, and their
        scores.
        """
        num_words, _, topk = self._sizes
        probabilities = layers.fc(
            layers.lod_reset(self._state_cell.out_state(), scores), size=num_words, act="softmax"
        )
        best, indices = layers.topk(probabilities, k=topk)
        total = OPS["elementwise_add"](OPS["log"](best), layers.reshape(scores, shape=[-1]), axis=0)
        return layers.beam_search(
            ids, scores, indices, total, self._beam_size, end_id=self._end_id, level=0
        )

    def __call__(self) -> Any:
        """Return the sentences and their scores."""
        self._check_after_block()
        return layers.beam_search_decode(
            self._results["ids"], self._results["scores"], self._beam_size, self._end_id
        )
