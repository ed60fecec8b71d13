"""Recurrent layers: cells that make one step, RNN and BiRNN that run a cell over a sequence, and
whole networks in one op.

Sequences are [batch, time, features], or [time, batch, features] when time_major.
"""

from __future__ import annotations

import math
from typing import Any

from ..core import pytree
from ..core.dtype import dtype_of
from ..core.errors import OpError, with_user_line
from ..core.op import OPS
from ..core.operand_checks import check_tensors, no_axis_error, not_a_tensor_error
from ..core.tensor import Tensor
from ..tensor.convert import cast
from ..tensor.creation import arange
from ..tensor.linalg import matmul
from ..tensor.logic import less_than
from ..tensor.manipulation import concat, split, stack, transpose, unsqueeze
from ..tensor.math import add, multiply, subtract
from . import functional as F
from .container import LayerList
from .initializer import Constant, Initializer, Uniform
from .layer import Layer

__all__ = [
    "GRU",
    "LSTM",
    "RNN",
    "BiRNN",
    "GRUCell",
    "LSTMCell",
    "RNNCellBase",
    "SimpleRNN",
    "SimpleRNNCell",
]


def _is_shape(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(d, int) for d in value)


def initial_states(
    shape: Any, batch_ref: Any, dtype: Any = None, value: float = 0.0, axis: int = 0
) -> Any:
    """States full of `value`, with the batch size of batch_ref along `axis`.

    shape: of one, or a structure of them -> [batch, *shape], structured alike
    """
    like = pytree.leaves(batch_ref)[0]
    try:
        number = dtype_of(like.dtype if dtype is None else dtype).proto
    except AttributeError:
        raise not_a_tensor_error(like) from None

    def made(wanted: Any) -> Any:
        if isinstance(wanted, dict):
            return {key: made(s) for key, s in wanted.items()}
        if not _is_shape(wanted):
            return type(wanted)(made(s) for s in wanted)
        size = list(wanted) if wanted and wanted[0] == -1 else [-1, *wanted]
        return OPS["fill_constant_batch_size_like"](
            like,
            shape=size,
            dtype=number,
            value=float(value),
            str_value=str(float(value)),
            input_dim_idx=axis,
        )

    return made(shape)


class RNNCellBase(Layer):
    """Base of all cells.

    A subclass has `state_shape`: the shape of its states without the batch, or a structure of
    shapes.
    """

    state_shape: Any

    def get_initial_states(
        self,
        batch_ref: Any,
        shape: Any = None,
        dtype: Any = None,
        init_value: float = 0.0,
        batch_dim_idx: int = 0,
    ) -> Any:
        """States full of init_value, with the batch size of batch_ref along batch_dim_idx.

        -> [batch, *shape], structured as shape
        """
        return initial_states(
            self.state_shape if shape is None else shape,
            batch_ref,
            dtype,
            init_value,
            batch_dim_idx,
        )


class _Cell(RNNCellBase):
    """The weights that all three cells have.

    weight_ih [G * hidden, input], weight_hh [G * hidden, hidden], biases [G * hidden]
    """

    def __init__(
        self, gates: int, input_size: int, hidden_size: int, attrs: tuple[Any, Any, Any, Any]
    ) -> None:
        super().__init__()
        if hidden_size <= 0:
            raise OpError(
                with_user_line(f"{type(self).__name__}: hidden_size={hidden_size} is not positive")
            )
        start, wide = (
            Uniform(-1 / math.sqrt(hidden_size), 1 / math.sqrt(hidden_size)),
            gates * hidden_size,
        )
        self.weight_ih: Any = self._weight([wide, input_size], attrs[0], start)
        self.weight_hh: Any = self._weight([wide, hidden_size], attrs[1], start)
        self.bias_ih: Any = self._weight([wide], attrs[2], start)
        self.bias_hh: Any = self._weight([wide], attrs[3], start)
        self.input_size, self.hidden_size = input_size, hidden_size

    def _weight(self, shape: list[int], attr: Any, start: Initializer) -> Any:
        """A weight or bias; with attr False it is a frozen constant, as in Paddle: 1 in a weight, 0
        in a bias.
        """
        bias = len(shape) == 1
        if attr is not False:
            return self.create_parameter(shape, attr, is_bias=bias, default_initializer=start)
        made = self.create_parameter(
            shape, is_bias=bias, default_initializer=Constant(0.0 if bias else 1.0)
        )
        made.stop_gradient = True
        return made

    def _products(self, inputs: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """What comes from the inputs and from the hidden state.

        -> [batch, G * hidden] each
        """
        return (
            add(matmul(inputs, self.weight_ih, transpose_y=True), self.bias_ih),
            add(matmul(hidden, self.weight_hh, transpose_y=True), self.bias_hh),
        )

    @property
    def state_shape(self) -> Any:
        """The shape of the state, without the batch."""
        return (self.hidden_size,)

    def extra_repr(self) -> str:
        """Sizes."""
        return f"{self.input_size}, {self.hidden_size}"


class SimpleRNNCell(_Cell):
    """h' = activation(W_ih x + b_ih + W_hh h + b_hh) (Elman 1990).

    inputs [B, input_size], states [B, hidden_size] -> (h', h')
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        activation: str = "tanh",
        weight_ih_attr: Any = None,
        weight_hh_attr: Any = None,
        bias_ih_attr: Any = None,
        bias_hh_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            1, input_size, hidden_size, (weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr)
        )
        self.activation = _known(activation)
        self._activation_fn = getattr(F, activation)

    def forward(self, inputs: Tensor, states: Tensor | None = None) -> Any:
        """See the class.

        states: zeros when not given.
        """
        hidden = self.get_initial_states(inputs) if states is None else states
        new = self._activation_fn(add(*self._products(inputs, hidden)))
        return new, new

    def extra_repr(self) -> str:
        """Sizes, and the activation when it is not tanh."""
        return super().extra_repr() + (
            f", activation={self.activation}" if self.activation != "tanh" else ""
        )


class LSTMCell(_Cell):
    """Long short-term memory (Hochreiter and Schmidhuber 1997).

    inputs [B, input_size], states (h, c) -> (h', (h', c'))

    Gates are stored in the order input, forget, cell, output.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        weight_ih_attr: Any = None,
        weight_hh_attr: Any = None,
        bias_ih_attr: Any = None,
        bias_hh_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            4, input_size, hidden_size, (weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr)
        )

    def forward(self, inputs: Tensor, states: Any = None) -> Any:
        """See the class.

        states: zeros when not given.
        """
        hidden, cell = self.get_initial_states(inputs) if states is None else states
        i, f, g, o = split(add(*self._products(inputs, hidden)), 4, -1)
        new = add(multiply(F.sigmoid(f), cell), multiply(F.sigmoid(i), F.tanh(g)))
        out = multiply(F.sigmoid(o), F.tanh(new))
        return out, (out, new)

    @property
    def state_shape(self) -> Any:
        """The shapes of h and c, without the batch."""
        return (self.hidden_size,), (self.hidden_size,)


class GRUCell(_Cell):
    """Gated recurrent unit (Cho et al. 2014).

    inputs [B, input_size], states [B, hidden_size] -> (h', h')

    Gates are stored in the order reset, update, candidate.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        weight_ih_attr: Any = None,
        weight_hh_attr: Any = None,
        bias_ih_attr: Any = None,
        bias_hh_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            3, input_size, hidden_size, (weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr)
        )

    def forward(self, inputs: Tensor, states: Tensor | None = None) -> Any:
        """See the class.

        states: zeros when not given.
        """
        hidden = self.get_initial_states(inputs) if states is None else states
        from_inputs, from_hidden = self._products(inputs, hidden)
        (xr, xz, xc), (hr, hz, hc) = split(from_inputs, 3, -1), split(from_hidden, 3, -1)
        candidate = F.tanh(add(xc, multiply(F.sigmoid(add(xr, hr)), hc)))
        new = add(multiply(subtract(hidden, candidate), F.sigmoid(add(xz, hz))), candidate)
        return new, new


def _known(activation: str) -> str:
    if activation not in ("tanh", "relu"):
        raise OpError(
            with_user_line(f"SimpleRNN: activation={activation!r} is neither 'tanh' nor 'relu'")
        )
    return activation


def _time_first(x: Tensor) -> Tensor:
    return transpose(x, [1, 0, *range(2, x.ndim)])


def _kept(inside: Tensor, new: Tensor, old: Tensor) -> Tensor:
    """`new` inside of a sequence, `old` behind its end.

    inside [B] of 0 and 1, states [B, *]
    """
    mask = unsqueeze(inside, list(range(1, new.ndim)))
    return add(multiply(new, mask), multiply(old, subtract(1.0, mask)))


def over_time(
    cell: Any,
    inputs: Any,
    states: Any,
    lengths: Tensor | None,
    time_major: bool,
    reverse: bool,
    extra: dict[str, Any],
) -> tuple[Any, Any]:
    """The cell at every step: (outputs, last states).

    Behind the end of a sequence its states stay.
    """
    axis = 0 if time_major else 1
    first = pytree.leaves(inputs)[0]
    check_tensors(first)
    if first.ndim < 2:
        raise no_axis_error(first, axis)
    count = first.meta.shape[axis]
    if count < 0:
        raise OpError(
            with_user_line(f"RNN: the number of steps is not known (inputs={first.meta})")
        )
    if states is None:
        states = cell.get_initial_states(inputs, batch_dim_idx=1 - axis)
    if not time_major:
        inputs = pytree.map(_time_first, inputs)
    inside = None
    if lengths is not None:
        inside = cast(
            less_than(unsqueeze(arange(count, dtype=lengths.dtype), 1), unsqueeze(lengths, 0)),
            first.dtype,
        )
    outputs: list[Any] = [None] * count
    for t in reversed(range(count)) if reverse else range(count):
        outputs[t], new = cell(pytree.map(lambda x, t=t: x[t], inputs), states, **extra)
        states = (
            new
            if inside is None
            else pytree.map(lambda n, o, t=t: _kept(inside[t], n, o), new, states)
        )
    return pytree.map(lambda *each: stack(each, axis), *outputs), states


class RNN(Layer):
    """A cell run over a sequence.

    inputs [B, T, *] -> (outputs [B, T, *], last states)
    """

    def __init__(self, cell: Any, is_reverse: bool = False, time_major: bool = False) -> None:
        super().__init__()
        self.cell = cell
        self.is_reverse = is_reverse
        self.time_major = time_major

    def forward(
        self,
        inputs: Any,
        initial_states: Any = None,
        sequence_length: Tensor | None = None,
        **kwargs: Any,
    ) -> Any:
        """See the class.

        sequence_length [B]: later steps leave the states alone.
        """
        return over_time(
            self.cell,
            inputs,
            initial_states,
            sequence_length,
            self.time_major,
            self.is_reverse,
            kwargs,
        )


class BiRNN(Layer):
    """Two cells run over a sequence in opposite directions.

    inputs [B, T, *] -> (outputs [B, T, both], (states, states))
    """

    def __init__(self, cell_fw: Any, cell_bw: Any, time_major: bool = False) -> None:
        super().__init__()
        if cell_fw.input_size != cell_bw.input_size:
            raise OpError(
                with_user_line(
                    f"BiRNN: input sizes {cell_fw.input_size} and {cell_bw.input_size} differ"
                )
            )
        self.cell_fw = cell_fw
        self.cell_bw = cell_bw
        self.time_major = time_major

    def forward(
        self,
        inputs: Any,
        initial_states: Any = None,
        sequence_length: Tensor | None = None,
        **kwargs: Any,
    ) -> Any:
        """See the class.

        initial_states: those of both cells.
        """
        forth, back = (None, None) if initial_states is None else initial_states
        out, last = over_time(
            self.cell_fw, inputs, forth, sequence_length, self.time_major, False, kwargs
        )
        out_back, last_back = over_time(
            self.cell_bw, inputs, back, sequence_length, self.time_major, True, kwargs
        )
        return pytree.map(lambda a, b: concat([a, b], -1), out, out_back), (last, last_back)


class _Network(LayerList):
    """Several layers of one or two directions, run by one op.

    inputs [B, T, input_size] -> (outputs [B, T, D * hidden_size], last)

    last: (h, c) of an LSTM, else h; each [layers * D, B, hidden_size].
    Parameters are weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, those of the other direction
    end in _reverse; the same ones are in the cells, too.
    """

    def __init__(
        self,
        cell: Any,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int,
        direction: str,
        time_major: bool,
        dropout: float,
        **settings: Any,
    ) -> None:
        super().__init__()
        if direction not in ("forward", "bidirect", "bidirectional"):
            why = f"direction={direction!r} is not one of 'forward', 'bidirect', 'bidirectional'"
            raise OpError(with_user_line(f"{type(self).__name__}: {why}"))
        self.mode, self.input_size, self.hidden_size = mode, input_size, hidden_size
        self.num_layers, self.time_major, self.dropout = num_layers, time_major, dropout
        self.num_directions = 1 if direction == "forward" else 2
        self.state_components = 2 if mode == "LSTM" else 1
        for layer in range(num_layers):
            wide = self.num_directions * hidden_size if layer else input_size
            cells = [cell(wide, hidden_size, **settings) for _ in range(self.num_directions)]
            self.append(
                RNN(cells[0], False, time_major)
                if len(cells) == 1
                else BiRNN(cells[0], cells[1], time_major)
            )
        self._cells: list[Any] = [c for layer in self for c in layer.children()]
        for at, one in enumerate(self._cells):
            layer, back = divmod(at, self.num_directions)
            for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                setattr(self, f"{name}_l{layer}" + ("_reverse" if back else ""), getattr(one, name))

    def flatten_parameters(self) -> None:
        """Nothing to do: there is no device memory to lay out."""

    def _weights(self) -> list[Any]:
        matrices = [w for c in self._cells for w in (c.weight_ih, c.weight_hh)]
        return matrices + [b for c in self._cells for b in (c.bias_ih, c.bias_hh)]

    def forward(
        self, inputs: Tensor, initial_states: Any = None, sequence_length: Tensor | None = None
    ) -> Any:
        """See the class.

        initial_states like last, zeros when not given; sequence_length int [B]: behind it outputs
        are 0.
        """
        x = inputs if self.time_major else transpose(inputs, [1, 0, 2])
        out, _, _, last = OPS["rnn"](
            x,
            self._states(x, initial_states),
            self._weights(),
            sequence_length,
            dropout_prob=float(self.dropout),
            is_bidirec=self.num_directions == 2,
            input_size=self.input_size,
            hidden_size=self.hidden_size,
            num_layers=self.num_layers,
            mode=self.mode,
            is_test=not self.training,
        )
        return (out if self.time_major else transpose(out, [1, 0, 2])), tuple(last) if len(
            last
        ) > 1 else last[0]

    def _states(self, x: Tensor, given: Any) -> list[Tensor]:
        if given is not None:
            return [given] if isinstance(given, Tensor) else list(given)
        zeros = OPS["fill_constant_batch_size_like"](
            x,
            shape=[self.num_layers * self.num_directions, -1, self.hidden_size],
            dtype=x.dtype.proto,
            input_dim_idx=1,
            output_dim_idx=1,
        )
        return [zeros] * self.state_components

    def extra_repr(self) -> str:
        """Sizes, and the settings that are not at their defaults."""
        found = f"{self.input_size}, {self.hidden_size}"
        found += f", num_layers={self.num_layers}" if self.num_layers != 1 else ""
        found += f", time_major={self.time_major}" if self.time_major else ""
        return found + (f", dropout={self.dropout}" if self.dropout else "")


class SimpleRNN(_Network):
    """Layers of SimpleRNNCell.

    inputs [B, T, input_size] -> (outputs [B, T, D * hidden_size], h [layers * D, B, hidden_size])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        direction: str = "forward",
        time_major: bool = False,
        dropout: float = 0.0,
        activation: str = "tanh",
        weight_ih_attr: Any = None,
        weight_hh_attr: Any = None,
        bias_ih_attr: Any = None,
        bias_hh_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            SimpleRNNCell,
            "RNN_TANH" if _known(activation) == "tanh" else "RNN_RELU",
            input_size,
            hidden_size,
            num_layers,
            direction,
            time_major,
            dropout,
            activation=activation,
            weight_ih_attr=weight_ih_attr,
            weight_hh_attr=weight_hh_attr,
            bias_ih_attr=bias_ih_attr,
            bias_hh_attr=bias_hh_attr,
        )
        self.activation = activation


class LSTM(_Network):
    """Layers of LSTMCell.

    inputs [B, T, input_size] -> (outputs [B, T, D * hidden_size], (h, c), each [layers * D, B,
    hidden_size])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        direction: str = "forward",
        time_major: bool = False,
        dropout: float = 0.0,
        weight_ih_attr: Any = None,
        weight_hh_attr: Any = None,
        bias_ih_attr: Any = None,
        bias_hh_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            LSTMCell,
            "LSTM",
            input_size,
            hidden_size,
            num_layers,
            direction,
            time_major,
            dropout,
            weight_ih_attr=weight_ih_attr,
            weight_hh_attr=weight_hh_attr,
            bias_ih_attr=bias_ih_attr,
            bias_hh_attr=bias_hh_attr,
        )


class GRU(_Network):
    """Layers of GRUCell.

    inputs [B, T, input_size] -> (outputs [B, T, D * hidden_size], h [layers * D, B, hidden_size])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        direction: str = "forward",
        time_major: bool = False,
        dropout: float = 0.0,
        weight_ih_attr: Any = None,
        weight_hh_attr: Any = None,
        bias_ih_attr: Any = None,
        bias_hh_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            GRUCell,
            "GRU",
            input_size,
            hidden_size,
            num_layers,
            direction,
            time_major,
            dropout,
            weight_ih_attr=weight_ih_attr,
            weight_hh_attr=weight_hh_attr,
            bias_ih_attr=bias_ih_attr,
            bias_hh_attr=bias_hh_attr,
        )
