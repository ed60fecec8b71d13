"""The states of a decoder: InitState and StateCell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from ....core.errors import append_user_line
from ... import layers
from ...layers.decode import parent_block


class InitState:
    """The initial value of a decoder state: the variable `init`, or a tensor of shape `shape` that
    is filled with `value`, one for each row of init_boot.

    need_reorder: as in DynamicRNN.memory
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
                append_user_line(
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
        """The initial value."""
        return self._init

    @property
    def need_reorder(self) -> bool:
        """Whether DynamicRNN must reorder the rows of the initial value, because they have the
        order of the input sequences.
        """
        return self._need_reorder


class MemoryState:
    """A decoder state that is stored in a memory of a DynamicRNN."""

    def __init__(self, rnn: Any, initial: InitState) -> None:
        self._rnn = rnn
        self._memory = rnn.memory(init=initial.value, need_reorder=initial.need_reorder)

    def get_state(self) -> Any:
        """Return the value of the state that the previous step stored."""
        return self._memory

    def update_state(self, state: Any) -> None:
        """Store the value of the state for the next step."""
        self._rnn.update_memory(self._memory, state)


class ArrayState:
    """A decoder state that is stored in a tensor array, one item per step."""

    def __init__(self, initial: InitState) -> None:
        with parent_block():
            self._counter = layers.fill_constant([1], "int64", 0, force_cpu=True)
            self._array = layers.array_write(initial.value, self._counter)

    def get_state(self) -> Any:
        """Return the value of the state that the previous step stored."""
        return layers.array_read(array=self._array, i=self._counter)

    def update_state(self, state: Any) -> None:
        """Store the value of the state for the next step."""
        layers.increment(x=self._counter, value=1, in_place=True)
        layers.array_write(state, array=self._array, i=self._counter)


class StateCell:
    """The states of a decoder. The function that is decorated with `state_updater` computes the
    next values of the states.

    inputs: by name; None for inputs that are set in each step
    states: InitState objects by name
    out_state: name of the state from which words are predicted
    """

    def __init__(
        self,
        inputs: dict[str, Any],
        states: dict[str, Any],
        out_state: str,
        name: str | None = None,
    ) -> None:
        if not all(isinstance(state, InitState) for state in states.values()):
            raise ValueError(append_user_line("StateCell: state must be an InitState object"))
        if out_state not in states:
            raise ValueError(append_user_line("StateCell: out_state must be one state in states"))
        self._initial, self._inputs, self._out_state = states, inputs, out_state
        self._current_states: dict[str, Any] = dict(states)
        self._decoder: Any = None
        self._storage_by_decoder: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()
        self._updater: Callable[[StateCell], Any] | None = None

    @property
    def state_names(self) -> list[str]:
        """The names of the states of the cell."""
        return list(self._initial)

    @property
    def inputs(self) -> dict[str, Any]:
        """The inputs of the cell by name."""
        return self._inputs

    def attach(self, decoder: Any) -> None:
        """Attach the cell to a decoder. Raises ValueError if the cell is attached already."""
        if self._decoder is not None:
            raise ValueError(append_user_line("StateCell has already entered a decoder"))
        self._decoder = decoder

    def detach(self) -> None:
        """Detach the cell from its decoder."""
        self._decoder = None

    def _ensure_states_loaded(self) -> None:
        """Load the states that the previous step stored, at the first access to a state in a step
        of a decoder.
        """
        if self._decoder is not None and self._decoder not in self._storage_by_decoder:
            storage = self._storage_by_decoder[self._decoder] = {
                name: self._decoder.create_state_storage(s) for name, s in self._initial.items()
            }
            self._current_states = {name: state.get_state() for name, state in storage.items()}

    def get_state(self, state_name: str) -> Any:
        """Return the current value of a state."""
        self._ensure_states_loaded()
        if state_name not in self._current_states:
            raise ValueError(append_user_line(f"StateCell: unknown state {state_name}"))
        return self._current_states[state_name]

    def get_input(self, input_name: str) -> Any:
        """Return an input of the cell for the current step."""
        if self._inputs.get(input_name) is None:
            raise ValueError(append_user_line(f"StateCell: invalid input {input_name}"))
        return self._inputs[input_name]

    def set_state(self, state_name: str, state_value: Any) -> None:
        """Set the current value of a state of the cell."""
        self._current_states[state_name] = state_value

    def state_updater(self, updater: Callable[[StateCell], Any]) -> Callable[[StateCell], Any]:
        """Decorate the function `updater(cell)` that computes the next states."""
        self._updater = updater
        return updater

    def compute_state(self, inputs: dict[str, Any]) -> None:
        """Compute the next values of the states from the given inputs, by calling the updater."""
        self._ensure_states_loaded()
        unknown = [name for name in inputs if name not in self._inputs]
        if unknown or self._updater is None:
            raise ValueError(
                append_user_line(
                    f"StateCell: unknown inputs {unknown}"
                    if unknown
                    else "StateCell: no state_updater"
                )
            )
        self._inputs.update(inputs)
        self._updater(self)

    def update_states(self) -> None:
        """Store the current values of all states for the next step."""
        self._ensure_states_loaded()
        if self._decoder is not None:
            for name, storage in self._storage_by_decoder[self._decoder].items():
                storage.update_state(self._current_states[name])

    def out_state(self) -> Any:
        """Return the value of the state from which words are predicted (out_state)."""
        return self._current_states[self._out_state]
