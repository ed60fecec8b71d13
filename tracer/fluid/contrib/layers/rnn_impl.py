"""Multi-layer recurrent networks in one or two directions: basic_gru and basic_lstm."""

from __future__ import annotations

from typing import Any

from ....capture.control.static_rnn import StaticRNN
from ....core.op import OPS
from ....nn.rnn import initial_states
from ...layers.normalization import dropout
from ...layers.rnn_cells import select_new_where_mask, swap_batch_time, time_major_sequence_mask
from .rnn_units import BasicGRUUnit, BasicLSTMUnit, attr_with_name_suffix

__all__ = ["basic_gru", "basic_lstm"]


def _reverse_time(x: Any) -> Any:
    return OPS["reverse"](x, axis=[0])


class _StackedRecurrentNetwork:
    """A multi-layer recurrent network of BasicGRUUnits or BasicLSTMUnits, in one or two directions.

    unit: creates a unit from its name and the attributes of its parameters
    """

    def __init__(
        self,
        name: str,
        num_layers: int,
        bidirectional: bool,
        attrs: tuple[Any, Any],
        unit: Any,
        drop: Any,
    ) -> None:
        self.num_layers, self.bidirectional, self.drop = num_layers, bidirectional, drop
        self.directions = [self._create_unit_per_layer(name, unit, attrs, "fw")]
        if bidirectional:
            self.directions.append(
                self._create_unit_per_layer(f"{name}_reverse", unit, attrs, "bw")
            )

    def _create_unit_per_layer(
        self, name: str, unit: Any, attrs: tuple[Any, Any], tag: str
    ) -> list[Any]:
        weight, bias = attrs
        return [
            unit(
                f"{name}_layers_{i}",
                attr_with_name_suffix(weight, f"_{tag}_w_{i}"),
                attr_with_name_suffix(bias, f"_{tag}_b_{i}"),
            )
            for i in range(self.num_layers)
        ]

    def _initial_states(
        self, initial: list[Any], direction: int, x: Any, width: int
    ) -> list[list[Any]]:
        if all(state is not None for state in initial):
            return [[state[i, direction] for state in initial] for i in range(self.num_layers)]
        return [
            [initial_states([width], x, "float32", 0.0, 1) for _ in initial]
            for _ in range(self.num_layers)
        ]

    def _run_direction(
        self, x: Any, mask: Any, direction: int, initial: list[Any], width: int
    ) -> tuple[Any, list[Any]]:
        """Return the outputs [T, B, H] of one direction, and the last states of all layers, [L, B,
        H] each.
        """
        states_by_layer = self._initial_states(initial, direction, x, width)
        num_states = len(initial)
        rnn = StaticRNN()
        with rnn.step():
            out = rnn.step_input(x)
            step_mask = None if mask is None else rnn.step_input(mask)
            for unit, layer_states in zip(self.directions[direction], states_by_layer, strict=True):
                memories = [rnn.memory(init=state) for state in layer_states]
                result = unit(out, *memories)
                new = list(result) if isinstance(result, tuple) else [result]
                if step_mask is not None:
                    new = [
                        select_new_where_mask(n, o, step_mask)
                        for n, o in zip(new, memories, strict=True)
                    ]
                for memory, state in zip(memories, new, strict=True):
                    rnn.update_memory(memory, state)
                    rnn.step_output(state)
                out = self.drop(new[0])
            rnn.step_output(out)
        *states, outputs = rnn()
        return outputs, [
            OPS["stack"]([s[-1] for s in states[k::num_states]], axis=0) for k in range(num_states)
        ]

    def run(
        self, x: Any, initial: list[Any], width: int, lengths: Any, batch_first: bool
    ) -> tuple[Any, ...]:
        """Run all layers; returns the outputs of the last layer and the last states of all layers.

        x: [B, T, *] with batch_first, else [T, B, *]
        """
        x = swap_batch_time(x) if batch_first else x
        mask = None if lengths is None else time_major_sequence_mask(lengths, x, x.dtype)
        shape = [self.num_layers, 2 if self.bidirectional else 1, -1, width]
        initial = [
            None if state is None else OPS["reshape2"](state, shape=shape) for state in initial
        ]
        outputs, states = self._run_direction(x, mask, 0, initial, width)
        if self.bidirectional:
            reverse_outputs, reverse_states = self._run_direction(
                _reverse_time(x), None if mask is None else _reverse_time(mask), 1, initial, width
            )
            outputs = OPS["concat"]([outputs, _reverse_time(reverse_outputs)], axis=2)
            pairs = [
                OPS["concat"](list(pair), axis=1)
                for pair in zip(states, reverse_states, strict=True)
            ]
            states = [
                OPS["reshape2"](pair, shape=[2 * self.num_layers, -1, width]) for pair in pairs
            ]
        return swap_batch_time(outputs) if batch_first else outputs, *states


def _make_dropout_function(probability: Any, implementation: str) -> Any:
    if not probability:
        return lambda x: x
    return lambda x: dropout(x, dropout_prob=probability, dropout_implementation=implementation)


def basic_gru(
    input: Any,
    init_hidden: Any,
    hidden_size: int,
    num_layers: int = 1,
    sequence_length: Any = None,
    dropout_prob: float = 0.0,
    bidirectional: bool = False,
    batch_first: bool = True,
    param_attr: Any = None,
    bias_attr: Any = None,
    gate_activation: Any = None,
    activation: Any = None,
    dtype: Any = "float32",
    name: str = "basic_gru",
) -> Any:
    """Multi-layer network of BasicGRUUnit: returns the outputs of the last layer and the last
    states.

    input: [B, T, D].
    sequence_length: int [B]
    init_hidden: like the last states
    bidirectional: concatenate the outputs of both directions, [B, T, 2 H]; last states [2 layers,
    B, H]
    Returns [B, T, H], [layers, B, H].

    The newer name is `paddle.nn.GRU`.
    """

    def unit(scope: str, weight: Any, bias: Any) -> Any:
        return BasicGRUUnit(scope, hidden_size, weight, bias, gate_activation, activation, dtype)

    drop = _make_dropout_function(dropout_prob, "downgrade_in_infer")
    network = _StackedRecurrentNetwork(
        name, num_layers, bidirectional, (param_attr, bias_attr), unit, drop
    )
    return network.run(input, [init_hidden], hidden_size, sequence_length, batch_first)


def basic_lstm(
    input: Any,
    init_hidden: Any,
    init_cell: Any,
    hidden_size: int,
    num_layers: int = 1,
    sequence_length: Any = None,
    dropout_prob: float = 0.0,
    bidirectional: bool = False,
    batch_first: bool = True,
    param_attr: Any = None,
    bias_attr: Any = None,
    gate_activation: Any = None,
    activation: Any = None,
    forget_bias: float = 1.0,
    dtype: Any = "float32",
    name: str = "basic_lstm",
) -> Any:
    """Multi-layer network of BasicLSTMUnit: returns outputs, last states and last cells, as
    basic_gru.

    input: [B, T, D].
    Returns [B, T, H].

    The newer name is `paddle.nn.LSTM`.
    """

    def unit(scope: str, weight: Any, bias: Any) -> Any:
        return BasicLSTMUnit(
            scope, hidden_size, weight, bias, gate_activation, activation, forget_bias, dtype
        )

    drop = _make_dropout_function(dropout_prob, "upscale_in_train")
    network = _StackedRecurrentNetwork(
        name, num_layers, bidirectional, (param_attr, bias_attr), unit, drop
    )
    return network.run(input, [init_hidden, init_cell], hidden_size, sequence_length, batch_first)
