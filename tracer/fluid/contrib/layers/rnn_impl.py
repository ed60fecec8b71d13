"""Networks of several layers of recurrent units, in one or two directions: basic_gru and
basic_lstm.
"""

from __future__ import annotations

from typing import Any

from ....capture.control.static_rnn import StaticRNN
from ....core.op import OPS
from ....nn.rnn import initial_states
from ...layers.cells import mask_of, masked, turned
from ...layers.norms import dropout
from .units import BasicGRUUnit, BasicLSTMUnit, called

__all__ = ["basic_gru", "basic_lstm"]


def _reversed(x: Any) -> Any:
    return OPS["reverse"](x, axis=[0])


class _Network:
    """The layers of a call.

    unit: makes one, of its name and the attributes of its parameters; first: the states before, [L,
    D, B, H] each, or None
    """

    def __init__(
        self, name: str, layers: int, two: bool, attrs: tuple[Any, Any], unit: Any, drop: Any
    ) -> None:
        self.layers, self.two, self.drop = layers, two, drop
        self.ways = [self._units(name, unit, attrs, "fw")]
        if two:
            self.ways.append(self._units(f"{name}_reverse", unit, attrs, "bw"))

    def _units(self, name: str, unit: Any, attrs: tuple[Any, Any], way: str) -> list[Any]:
        weight, bias = attrs
        return [
            unit(
                f"{name}_layers_{i}", called(weight, f"_{way}_w_{i}"), called(bias, f"_{way}_b_{i}")
            )
            for i in range(self.layers)
        ]

    def _start(self, first: list[Any], way: int, x: Any, width: int) -> list[list[Any]]:
        if all(state is not None for state in first):
            return [[state[i, way] for state in first] for i in range(self.layers)]
        return [
            [initial_states([width], x, "float32", 0.0, 1) for _ in first]
            for _ in range(self.layers)
        ]

    def _way(
        self, x: Any, mask: Any, way: int, first: list[Any], width: int
    ) -> tuple[Any, list[Any]]:
        """One direction: what the last layer gives [T, B, H], and the last states of all layers,
        [L, B, H] each.
        """
        start, count = self._start(first, way, x, width), len(first)
        steps = StaticRNN()
        with steps.step():
            here, inside = steps.step_input(x), None if mask is None else steps.step_input(mask)
            for unit, before in zip(self.ways[way], start, strict=True):
                held = [steps.memory(init=state) for state in before]
                made = unit(here, *held)
                new = list(made) if isinstance(made, tuple) else [made]
                new = (
                    new
                    if inside is None
                    else [masked(n, o, inside) for n, o in zip(new, held, strict=True)]
                )
                for old, after in zip(held, new, strict=True):
                    steps.update_memory(old, after)
                    steps.step_output(after)
                here = self.drop(new[0])
            steps.step_output(here)
        *states, outputs = steps()
        return outputs, [
            OPS["stack"]([s[-1] for s in states[k::count]], axis=0) for k in range(count)
        ]

    def run(
        self, x: Any, first: list[Any], width: int, lengths: Any, batch_first: bool
    ) -> tuple[Any, ...]:
        """Outputs and last states.   x [B, T, *] or [T, B, *]"""
        x = turned(x) if batch_first else x
        mask = None if lengths is None else mask_of(lengths, x, x.dtype)
        shape = [self.layers, 2 if self.two else 1, -1, width]
        first = [None if state is None else OPS["reshape2"](state, shape=shape) for state in first]
        outputs, states = self._way(x, mask, 0, first, width)
        if self.two:
            back, others = self._way(
                _reversed(x), None if mask is None else _reversed(mask), 1, first, width
            )
            outputs = OPS["concat"]([outputs, _reversed(back)], axis=2)
            pairs = [OPS["concat"](list(pair), axis=1) for pair in zip(states, others, strict=True)]
            states = [OPS["reshape2"](pair, shape=[2 * self.layers, -1, width]) for pair in pairs]
        return turned(outputs) if batch_first else outputs, *states


def _dropping(probability: Any, how: str) -> Any:
    if not probability:
        return lambda x: x
    return lambda x: dropout(x, dropout_prob=probability, dropout_implementation=how)


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
    """Layers of BasicGRUUnit over sequences: what the last one gives, and the last states.

    input [B, T, D] -> [B, T, H], [layers, B, H]

    bidirectional: both directions, their results side by side and [2 layers, B, H]; sequence_length
    int [B]; init_hidden like the last states.
    """

    def unit(scope: str, weight: Any, bias: Any) -> Any:
        return BasicGRUUnit(scope, hidden_size, weight, bias, gate_activation, activation, dtype)

    drop = _dropping(dropout_prob, "downgrade_in_infer")
    network = _Network(name, num_layers, bidirectional, (param_attr, bias_attr), unit, drop)
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
    """Layers of BasicLSTMUnit over sequences: what the last one gives, and the last states and
    cells; see basic_gru.

    input [B, T, D] -> [B, T, H]
    """

    def unit(scope: str, weight: Any, bias: Any) -> Any:
        return BasicLSTMUnit(
            scope, hidden_size, weight, bias, gate_activation, activation, forget_bias, dtype
        )

    drop = _dropping(dropout_prob, "upscale_in_train")
    network = _Network(name, num_layers, bidirectional, (param_attr, bias_attr), unit, drop)
    return network.run(input, [init_hidden, init_cell], hidden_size, sequence_length, batch_first)
