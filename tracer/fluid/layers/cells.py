"""Cells and the layer that runs one over sequences: fluid.layers.RNNCell, GRUCell, LSTMCell and
rnn.
"""

from __future__ import annotations

from typing import Any

from ...capture.control.static_rnn import StaticRNN
from ...core import pytree
from ...core.mode import state
from ...core.op import OPS
from ...nn.rnn import initial_states, run_over_time
from .helper import today

__all__ = ["GRUCell", "LSTMCell", "RNNCell", "rnn"]


class RNNCell:
    """Base of cells: `call(inputs, states)` gives what a step gives and its new states;
    `state_shape`, the shape of the states without the batch.
    """

    def call(self, inputs: Any, states: Any, **kwargs: Any) -> Any:
        """One step."""
        raise NotImplementedError(f"{type(self).__name__} has no call")

    def __call__(self, inputs: Any, states: Any, **kwargs: Any) -> Any:
        """One step."""
        return self.call(inputs, states, **kwargs)

    def get_initial_states(
        self,
        batch_ref: Any,
        shape: Any = None,
        dtype: Any = "float32",
        init_value: float = 0,
        batch_dim_idx: int = 0,
    ) -> Any:
        """States full of init_value, with the batch size of batch_ref.

        -> [batch, *shape], structured as shape
        """
        return initial_states(
            self.state_shape if shape is None else shape,
            batch_ref,
            dtype,
            init_value,
            batch_dim_idx,
        )

    @property
    def state_shape(self) -> Any:
        """The shape of the states without the batch, or a structure of shapes."""
        raise NotImplementedError(f"{type(self).__name__} has no state_shape")

    @property
    def state_dtype(self) -> Any:
        """The dtype of the states."""
        raise NotImplementedError(f"{type(self).__name__} has no state_dtype")


class GRUCell(RNNCell):
    """A cell of fluid.contrib's BasicGRUUnit.   inputs [B, D], states [B, hidden_size] -> (h, h)"""

    def __init__(
        self,
        hidden_size: int,
        param_attr: Any = None,
        bias_attr: Any = None,
        gate_activation: Any = None,
        activation: Any = None,
        dtype: Any = "float32",
        name: str = "GRUCell",
    ) -> None:
        from ..contrib.layers.units import BasicGRUUnit  # noqa: PLC0415 - it stands above layers

        self.hidden_size = hidden_size
        self.gru_unit = BasicGRUUnit(
            name, hidden_size, param_attr, bias_attr, gate_activation, activation, dtype
        )

    def call(self, inputs: Any, states: Any, **kwargs: Any) -> Any:
        """Implement `call` as the class describes."""
        new = self.gru_unit(inputs, states)
        return new, new

    @property
    def state_shape(self) -> Any:
        """[hidden_size]"""
        return [self.hidden_size]


class LSTMCell(RNNCell):
    """A cell of fluid.contrib's BasicLSTMUnit.

    inputs [B, D], states [h, c], [B, hidden_size] each -> (h, [h, c])
    """

    def __init__(
        self,
        hidden_size: int,
        param_attr: Any = None,
        bias_attr: Any = None,
        gate_activation: Any = None,
        activation: Any = None,
        forget_bias: float = 1.0,
        dtype: Any = "float32",
        name: str = "LSTMCell",
    ) -> None:
        from ..contrib.layers.units import BasicLSTMUnit  # noqa: PLC0415 - it stands above layers

        self.hidden_size = hidden_size
        self.lstm_unit = BasicLSTMUnit(
            name,
            hidden_size,
            param_attr,
            bias_attr,
            gate_activation,
            activation,
            forget_bias,
            dtype,
        )

    def call(self, inputs: Any, states: Any, **kwargs: Any) -> Any:
        """Implement `call` as the class describes."""
        hidden, cell = self.lstm_unit(inputs, *states)
        return hidden, [hidden, cell]

    @property
    def state_shape(self) -> Any:
        """[[hidden_size], [hidden_size]]"""
        return [[self.hidden_size], [self.hidden_size]]


def turned(x: Any) -> Any:
    """The first two axes, of batch and time, in the other order."""
    return OPS["transpose2"](x, axis=[1, 0, *range(2, len(x.meta.shape))])


def _backwards(x: Any) -> Any:
    return OPS["reverse"](x, axis=[0])


def masked(new: Any, old: Any, inside: Any) -> Any:
    """`new` where a step lies inside of a sequence, else `old`.

    inside [B] of 0 and 1, states [B, *]
    """
    kept = OPS["elementwise_mul"](old, OPS["scale"](inside, scale=1.0, bias=-1.0), axis=0)
    return OPS["elementwise_sub"](OPS["elementwise_mul"](new, inside, axis=0), kept)


def mask_of(lengths: Any, inputs: Any, dtype: Any) -> Any:
    """1 inside of sequences, 0 behind their ends.   inputs [T, B, *] -> [T, B]"""
    count = OPS["slice"](
        OPS["shape"](inputs), axes=[0], starts=[0], ends=[1], infer_flags=[1], decrease_axis=[]
    )
    return turned(OPS["sequence_mask"](lengths, count, maxlen=-1, out_dtype=dtype.proto))


def _free(x: Any) -> Any:
    x.stop_gradient = False
    return x


@today("paddle.nn.RNN")
def rnn(
    cell: Any,
    inputs: Any,
    initial_states: Any = None,
    sequence_length: Any = None,
    time_major: bool = False,
    is_reverse: bool = False,
    **kwargs: Any,
) -> Any:
    """A cell run over sequences: what it gives at every step, and its last states.

    inputs [B, T, *], [T, B, *] if time_major -> ([B, T, *], states)

    sequence_length int [B]: behind the end of a sequence its states stay.
    """
    if state.mode.builder is None:
        return run_over_time(
            cell, inputs, initial_states, sequence_length, time_major, is_reverse, kwargs
        )
    if initial_states is None:
        initial_states = cell.get_initial_states(
            batch_ref=inputs, batch_dim_idx=1 if time_major else 0
        )
    initial_states = pytree.map(_free, initial_states)
    inputs = inputs if time_major else pytree.map(turned, inputs)
    mask = None
    if sequence_length is not None:
        mask = mask_of(
            sequence_length, pytree.leaves(inputs)[0], pytree.leaves(initial_states)[0].dtype
        )
    if is_reverse:
        inputs, mask = pytree.map(_backwards, inputs), None if mask is None else _backwards(mask)
    outputs, states = _written(cell, inputs, initial_states, mask, kwargs)
    outputs = pytree.map(_backwards, outputs) if is_reverse else outputs
    return outputs if time_major else pytree.map(turned, outputs), states


def _written(
    cell: Any, inputs: Any, first: Any, mask: Any, kwargs: dict[str, Any]
) -> tuple[Any, Any]:
    """The steps as one of a program.

    inputs [T, B, *], mask [T, B] -> outputs [T, B, *], the last states
    """
    steps = StaticRNN()
    with steps.step():
        here = pytree.map(steps.step_input, inputs)
        states = pytree.map(steps.memory, first)
        outputs, new = cell.call(here, pytree.map(lambda x: x, states), **kwargs)
        if mask is not None:
            inside = steps.step_input(mask)
            new = pytree.map(lambda old, n: masked(n, old, inside), states, new)
        pytree.map(steps.update_memory, states, new)
        pytree.map(steps.step_output, outputs)
        pytree.map(steps.step_output, new)
    found = steps()
    each = iter(found if isinstance(found, list) else [found])
    outputs = pytree.map(lambda _: next(each), outputs)
    return outputs, pytree.map(lambda _: next(each)[-1], new)
