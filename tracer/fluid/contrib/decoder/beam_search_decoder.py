"""A decoder in training, along the right words, and one that looks for them: TrainingDecoder and
BeamSearchDecoder.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ....core.errors import with_user_line
from ....core.op import OPS
from ....core.tensor import Tensor
from ... import layers
from ...layers.decode import around
from .states import ArrayState, InitState, MemoryState, StateCell

__all__ = ["BeamSearchDecoder", "InitState", "StateCell", "TrainingDecoder"]

BEFORE, INSIDE, AFTER = range(3)


class _Staged:
    """What both have: a block that is written once, and a cell that belongs to the decoder until
    its end.
    """

    def __init__(self, state_cell: StateCell) -> None:
        self._stage, self._state_cell = BEFORE, state_cell
        state_cell.enter(self)

    @property
    def state_cell(self) -> StateCell:
        """The cell, inside of the block."""
        self._inside("state_cell")
        return self._state_cell

    @contextmanager
    def _staged(self) -> Iterator[None]:
        if self._stage != BEFORE:
            raise ValueError(with_user_line("decoder.block() can only be invoked once"))
        self._stage = INSIDE
        yield
        self._stage = AFTER
        self._state_cell.leave()

    def _inside(self, method: str) -> None:
        if self._stage != INSIDE:
            raise ValueError(
                with_user_line(
                    f"{method} should be invoked inside block of {type(self).__name__} object"
                )
            )

    def _after(self) -> None:
        if self._stage != AFTER:
            raise ValueError(
                with_user_line("Output of a decoder can only be visited outside the block")
            )


class TrainingDecoder(_Staged):
    """`with decoder.block():` says what a step along sequences does, in the words of DynamicRNN and
    of the cell; `decoder()` gives the outputs.
    """

    BEFORE_DECODER, IN_DECODER, AFTER_DECODER = BEFORE, INSIDE, AFTER

    def __init__(self, state_cell: StateCell, name: str | None = None) -> None:
        self._rnn = layers.DynamicRNN()
        super().__init__(state_cell)

    @contextmanager
    def block(self) -> Iterator[None]:
        """The body of a `with`: one step."""
        with self._staged(), self._rnn.block():
            yield

    def kept(self, first: InitState) -> MemoryState:
        """What keeps a state of the cell."""
        return MemoryState(self._rnn, first)

    @property
    def dynamic_rnn(self) -> Any:
        """What runs the steps."""
        return self._rnn

    def step_input(self, x: Any) -> Any:
        """The rows of a step."""
        self._inside("step_input")
        return self._rnn.step_input(x)

    def static_input(self, x: Any) -> Any:
        """What all steps see."""
        self._inside("static_input")
        return self._rnn.static_input(x)

    def output(self, *outputs: Any) -> None:
        """Let these, of each step, be outputs."""
        self._inside("output")
        self._rnn.output(*outputs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The outputs of all steps."""
        self._after()
        return self._rnn(*args, **kwargs)


class BeamSearchDecoder(_Staged):
    """`decoder.decode()` writes a loop that looks for the beam_size likeliest sentences of each
    source; `decoder()` gives them, and their scores.

    init_ids int64 [B, 1], init_scores [B, 1]: one beam of each source, of two levels;
    target_dict_dim: how many words there are; word_dim: the width of their table; input_var_dict:
    inputs of the cell that all steps see; topk_size: of the words of a beam only so many are
    looked at; max_len: of a sentence; end_id: the word that ends one.
    For a loop of one's own: `block`, `read_array`, `update_array`.
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
        self._most = layers.fill_constant(shape=[1], dtype="int64", value=max_len)
        self._cond = layers.less_than(x=self._counter, y=self._most)
        self._zero = layers.fill_constant(shape=[1], value=0, dtype="int64", force_cpu=True)
        super().__init__(state_cell)
        self._first = (init_ids, init_scores)
        self._sizes = (target_dict_dim, word_dim, topk_size)
        self._inputs, self._sparse = dict(input_var_dict or {}), sparse_emb
        self._beam_size, self._end_id = beam_size, end_id
        self._arrays: dict[str, Any] = {}  # by the name of what was read from each
        self._links: list[tuple[Any, Any]] = []
        self._found: dict[str, Any] = {}

    @contextmanager
    def block(self) -> Iterator[None]:
        """The body of a `with`: one step.   At its end the lists get what update_array said."""
        with self._staged(), layers.While(self._cond).block():
            yield
            with layers.Switch() as switch, switch.case(self._cond):
                layers.increment(x=self._counter, value=1.0, in_place=True)
                for value, array in self._links:
                    layers.array_write(x=value, i=self._counter, array=array)
                layers.less_than(x=self._counter, y=self._most, cond=self._cond)

    def kept(self, first: InitState) -> ArrayState:
        """What keeps a state of the cell."""
        return ArrayState(first)

    def early_stop(self) -> None:
        """Let this be the last step."""
        layers.fill_constant(shape=[1], value=0, dtype="bool", force_cpu=True, out=self._cond)

    def read_array(self, init: Any, is_ids: bool = False, is_scores: bool = False) -> Any:
        """What the step before has left of something that was `init` before the first one; is_ids,
        is_scores: it is what is looked for.
        """
        self._inside("read_array")
        if is_ids and is_scores:
            raise ValueError(
                with_user_line("read_array: an array is not of ids and of scores at the same time")
            )
        if not isinstance(init, Tensor):
            raise TypeError(
                with_user_line("read_array: the input argument `init` must be a Variable")
            )
        with around():
            array = layers.array_write(init, self._zero)
        if is_ids or is_scores:
            self._found["ids" if is_ids else "scores"] = array
        found = layers.array_read(array=array, i=self._counter)
        self._arrays[found.name] = array
        return found

    def update_array(self, array: Any, value: Any) -> None:
        """Leave `value` for the next step.   array: what read_array gave"""
        self._inside("update_array")
        if not isinstance(array, Tensor) or not isinstance(value, Tensor):
            raise TypeError(
                with_user_line(
                    "update_array: the input arguments `array` and `value` must be Variables"
                )
            )
        if array.name not in self._arrays:
            raise ValueError(with_user_line("Please invoke read_array before update_array"))
        self._links.append((value, self._arrays[array.name]))

    def decode(self) -> None:
        """Write the loop: words in, the cell, a product and softmax, the best words, which the next
        step gets.
        """
        with self.block():
            before, scores = (
                self.read_array(self._first[0], is_ids=True),
                self.read_array(self._first[1], is_scores=True),
            )
            seen = {name: self.read_array(value) for name, value in self._inputs.items()}
            wide = {name: layers.sequence_expand(value, scores) for name, value in seen.items()}
            self._step(before, scores, wide)
            ids, sums = self._chosen(before, scores)
            with layers.Switch() as switch:
                with switch.case(layers.is_empty(ids)):
                    self.early_stop()
                with switch.default():
                    self._state_cell.update_states()
                    for old, new in [
                        (before, ids),
                        (scores, sums),
                        *((seen[name], wide[name]) for name in seen),
                    ]:
                        self.update_array(old, new)

    def _step(self, before: Any, scores: Any, seen: dict[str, Any]) -> None:
        """The cell, for the beams there are now."""
        cell, (words, width, _) = self._state_cell, self._sizes
        table = layers.embedding(
            before, size=[words, width], dtype="float32", is_sparse=self._sparse
        )
        for name in cell.state_names:
            cell.set_state(name, layers.sequence_expand(cell.get_state(name), scores))
        cell.compute_state(
            inputs={**{name: table for name in cell.inputs if name not in seen}, **seen}
        )

    def _chosen(self, before: Any, scores: Any) -> Any:
        """The best of what the beams may go on with."""
        words, _, most = self._sizes
        likely = layers.fc(
            layers.lod_reset(self._state_cell.out_state(), scores), size=words, act="softmax"
        )
        best, which = layers.topk(likely, k=most)
        sums = OPS["elementwise_add"](OPS["log"](best), layers.reshape(scores, shape=[-1]), axis=0)
        return layers.beam_search(
            before, scores, which, sums, self._beam_size, end_id=self._end_id, level=0
        )

    def __call__(self) -> Any:
        """The sentences and their scores."""
        self._after()
        return layers.beam_search_decode(
            self._found["ids"], self._found["scores"], self._beam_size, self._end_id
        )
