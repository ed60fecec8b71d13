"""What goes from step to step of a decoder: InitState and StateCell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....core.errors import with_user_line
from ... import layers
from ...layers.decode import around


class InitState:
    """What a state is before the first step: `init`, or `shape` filled with `value`, as many rows
    as init_boot has.

    need_reorder: see DynamicRNN.memory.
    """

    def __init__(
        self,
        init: Any = None,
        shape: Any = None,
        value: float = 0.0,
        init_boot: Any = None,
        need_reorder: bool = False,
        dtype: Any = "float32",
    ) -> None:
        if init is None and init_boot is None:
            raise ValueError(
                with_user_line(
                    "InitState: init_boot must be provided to infer the shape of InitState"
                )
            )
        if init is None:
            init = layers.fill_constant_batch_size_like(
                input=init_boot, value=value, shape=shape, dtype=dtype
            )
        self._init, self._need_reorder = init, need_reorder

    @property
    def value(self) -> Any:
        """What it is."""
        return self._init

    @property
    def need_reorder(self) -> bool:
        """Whether row i is for sequence i."""
        return self._need_reorder


class MemoryState:
    """A state that a DynamicRNN remembers."""

    def __init__(self, rnn: Any, first: InitState) -> None:
        self._rnn = rnn
        self._held = rnn.memory(init=first.value, need_reorder=first.need_reorder)

    def get_state(self) -> Any:
        """What the step before has left."""
        return self._held

    def update_state(self, state: Any) -> None:
        """Leave this for the next step."""
        self._rnn.update_memory(self._held, state)


class ArrayState:
    """A state that is kept in a list, step after step."""

    def __init__(self, first: InitState) -> None:
        with around():
            self._counter = layers.fill_constant([1], "int64", 0, force_cpu=True)
            self._array = layers.array_write(first.value, self._counter)

    def get_state(self) -> Any:
        """What the step before has left."""
        return layers.array_read(array=self._array, i=self._counter)

    def update_state(self, state: Any) -> None:
        """Leave this for the next step."""
        layers.increment(x=self._counter, value=1, in_place=True)
        layers.array_write(state, array=self._array, i=self._counter)


class StateCell:
    """The states of a decoder, and how a step changes them, which a function says that
    `state_updater` decorates.

    inputs: by name, None for what each step is given; states: InitStates by name; out_state: the
    name of the one that words are chosen by.
    """

    def __init__(
        self,
        inputs: dict[str, Any],
        states: dict[str, Any],
        out_state: str,
        name: str | None = None,
    ) -> None:
        if not all(isinstance(state, InitState) for state in states.values()):
            raise ValueError(with_user_line("StateCell: state must be an InitState object"))
        if out_state not in states:
            raise ValueError(with_user_line("StateCell: out_state must be one state in states"))
        self._first, self._inputs, self._out_state = states, inputs, out_state
        self._now: dict[str, Any] = dict(states)
        self._decoder: Any = None
        self._held: dict[int, dict[str, Any]] = {}  # The objects that hold the states, by decoder.
        self._updater: Callable[[StateCell], Any] | None = None

    @property
    def state_names(self) -> list[str]:
        """The names of the states."""
        return list(self._first)

    @property
    def inputs(self) -> dict[str, Any]:
        """The inputs by name."""
        return self._inputs

    def enter(self, decoder: Any) -> None:
        """Begin to belong to a decoder.   Raises ValueError where it belongs to one."""
        if self._decoder is not None:
            raise ValueError(with_user_line("StateCell has already entered a decoder"))
        self._decoder = decoder

    def leave(self) -> None:
        """Belong to no decoder any more."""
        self._decoder = None

    def _begin(self) -> None:
        """In the step of a decoder, before anything is asked for: take what the step before has
        left.
        """
        if self._decoder is not None and id(self._decoder) not in self._held:
            held = self._held[id(self._decoder)] = {
                n: self._decoder.kept(s) for n, s in self._first.items()
            }
            self._now = {name: state.get_state() for name, state in held.items()}

    def get_state(self, state_name: str) -> Any:
        """A state as it is now."""
        self._begin()
        if state_name not in self._now:
            raise ValueError(with_user_line(f"StateCell: unknown state {state_name}"))
        return self._now[state_name]

    def get_input(self, input_name: str) -> Any:
        """An input of this step."""
        if self._inputs.get(input_name) is None:
            raise ValueError(with_user_line(f"StateCell: invalid input {input_name}"))
        return self._inputs[input_name]

    def set_state(self, state_name: str, state_value: Any) -> None:
        """Let a state be something else."""
        self._now[state_name] = state_value

    def state_updater(self, updater: Callable[[StateCell], Any]) -> Callable[[StateCell], Any]:
        """Decorator: `updater(cell)` is what a step does to the states."""
        self._updater = updater
        return updater

    def compute_state(self, inputs: dict[str, Any]) -> None:
        """What a step does to the states, for these inputs."""
        self._begin()
        unknown = [name for name in inputs if name not in self._inputs]
        if unknown or self._updater is None:
            raise ValueError(
                with_user_line(
                    f"StateCell: unknown inputs {unknown}"
                    if unknown
                    else "StateCell: no state_updater"
                )
            )
        self._inputs.update(inputs)
        self._updater(self)

    def update_states(self) -> None:
        """Leave the states as they are now for the next step."""
        self._begin()
        for name, held in self._held.get(id(self._decoder), {}).items():
            held.update_state(self._now[name])

    def out_state(self) -> Any:
        """The state that words are chosen by."""
        return self._now[self._out_state]
