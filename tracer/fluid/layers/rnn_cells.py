"""RNN cells, and the layer that runs a cell over sequences: `fluid.layers.RNNCell`, GRUCell,
LSTMCell, rnn.
"""

from __future__ import annotations

from typing import Any

from ...capture.control.static_rnn import StaticRNN
from ...core import pytree
from ...core.mode import state
from ...core.op import OPS
from ...nn.rnn import initial_states, run_cell_over_time_steps
from .layer_utils import deprecated_layer

__all__ = ["GRUCell", "LSTMCell", "RNNCell", "rnn"]


class RNNCell:
    """Base class of cells.

    `call(inputs, states)` returns the outputs of a step and the new states. `state_shape` is the
    shape of the states without the batch dimension.

    The newer name is `paddle.nn.RNNCellBase`.
    """

    def call(self, inputs: Any, states: Any, **kwargs: Any) -> Any:
        """Run one step."""
        raise NotImplementedError(f"{type(self).__name__} has no call")

    def __call__(self, inputs: Any, states: Any, **kwargs: Any) -> Any:
        """Run one step."""
        return self.call(inputs, states, **kwargs)

    def get_initial_states(
        self,
        batch_ref: Any,
        shape: Any = None,
        dtype: Any = "float32",
        init_value: float = 0,
        batch_dim_idx: int = 0,
    ) -> Any:
        """Return states filled with init_value, [batch, *shape], with the structure of shape.

        batch_ref: tensor with the batch size
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
        """The shape of the states without the batch dimension, or a structure of shapes."""
        raise NotImplementedError(f"{type(self).__name__} has no state_shape")

    @property
    def state_dtype(self) -> Any:
        """The dtype of the states."""
        raise NotImplementedError(f"{type(self).__name__} has no state_dtype")


class GRUCell(RNNCell):
    """The cell of `fluid.contrib`'s BasicGRUUnit: inputs [B, D], states [B, hidden_size] -> (h,
    h).

    The newer name is `paddle.nn.GRUCell`.
    """

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
        from ..contrib.layers.rnn_units import BasicGRUUnit  # noqa: PLC0415 - it imports layers

        self.hidden_size = hidden_size
        self.gru_unit = BasicGRUUnit(
            name, hidden_size, param_attr, bias_attr, gate_activation, activation, dtype
        )

    def call(self, inputs: Any, states: Any, **kwargs: Any) -> Any:
        """Run one step."""
        hidden = self.gru_unit(inputs, states)
        return hidden, hidden

    @property
    def state_shape(self) -> Any:
        """[hidden_size]."""
        return [self.hidden_size]


class LSTMCell(RNNCell):
    """The cell of `fluid.contrib`'s BasicLSTMUnit.

    inputs: [B, D].
    states: [h, c], [B, hidden_size] each.
    Returns (h, [h, c]).

    The newer name is `paddle.nn.LSTMCell`.
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
        from ..contrib.layers.rnn_units import BasicLSTMUnit  # noqa: PLC0415 - it imports layers

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
        """Run one step."""
        hidden, cell = self.lstm_unit(inputs, *states)
        return hidden, [hidden, cell]

    @property
    def state_shape(self) -> Any:
        """[[hidden_size], [hidden_size]]."""
        return [[self.hidden_size], [self.hidden_size]]


def swap_batch_time(x: Any) -> Any:
    """Swap the first two axes, batch and time."""
    return OPS["transpose2"](x, axis=[1, 0, *range(2, len(x.meta.shape))])


def _reverse_first_axis(x: Any) -> Any:
    return OPS["reverse"](x, axis=[0])


def select_new_where_mask(new: Any, old: Any, mask: Any) -> Any:
    """Return `new` where mask is 1, `old` where it is 0.

    mask: [B].
    new, old: [B, *].
    """
    negated_old = OPS["elementwise_mul"](old, OPS["scale"](mask, scale=1.0, bias=-1.0), axis=0)
    return OPS["elementwise_sub"](OPS["elementwise_mul"](new, mask, axis=0), negated_old)


def time_major_sequence_mask(lengths: Any, inputs: Any, dtype: Any) -> Any:
    """Return 1 for steps within a sequence, 0 after its end: inputs [T, B, *] -> [T, B]."""
    count = OPS["slice"](
        OPS["shape"](inputs), axes=[0], starts=[0], ends=[1], infer_flags=[1], decrease_axis=[]
    )
    return swap_batch_time(OPS["sequence_mask"](lengths, count, maxlen=-1, out_dtype=dtype.proto))


def _clear_stop_gradient(x: Any) -> Any:
    x.stop_gradient = False
    return x


@deprecated_layer("paddle.nn.RNN")
def rnn(
    cell: Any,
    inputs: Any,
    initial_states: Any = None,
    sequence_length: Any = None,
    time_major: bool = False,
    is_reverse: bool = False,
    **kwargs: Any,
) -> Any:
    """Run a cell over sequences; returns the outputs of all steps and the last states.

    inputs: [B, T, *], or [T, B, *] if time_major; outputs likewise
    sequence_length: int [B]; states do not change after the end of a sequence
    """
    if state.mode.program_builder is None:
        return run_cell_over_time_steps(
            cell, inputs, initial_states, sequence_length, time_major, is_reverse, kwargs
        )
    if initial_states is None:
        initial_states = cell.get_initial_states(
            batch_ref=inputs, batch_dim_idx=1 if time_major else 0
        )
    initial_states = pytree.map(_clear_stop_gradient, initial_states)
    inputs = inputs if time_major else pytree.map(swap_batch_time, inputs)
    mask = None
    if sequence_length is not None:
        mask = time_major_sequence_mask(
            sequence_length, pytree.leaves(inputs)[0], pytree.leaves(initial_states)[0].dtype
        )
    if is_reverse:
        inputs = pytree.map(_reverse_first_axis, inputs)
        mask = None if mask is None else _reverse_first_axis(mask)
    outputs, states = _record_static_rnn(cell, inputs, initial_states, mask, kwargs)
    outputs = pytree.map(_reverse_first_axis, outputs) if is_reverse else outputs
    return outputs if time_major else pytree.map(swap_batch_time, outputs), states


def _record_static_rnn(
    cell: Any, inputs: Any, initial_states: Any, mask: Any, kwargs: dict[str, Any]
) -> tuple[Any, Any]:
    """Record a StaticRNN; returns the outputs [T, B, *] and the last states.

    inputs: [T, B, *].
    mask: [T, B] or None.
    """
    static_rnn = StaticRNN()
    with static_rnn.step():
        step_inputs = pytree.map(static_rnn.step_input, inputs)
        states = pytree.map(static_rnn.memory, initial_states)
        outputs, new = cell.call(step_inputs, pytree.map(lambda x: x, states), **kwargs)
        if mask is not None:
            step_mask = static_rnn.step_input(mask)
            new = pytree.map(lambda old, n: select_new_where_mask(n, old, step_mask), states, new)
        pytree.map(static_rnn.update_memory, states, new)
        pytree.map(static_rnn.step_output, outputs)
        pytree.map(static_rnn.step_output, new)
    results = static_rnn()
    result_iter = iter(results if isinstance(results, list) else [results])
    outputs = pytree.map(lambda _: next(result_iter), outputs)
    return outputs, pytree.map(lambda _: next(result_iter)[-1], new)
