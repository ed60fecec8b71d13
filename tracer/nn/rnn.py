"""Recurrent layers: cells compute one step, RNN and BiRNN run a cell over a sequence, SimpleRNN,
LSTM and GRU run all layers and steps in one op.

Sequences are [batch, time, features], or [time, batch, features] if time_major.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..core import pytree
from ..core.dtype import parse_dtype
from ..core.errors import OpError, append_user_line
from ..core.op import OPS
from ..core.operand_checks import axis_out_of_range_error, check_tensors, not_a_tensor_error
from ..core.tensor import Tensor
from ..core.type_aliases import DTypeLike
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
from .type_aliases import ParamAttrLike

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
    """Create states filled with `value`; the batch size is that of `batch_ref` along `axis`.

    shape: the shape of a state, or a nested structure of shapes -> [batch, *shape] in the same
    structure
    """
    like = pytree.leaves(batch_ref)[0]
    try:
        proto = parse_dtype(like.dtype if dtype is None else dtype).proto
    except AttributeError:
        raise not_a_tensor_error(like) from None

    def create(spec: Any) -> Any:
        if isinstance(spec, dict):
            return {key: create(s) for key, s in spec.items()}
        if not _is_shape(spec):
            return type(spec)(create(s) for s in spec)
        size = list(spec) if spec and spec[0] == -1 else [-1, *spec]
        return OPS["fill_constant_batch_size_like"](
            like,
            shape=size,
            dtype=proto,
            value=float(value),
            str_value=str(float(value)),
            input_dim_idx=axis,
        )

    return create(shape)


class RNNCellBase(Layer):
    """Base class of recurrent cells, which compute one time step of a sequence.

    A subclass defines `forward(inputs, states)`, which returns the output and the new states, and
    `state_shape`: the shape of its states without the batch axis, or a nested structure of shapes.

    Parameters
    ----------
    name_scope : str, optional
        Prefix of the names of the parameters; the default is made of the name of the class.
    dtype : str or dtype, default "float32"
        The dtype of the parameters.

    Examples
    --------
    >>> class Sum(nn.RNNCellBase):
    ...     state_shape = (2,)
    ...     def forward(self, inputs, states):
    ...         new = inputs + states
    ...         return new, new
    >>> outputs, last = nn.RNN(Sum())(paddle.ones([1, 3, 2]), paddle.zeros([1, 2]))
    >>> outputs.tolist(), last.tolist()
    ([[[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]], [[3.0, 3.0]])
    """

    state_shape: Any
    input_size: int  # only cells of a BiRNN need it

    def get_initial_states(
        self,
        batch_ref: Any,
        shape: Any = None,
        dtype: DTypeLike | None = None,
        init_value: float = 0.0,
        batch_dim_idx: int = 0,
    ) -> Any:
        """Create states that are filled with one value, for the batch size of a tensor.

        Parameters
        ----------
        batch_ref : Tensor or nested structure of tensors
            The batch size is that of the first tensor along `batch_dim_idx`.
        shape : list of int or nested structure of them, optional
            The shapes of the states without the batch axis; by default `state_shape` of the cell. A
            leading -1 stands for the batch axis.
        dtype : str or dtype, optional
            The dtype of the states; by default that of `batch_ref`.
        init_value : float, default 0.0
        batch_dim_idx : int, default 0
            The batch axis of `batch_ref`.

        Returns
        -------
        Tensor [batch, *shape], or nested structure of them
            In the structure of `shape`.

        Raises
        ------
        OpError
            If `batch_ref` holds no tensor.

        Examples
        --------
        >>> h, c = nn.LSTMCell(3, 4).get_initial_states(paddle.zeros([2, 3]))
        >>> h.shape, c.shape
        ([2, 4], [2, 4])
        """
        return initial_states(
            self.state_shape if shape is None else shape,
            batch_ref,
            dtype,
            init_value,
            batch_dim_idx,
        )


class _CellWithWeights(RNNCellBase):
    """Base of the three cells: their weights, with G gates.

    weight_ih [G * hidden, input], weight_hh [G * hidden, hidden], biases [G * hidden]
    """

    def __init__(
        self, gates: int, input_size: int, hidden_size: int, attrs: tuple[Any, Any, Any, Any]
    ) -> None:
        super().__init__()
        if hidden_size <= 0:
            raise OpError(
                append_user_line(
                    f"{type(self).__name__}: hidden_size={hidden_size} is not positive"
                )
            )
        initializer, rows = (
            Uniform(-1 / math.sqrt(hidden_size), 1 / math.sqrt(hidden_size)),
            gates * hidden_size,
        )
        self.weight_ih: Any = self._create_weight_or_bias([rows, input_size], attrs[0], initializer)
        self.weight_hh: Any = self._create_weight_or_bias(
            [rows, hidden_size], attrs[1], initializer
        )
        self.bias_ih: Any = self._create_weight_or_bias([rows], attrs[2], initializer)
        self.bias_hh: Any = self._create_weight_or_bias([rows], attrs[3], initializer)
        self.input_size, self.hidden_size = input_size, hidden_size

    def _create_weight_or_bias(self, shape: list[int], attr: Any, initializer: Initializer) -> Any:
        """Create a weight or bias. If `attr` is False, the value is constant, as in Paddle: 1 for a
        weight, 0 for a bias.
        """
        is_bias = len(shape) == 1
        if attr is not False:
            return self.create_parameter(
                shape, attr, is_bias=is_bias, default_initializer=initializer
            )
        parameter = self.create_parameter(
            shape, is_bias=is_bias, default_initializer=Constant(0.0 if is_bias else 1.0)
        )
        parameter.stop_gradient = True
        return parameter

    def _input_and_state_projections(self, inputs: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """Return weight_ih x + bias_ih and weight_hh h + bias_hh.

        -> [batch, G * hidden] each
        """
        return (
            add(matmul(inputs, self.weight_ih, transpose_y=True), self.bias_ih),
            add(matmul(hidden, self.weight_hh, transpose_y=True), self.bias_hh),
        )

    @property
    def state_shape(self) -> Any:
        """The shape of the state without the batch axis: a tuple of int.

        Examples
        --------
        >>> nn.GRUCell(3, 4).state_shape
        (4,)
        """
        return (self.hidden_size,)

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}"


class SimpleRNNCell(_CellWithWeights):
    """One step of a simple recurrent network (Elman 1990).

    h' = activation(W_ih x + b_ih + W_hh h + b_hh)

    Parameters
    ----------
    input_size, hidden_size : int
        The sizes of x and of h.
    activation : "tanh" or "relu", default "tanh"
    weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr : ParamAttr, str or False, optional
        Initialization, name and regularizer of the parameters. Default: Uniform(-a, a)
        with a = 1 / sqrt(hidden_size). False: the parameter is the constant 1 for a weight and 0
        for a bias, and is not trained.
    name : str, optional
        Not used.

    Attributes
    ----------
    weight_ih : Parameter [hidden_size, input_size]
    weight_hh : Parameter [hidden_size, hidden_size]
    bias_ih, bias_hh : Parameter [hidden_size]

    Shape
    -----
    inputs : [B, input_size], float
    states : [B, hidden_size], optional; zeros by default
    returns : (h', h'), each [B, hidden_size]

    Raises
    ------
    OpError
        If `hidden_size` is not positive, `activation` is unknown, or shapes do not fit.

    Examples
    --------
    >>> cell = nn.SimpleRNNCell(3, 4)
    >>> output, state = cell(paddle.zeros([2, 3]), paddle.zeros([2, 4]))
    >>> output.shape, state.shape
    ([2, 4], [2, 4])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        activation: str = "tanh",
        weight_ih_attr: ParamAttrLike | None = None,
        weight_hh_attr: ParamAttrLike | None = None,
        bias_ih_attr: ParamAttrLike | None = None,
        bias_hh_attr: ParamAttrLike | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            1, input_size, hidden_size, (weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr)
        )
        self.activation = _require_tanh_or_relu(activation)
        self._activation_fn = getattr(F, activation)

    def forward(self, inputs: Tensor, states: Tensor | None = None) -> tuple[Tensor, Tensor]:
        hidden = self.get_initial_states(inputs) if states is None else states
        new = self._activation_fn(add(*self._input_and_state_projections(inputs, hidden)))
        return new, new

    def extra_repr(self) -> str:
        return super().extra_repr() + (
            f", activation={self.activation}" if self.activation != "tanh" else ""
        )


class LSTMCell(_CellWithWeights):
    """One step of a long short-term memory (Hochreiter and Schmidhuber 1997).

    c' = sigmoid(f) * c + sigmoid(i) * tanh(g)
    h' = sigmoid(o) * tanh(c')

    i, f, g and o (input gate, forget gate, candidate, output gate) are the quarters of
    W_ih x + b_ih + W_hh h + b_hh, in this order.

    Parameters
    ----------
    input_size, hidden_size : int
        The sizes of x and of h.
    weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr : ParamAttr, str or False, optional
        Initialization, name and regularizer of the parameters. Default: Uniform(-a, a)
        with a = 1 / sqrt(hidden_size). False: the parameter is the constant 1 for a weight and 0
        for a bias, and is not trained.
    name : str, optional
        Not used.

    Attributes
    ----------
    weight_ih : Parameter [4 * hidden_size, input_size]
    weight_hh : Parameter [4 * hidden_size, hidden_size]
    bias_ih, bias_hh : Parameter [4 * hidden_size]

    Shape
    -----
    inputs : [B, input_size], float
    states : (h, c), each [B, hidden_size], optional; zeros by default
    returns : (h', (h', c')), each [B, hidden_size]

    Raises
    ------
    OpError
        If `hidden_size` is not positive, or shapes do not fit.

    Examples
    --------
    >>> cell = nn.LSTMCell(3, 4)
    >>> output, (h, c) = cell(paddle.zeros([2, 3]))
    >>> output.shape, h.shape, c.shape
    ([2, 4], [2, 4], [2, 4])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        weight_ih_attr: ParamAttrLike | None = None,
        weight_hh_attr: ParamAttrLike | None = None,
        bias_ih_attr: ParamAttrLike | None = None,
        bias_hh_attr: ParamAttrLike | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            4, input_size, hidden_size, (weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr)
        )

    def forward(
        self, inputs: Tensor, states: Sequence[Tensor] | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, cell = self.get_initial_states(inputs) if states is None else states
        i, f, g, o = split(add(*self._input_and_state_projections(inputs, hidden)), 4, -1)
        new_cell = add(multiply(F.sigmoid(f), cell), multiply(F.sigmoid(i), F.tanh(g)))
        out = multiply(F.sigmoid(o), F.tanh(new_cell))
        return out, (out, new_cell)

    @property
    def state_shape(self) -> tuple[tuple[int], tuple[int]]:
        """The shapes of h and c without the batch axis: two tuples of int.

        Examples
        --------
        >>> nn.LSTMCell(3, 4).state_shape
        ((4,), (4,))
        """
        return (self.hidden_size,), (self.hidden_size,)


class GRUCell(_CellWithWeights):
    """One step of a gated recurrent unit (Cho et al. 2014).

    r = sigmoid(x_r + h_r)
    z = sigmoid(x_z + h_z)
    h' = z * h + (1 - z) * tanh(x_c + r * h_c)

    x_r, x_z and x_c (reset gate, update gate, candidate) are the thirds of W_ih x + b_ih, in this
    order; h_r, h_z and h_c are those of W_hh h + b_hh.

    Parameters
    ----------
    input_size, hidden_size : int
        The sizes of x and of h.
    weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr : ParamAttr, str or False, optional
        Initialization, name and regularizer of the parameters. Default: Uniform(-a, a)
        with a = 1 / sqrt(hidden_size). False: the parameter is the constant 1 for a weight and 0
        for a bias, and is not trained.
    name : str, optional
        Not used.

    Attributes
    ----------
    weight_ih : Parameter [3 * hidden_size, input_size]
    weight_hh : Parameter [3 * hidden_size, hidden_size]
    bias_ih, bias_hh : Parameter [3 * hidden_size]

    Shape
    -----
    inputs : [B, input_size], float
    states : [B, hidden_size], optional; zeros by default
    returns : (h', h'), each [B, hidden_size]

    Raises
    ------
    OpError
        If `hidden_size` is not positive, or shapes do not fit.

    Examples
    --------
    >>> cell = nn.GRUCell(3, 4)
    >>> output, state = cell(paddle.zeros([2, 3]), paddle.zeros([2, 4]))
    >>> output.shape, state.shape
    ([2, 4], [2, 4])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        weight_ih_attr: ParamAttrLike | None = None,
        weight_hh_attr: ParamAttrLike | None = None,
        bias_ih_attr: ParamAttrLike | None = None,
        bias_hh_attr: ParamAttrLike | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            3, input_size, hidden_size, (weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr)
        )

    def forward(self, inputs: Tensor, states: Tensor | None = None) -> tuple[Tensor, Tensor]:
        hidden = self.get_initial_states(inputs) if states is None else states
        from_inputs, from_hidden = self._input_and_state_projections(inputs, hidden)
        (xr, xz, xc), (hr, hz, hc) = split(from_inputs, 3, -1), split(from_hidden, 3, -1)
        candidate = F.tanh(add(xc, multiply(F.sigmoid(add(xr, hr)), hc)))
        new = add(multiply(subtract(hidden, candidate), F.sigmoid(add(xz, hz))), candidate)
        return new, new


def _require_tanh_or_relu(activation: str) -> str:
    """Return the activation of a SimpleRNN; raises OpError if it is unknown."""
    if activation not in ("tanh", "relu"):
        raise OpError(
            append_user_line(f"SimpleRNN: activation={activation!r} is neither 'tanh' nor 'relu'")
        )
    return activation


def _swap_batch_and_time(x: Tensor) -> Tensor:
    return transpose(x, [1, 0, *range(2, x.ndim)])


def _new_state_unless_finished(is_valid: Tensor, new: Tensor, old: Tensor) -> Tensor:
    """Select the new state within a sequence and the old state after its end.

    is_valid [B] of 0 and 1, states [B, *]
    """
    mask = unsqueeze(is_valid, list(range(1, new.ndim)))
    return add(multiply(new, mask), multiply(old, subtract(1.0, mask)))


def run_cell_over_time_steps(
    cell: Any,
    inputs: Any,
    states: Any,
    lengths: Tensor | None,
    time_major: bool,
    reverse: bool,
    extra: dict[str, Any],
) -> tuple[Any, Any]:
    """Run a cell over all time steps: returns the outputs and the last states.

    After the end of a sequence (`lengths`) its states do not change.
    """
    axis = 0 if time_major else 1
    first = pytree.leaves(inputs)[0]
    check_tensors(first)
    if first.ndim < 2:
        raise axis_out_of_range_error(first, axis)
    num_steps = first.meta.shape[axis]
    if num_steps < 0:
        raise OpError(
            append_user_line(f"RNN: the number of time steps must be static (inputs={first.meta})")
        )
    if states is None:
        states = cell.get_initial_states(inputs, batch_dim_idx=1 - axis)
    if not time_major:
        inputs = pytree.map(_swap_batch_and_time, inputs)
    is_valid = None
    if lengths is not None:
        is_valid = cast(
            less_than(unsqueeze(arange(num_steps, dtype=lengths.dtype), 1), unsqueeze(lengths, 0)),
            first.dtype,
        )
    outputs: list[Any] = [None] * num_steps
    for t in reversed(range(num_steps)) if reverse else range(num_steps):
        outputs[t], new = cell(pytree.map(lambda x, t=t: x[t], inputs), states, **extra)
        states = (
            new
            if is_valid is None
            else pytree.map(
                lambda n, o, t=t: _new_state_unless_finished(is_valid[t], n, o), new, states
            )
        )
    return pytree.map(lambda *each: stack(each, axis), *outputs), states


class RNN(Layer):
    """Layer that runs a cell over all time steps of a sequence.

    Parameters
    ----------
    cell : RNNCellBase
        Its call maps the inputs and states of one step to the output and the new states.
    is_reverse : bool, default False
        Whether to begin with the last time step. Outputs keep the order of the inputs.
    time_major : bool, default False
        Whether the time axis of inputs and outputs comes before the batch axis.

    Examples
    --------
    >>> rnn = nn.RNN(nn.GRUCell(3, 4))
    >>> outputs, last = rnn(paddle.zeros([2, 5, 3]))
    >>> outputs.shape, last.shape
    ([2, 5, 4], [2, 4])
    """

    def __init__(self, cell: Layer, is_reverse: bool = False, time_major: bool = False) -> None:
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
        """Run the cell over all time steps.

        Parameters
        ----------
        inputs : Tensor [B, T, *] or [T, B, *] if `time_major`, or nested structure of them
        initial_states : Tensor [B, *] or nested structure of them, optional
            The states before the first step; by default those of `cell.get_initial_states`.
        sequence_length : Tensor [B], int32 | int64, optional
            The lengths of the sequences. The states of a sequence do not change after its end.
        **kwargs : Any
            Further arguments of each call of the cell.

        Returns
        -------
        outputs : Tensor [B, T, *] or [T, B, *] if `time_major`
            The outputs of the cell, in the structure of these outputs.
        final_states : Tensor [B, *] or nested structure of them

        Raises
        ------
        OpError
            If `inputs` has fewer than two axes, or, while a program is recorded, a dynamic number
            of time steps.

        Examples
        --------
        >>> rnn = nn.RNN(nn.LSTMCell(3, 4), time_major=True)
        >>> lengths = paddle.to_tensor([5, 2])
        >>> outputs, (h, c) = rnn(paddle.zeros([5, 2, 3]), sequence_length=lengths)
        >>> outputs.shape, h.shape, c.shape
        ([5, 2, 4], [2, 4], [2, 4])
        """
        return run_cell_over_time_steps(
            self.cell,
            inputs,
            initial_states,
            sequence_length,
            self.time_major,
            self.is_reverse,
            kwargs,
        )


class BiRNN(Layer):
    """Layer that runs two cells over a sequence in opposite directions, and joins their outputs.

    Parameters
    ----------
    cell_fw, cell_bw : RNNCellBase
        The cells that begin with the first and with the last time step; their `input_size` is the
        same.
    time_major : bool, default False
        Whether the time axis of inputs and outputs comes before the batch axis.

    Raises
    ------
    OpError
        If the input sizes of the cells differ.

    Examples
    --------
    >>> rnn = nn.BiRNN(nn.GRUCell(3, 4), nn.GRUCell(3, 4))
    >>> outputs, (forward, backward) = rnn(paddle.zeros([2, 5, 3]))
    >>> outputs.shape, forward.shape, backward.shape
    ([2, 5, 8], [2, 4], [2, 4])
    """

    def __init__(
        self, cell_fw: RNNCellBase, cell_bw: RNNCellBase, time_major: bool = False
    ) -> None:
        super().__init__()
        if cell_fw.input_size != cell_bw.input_size:
            raise OpError(
                append_user_line(
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
        """Run both cells over all time steps.

        Parameters
        ----------
        inputs : Tensor [B, T, *] or [T, B, *] if `time_major`, or nested structure of them
        initial_states : (states, states), optional
            The states of `cell_fw` and `cell_bw` before their first steps; by default those of
            their method `get_initial_states`.
        sequence_length : Tensor [B], int32 | int64, optional
            The lengths of the sequences. The states of a sequence do not change after its end.
        **kwargs : Any
            Further arguments of each call of the cells.

        Returns
        -------
        outputs : Tensor [B, T, D] or [T, B, D] if `time_major`
            D is the sum of the output sizes of the cells.
        final_states : (states, states)
            The last states of `cell_fw` and of `cell_bw`.

        Raises
        ------
        OpError
            If `inputs` has fewer than two axes, or, while a program is recorded, a dynamic number
            of time steps.

        Examples
        --------
        >>> rnn = nn.BiRNN(nn.LSTMCell(3, 4), nn.LSTMCell(3, 4), time_major=True)
        >>> outputs, ((h, c), (h_reverse, c_reverse)) = rnn(paddle.zeros([5, 2, 3]))
        >>> outputs.shape, h_reverse.shape
        ([5, 2, 8], [2, 4])
        """
        states_fw, states_bw = (None, None) if initial_states is None else initial_states
        out_fw, last_fw = run_cell_over_time_steps(
            self.cell_fw, inputs, states_fw, sequence_length, self.time_major, False, kwargs
        )
        out_bw, last_bw = run_cell_over_time_steps(
            self.cell_bw, inputs, states_bw, sequence_length, self.time_major, True, kwargs
        )
        return pytree.map(lambda a, b: concat([a, b], -1), out_fw, out_bw), (last_fw, last_bw)


class _RecurrentNetwork(LayerList):
    """Base of the recurrent networks: layers of one or two directions (D), run by one op.

    inputs [B, T, input_size] -> (outputs [B, T, D * hidden_size], last)

    last: (h, c) of an LSTM, otherwise h; each [layers * D, B, hidden_size]. Parameters are
    weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, with the suffix _reverse for the second
    direction. The cells share them.
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
            problem = (
                f"direction={direction!r} is not one of 'forward', 'bidirect', 'bidirectional'"
            )
            raise OpError(append_user_line(f"{type(self).__name__}: {problem}"))
        if num_layers < 1:
            problem = f"num_layers={num_layers} is less than 1"
            raise OpError(append_user_line(f"{type(self).__name__}: {problem}"))
        self.mode, self.input_size, self.hidden_size = mode, input_size, hidden_size
        self.num_layers, self.time_major, self.dropout = num_layers, time_major, dropout
        self.num_directions = 1 if direction == "forward" else 2
        self.state_components = 2 if mode == "LSTM" else 1
        for layer in range(num_layers):
            layer_input_size = self.num_directions * hidden_size if layer else input_size
            cells = [
                cell(layer_input_size, hidden_size, **settings) for _ in range(self.num_directions)
            ]
            self.append(
                RNN(cells[0], False, time_major)
                if len(cells) == 1
                else BiRNN(cells[0], cells[1], time_major)
            )
        self._cells: list[Any] = [c for layer in self for c in layer.children()]
        for index, cell_layer in enumerate(self._cells):
            layer, is_reverse = divmod(index, self.num_directions)
            for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                setattr(
                    self,
                    f"{name}_l{layer}" + ("_reverse" if is_reverse else ""),
                    getattr(cell_layer, name),
                )

    def flatten_parameters(self) -> None:
        """Do nothing: the weights need no contiguous device memory."""

    def _weights(self) -> list[Any]:
        matrices = [w for c in self._cells for w in (c.weight_ih, c.weight_hh)]
        return matrices + [b for c in self._cells for b in (c.bias_ih, c.bias_hh)]

    def forward(
        self,
        inputs: Tensor,
        initial_states: Tensor | Sequence[Tensor] | None = None,
        sequence_length: Tensor | None = None,
    ) -> Any:
        x = inputs if self.time_major else transpose(inputs, [1, 0, 2])
        out, _, _, last = OPS["rnn"](
            x,
            self._initial_states(x, initial_states),
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

    def _initial_states(self, x: Tensor, states: Any) -> list[Tensor]:
        if states is not None:
            return [states] if isinstance(states, Tensor) else list(states)
        zeros = OPS["fill_constant_batch_size_like"](
            x,
            shape=[self.num_layers * self.num_directions, -1, self.hidden_size],
            dtype=x.dtype.proto,
            input_dim_idx=1,
            output_dim_idx=1,
        )
        return [zeros] * self.state_components

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        text += f", num_layers={self.num_layers}" if self.num_layers != 1 else ""
        text += f", time_major={self.time_major}" if self.time_major else ""
        return text + (f", dropout={self.dropout}" if self.dropout else "")


class SimpleRNN(_RecurrentNetwork):
    """Simple recurrent network of several layers and one or two directions (Elman 1990).

    The layers and time steps run in one op. A step computes the formula of `SimpleRNNCell`:

    h' = activation(W_ih x + b_ih + W_hh h + b_hh)

    Parameters
    ----------
    input_size, hidden_size : int
        The sizes of the features of the inputs and of each direction's outputs.
    num_layers : int, default 1
    direction : "forward", "bidirect" or "bidirectional", default "forward"
        The last two are synonyms: each layer has a second cell that begins with the last time step,
        and D, the number of directions, is 2 instead of 1.
    time_major : bool, default False
        Whether the time axis of inputs and outputs comes before the batch axis.
    dropout : float, default 0.0
        Probability of dropping an output of all layers but the last, in training mode.
    activation : "tanh" or "relu", default "tanh"
    weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr : ParamAttr, str or False, optional
        Initialization, name and regularizer of the parameters. Default: Uniform(-a, a)
        with a = 1 / sqrt(hidden_size). False: the parameter is the constant 1 for a weight and 0
        for a bias, and is not trained.
    name : str, optional
        Not used.

    Attributes
    ----------
    weight_ih_l0 : Parameter [hidden_size, input_size]
        Of layer 0; the columns of `weight_ih_l1` and of later layers are D * hidden_size. The
        suffix `_reverse`, as in `weight_ih_l0_reverse`, marks the parameters of the second
        direction.
    weight_hh_l0 : Parameter [hidden_size, hidden_size]
    bias_ih_l0, bias_hh_l0 : Parameter [hidden_size]

    Shape
    -----
    inputs : [B, T, input_size], float; [T, B, input_size] if `time_major`
    initial_states : [num_layers * D, B, hidden_size], optional; zeros by default
    sequence_length : [B], int32 | int64, optional
        The lengths of the sequences. Outputs after the end of a sequence are 0, and its states do
        not change.
    returns : (outputs, last)
        last : [num_layers * D, B, hidden_size]
        outputs : [B, T, D * hidden_size], or [T, B, D * hidden_size] if `time_major`

    Raises
    ------
    OpError
        If `direction` or `activation` is unknown, `hidden_size` is not positive, or shapes do not
        fit.

    Examples
    --------
    >>> rnn = nn.SimpleRNN(3, 4, num_layers=2)
    >>> outputs, last = rnn(paddle.zeros([2, 5, 3]))
    >>> outputs.shape, last.shape
    ([2, 5, 4], [2, 2, 4])
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
        weight_ih_attr: ParamAttrLike | None = None,
        weight_hh_attr: ParamAttrLike | None = None,
        bias_ih_attr: ParamAttrLike | None = None,
        bias_hh_attr: ParamAttrLike | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            SimpleRNNCell,
            "RNN_TANH" if _require_tanh_or_relu(activation) == "tanh" else "RNN_RELU",
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


class LSTM(_RecurrentNetwork):
    """Long short-term memory of several layers (Hochreiter and Schmidhuber 1997).

    The layers and time steps run in one op. A step computes the formula of `LSTMCell`:

    c' = sigmoid(f) * c + sigmoid(i) * tanh(g)
    h' = sigmoid(o) * tanh(c')

    where i, f, g and o are the quarters of W_ih x + b_ih + W_hh h + b_hh.

    Parameters
    ----------
    input_size, hidden_size : int
        The sizes of the features of the inputs and of each direction's outputs.
    num_layers : int, default 1
    direction : "forward", "bidirect" or "bidirectional", default "forward"
        The last two are synonyms: each layer has a second cell that begins with the last time step,
        and D, the number of directions, is 2 instead of 1.
    time_major : bool, default False
        Whether the time axis of inputs and outputs comes before the batch axis.
    dropout : float, default 0.0
        Probability of dropping an output of all layers but the last, in training mode.
    weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr : ParamAttr, str or False, optional
        Initialization, name and regularizer of the parameters. Default: Uniform(-a, a)
        with a = 1 / sqrt(hidden_size). False: the parameter is the constant 1 for a weight and 0
        for a bias, and is not trained.
    name : str, optional
        Not used.

    Attributes
    ----------
    weight_ih_l0 : Parameter [4 * hidden_size, input_size]
        Of layer 0; the columns of `weight_ih_l1` and of later layers are D * hidden_size. The
        suffix `_reverse`, as in `weight_ih_l0_reverse`, marks the parameters of the second
        direction.
    weight_hh_l0 : Parameter [4 * hidden_size, hidden_size]
    bias_ih_l0, bias_hh_l0 : Parameter [4 * hidden_size]

    Shape
    -----
    inputs : [B, T, input_size], float; [T, B, input_size] if `time_major`
    initial_states : (h, c), each [num_layers * D, B, hidden_size], optional; zeros by default
    sequence_length : [B], int32 | int64, optional
        The lengths of the sequences. Outputs after the end of a sequence are 0, and its states do
        not change.
    returns : (outputs, (h, c))
        h, c : [num_layers * D, B, hidden_size]
        outputs : [B, T, D * hidden_size], or [T, B, D * hidden_size] if `time_major`

    Raises
    ------
    OpError
        If `direction` is unknown, `hidden_size` is not positive, or shapes do not fit.

    Examples
    --------
    >>> lstm = nn.LSTM(3, 4, num_layers=2, direction="bidirect")
    >>> outputs, (h, c) = lstm(paddle.zeros([2, 5, 3]))
    >>> outputs.shape, h.shape, c.shape
    ([2, 5, 8], [4, 2, 4], [4, 2, 4])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        direction: str = "forward",
        time_major: bool = False,
        dropout: float = 0.0,
        weight_ih_attr: ParamAttrLike | None = None,
        weight_hh_attr: ParamAttrLike | None = None,
        bias_ih_attr: ParamAttrLike | None = None,
        bias_hh_attr: ParamAttrLike | None = None,
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


class GRU(_RecurrentNetwork):
    """Gated recurrent units of several layers and one or two directions (Cho et al. 2014).

    The layers and time steps run in one op. A step computes the formula of `GRUCell`:

    r = sigmoid(x_r + h_r)
    z = sigmoid(x_z + h_z)
    h' = z * h + (1 - z) * tanh(x_c + r * h_c)

    where x_r, x_z and x_c are the thirds of W_ih x + b_ih, and h_r, h_z and h_c those of
    W_hh h + b_hh.

    Parameters
    ----------
    input_size, hidden_size : int
        The sizes of the features of the inputs and of each direction's outputs.
    num_layers : int, default 1
    direction : "forward", "bidirect" or "bidirectional", default "forward"
        The last two are synonyms: each layer has a second cell that begins with the last time step,
        and D, the number of directions, is 2 instead of 1.
    time_major : bool, default False
        Whether the time axis of inputs and outputs comes before the batch axis.
    dropout : float, default 0.0
        Probability of dropping an output of all layers but the last, in training mode.
    weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr : ParamAttr, str or False, optional
        Initialization, name and regularizer of the parameters. Default: Uniform(-a, a)
        with a = 1 / sqrt(hidden_size). False: the parameter is the constant 1 for a weight and 0
        for a bias, and is not trained.
    name : str, optional
        Not used.

    Attributes
    ----------
    weight_ih_l0 : Parameter [3 * hidden_size, input_size]
        Of layer 0; the columns of `weight_ih_l1` and of later layers are D * hidden_size. The
        suffix `_reverse`, as in `weight_ih_l0_reverse`, marks the parameters of the second
        direction.
    weight_hh_l0 : Parameter [3 * hidden_size, hidden_size]
    bias_ih_l0, bias_hh_l0 : Parameter [3 * hidden_size]

    Shape
    -----
    inputs : [B, T, input_size], float; [T, B, input_size] if `time_major`
    initial_states : [num_layers * D, B, hidden_size], optional; zeros by default
    sequence_length : [B], int32 | int64, optional
        The lengths of the sequences. Outputs after the end of a sequence are 0, and its states do
        not change.
    returns : (outputs, last)
        last : [num_layers * D, B, hidden_size]
        outputs : [B, T, D * hidden_size], or [T, B, D * hidden_size] if `time_major`

    Raises
    ------
    OpError
        If `direction` is unknown, `hidden_size` is not positive, or shapes do not fit.

    Examples
    --------
    >>> gru = nn.GRU(3, 4, time_major=True)
    >>> outputs, last = gru(paddle.zeros([5, 2, 3]), sequence_length=paddle.to_tensor([5, 2]))
    >>> outputs.shape, last.shape
    ([5, 2, 4], [1, 2, 4])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        direction: str = "forward",
        time_major: bool = False,
        dropout: float = 0.0,
        weight_ih_attr: ParamAttrLike | None = None,
        weight_hh_attr: ParamAttrLike | None = None,
        bias_ih_attr: ParamAttrLike | None = None,
        bias_hh_attr: ParamAttrLike | None = None,
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
