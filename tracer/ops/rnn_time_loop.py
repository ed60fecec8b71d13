"""The time loop of one direction of one recurrent layer, forward and backward, for each kind of
cell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..core import native
from ..core.arrays import np

Arrays = list[Any]


class Cell(NamedTuple):
    """A kind of recurrent cell, such as LSTM: its sizes, and the functions that compute one time
    step forward and backward.

    num_gates: number of gates; the weights have gates*H rows.
    num_saved: number K of tensors saved for the backward pass.
    num_states: number of states passed from step to step.
    forward(inputs [B, gates*H], states, hidden weight [H, gates*H], hidden bias, saved [K, B, H]):
    returns the new states, and writes the other saved tensors (gates) to the first positions of
    `saved`; the time loop writes the states to the last ones. backward(gradients of the new states,
    states before, saved [K, B, H]): returns the gradients of (inputs, hidden product, states
    before). The last one excludes the part through the hidden product.
    """

    num_gates: int
    num_saved: int
    num_states: int
    forward: Callable[..., Arrays]
    backward: Callable[..., tuple[Any, Any, Arrays]]


def _sigmoid(x: Any) -> Any:
    """1 / (1 + e ** -x), computed with tanh, which cannot overflow."""
    half = x.dtype.type(0.5)
    return np.tanh(x * half) * half + half


def _lstm_step(x: Any, states: Arrays, w: Any, b: Any, saved: Any) -> Arrays:
    h, c = states
    size = h.shape[1]
    z = np.matmul(h, w)
    z += x
    z += b
    saved[0:2] = np.moveaxis(_sigmoid(z[:, : 2 * size]).reshape(-1, 2, size), 1, 0)
    np.tanh(z[:, 2 * size : 3 * size], out=saved[2])
    saved[3] = _sigmoid(z[:, 3 * size :])
    into, forget, new, out = saved[:4]
    c = forget * c + into * new
    return [out * np.tanh(c), c]


def _lstm_step_grad(g: Arrays, states: Arrays, saved: Any) -> tuple[Any, Any, Arrays]:
    into, forget, new, out, c_now, _ = saved
    t = np.tanh(c_now)
    dc = g[1] + g[0] * out * (1 - t * t)
    dz = np.concatenate(
        [
            dc * new * into * (1 - into),
            dc * states[1] * forget * (1 - forget),
            dc * into * (1 - new * new),
            g[0] * t * out * (1 - out),
        ],
        axis=1,
    )
    return dz, dz, [np.zeros_like(dc), dc * forget]


def _gru_step(x: Any, states: Arrays, w: Any, b: Any, saved: Any) -> Arrays:
    (h,) = states
    size = h.shape[1]
    y = np.matmul(h, w)
    y += b
    both = _sigmoid(x[:, : 2 * size] + y[:, : 2 * size])
    saved[0], saved[1], saved[3] = both[:, :size], both[:, size:], y[:, 2 * size :]
    np.tanh(x[:, 2 * size :] + saved[0] * saved[3], out=saved[2])
    return [(h - saved[2]) * saved[1] + saved[2]]


def _gru_step_grad(g: Arrays, states: Arrays, saved: Any) -> tuple[Any, Any, Arrays]:
    reset, update, new, from_hidden, _ = saved
    d_new = g[0] * (1 - update) * (1 - new * new)
    d_reset = d_new * from_hidden * reset * (1 - reset)
    d_update = g[0] * (states[0] - new) * update * (1 - update)
    dx = np.concatenate([d_reset, d_update, d_new], axis=1)
    dy = np.concatenate([d_reset, d_update, d_new * reset], axis=1)
    return dx, dy, [g[0] * update]


def _tanh_step(x: Any, states: Arrays, w: Any, b: Any, saved: Any) -> Arrays:
    return [np.tanh(x + np.matmul(states[0], w) + b)]


def _tanh_step_grad(g: Arrays, states: Arrays, saved: Any) -> tuple[Any, Any, Arrays]:
    dz = g[0] * (1 - saved[-1] * saved[-1])
    return dz, dz, [np.zeros_like(g[0])]


def _relu_step(x: Any, states: Arrays, w: Any, b: Any, saved: Any) -> Arrays:
    return [np.maximum(x + np.matmul(states[0], w) + b, x.dtype.type(0))]


def _relu_step_grad(g: Arrays, states: Arrays, saved: Any) -> tuple[Any, Any, Arrays]:
    dz = g[0] * (saved[-1] > 0)
    return dz, dz, [np.zeros_like(g[0])]


# The tensors saved for the backward pass are the gates i, f, g, o, then c and h for LSTM; r, z, n,
# the hidden part of n, then h for GRU.
CELLS = {
    "LSTM": Cell(4, 6, 2, _lstm_step, _lstm_step_grad),
    "GRU": Cell(3, 5, 1, _gru_step, _gru_step_grad),
    "RNN_TANH": Cell(1, 1, 1, _tanh_step, _tanh_step_grad),
    "RNN_RELU": Cell(1, 1, 1, _relu_step, _relu_step_grad),
}


def step_indices(count: int, reverse: bool) -> range:
    """The indices of the time steps in the order of execution."""
    return range(count - 1, -1, -1) if reverse else range(count)


def _states_before_steps(saved: Any, states: Arrays, reverse: bool) -> Arrays:
    """Return the states before each time step, each [T, B, H]."""
    found = []
    for k, first in enumerate(states):
        after = saved[:, -1 - k]
        found.append(
            np.concatenate([after[1:], first[None]])
            if reverse
            else np.concatenate([first[None], after[:-1]])
        )
    return found


@native.OptionallyNativeFunction
def run_direction_saving_residuals(
    cell: Cell,
    x: Any,
    states: Arrays,
    weights: Sequence[Any],
    valid: Any,
    saved: Any,
    reverse: bool,
) -> Arrays:
    """Run all time steps of one direction of a layer; return the states after the last step.

    x [T,B,I], states [B,H] each.
    valid: bool [T,B,1], or None. Invalid steps do not change the states.
    saved [T,K,B,H]: receives the saved tensors.
    """
    w_in, w_hidden, b_in, b_hidden = weights
    inputs = np.matmul(x, w_in.T) + b_in
    turned = np.ascontiguousarray(w_hidden.T)
    for t in step_indices(x.shape[0], reverse):
        new = cell.forward(inputs[t], states, turned, b_hidden, saved[t])
        states = (
            new
            if valid is None
            else [np.where(valid[t], n, s) for n, s in zip(new, states, strict=True)]
        )
        for k, s in enumerate(states):
            saved[t, -1 - k] = s
    return states


@native.OptionallyNativeFunction
def run_direction_grad(
    cell: Cell,
    x: Any,
    states: Arrays,
    weights: Sequence[Any],
    valid: Any,
    saved: Any,
    reverse: bool,
    g: Any,
    g_states: Arrays,
) -> tuple[Any, Arrays, Arrays]:
    """Run the backward pass of one direction of a layer. Returns the gradients of x, of the initial
    states and of the weights.

    g [T,B,H]: the gradient of all outputs.
    g_states: the gradients of the last states.
    """
    w_in, w_hidden = weights[:2]
    before = _states_before_steps(saved, states, reverse)
    dx = np.empty_like(x, shape=(*x.shape[:2], w_in.shape[0]))
    dy = np.empty_like(dx) if cell.num_gates == 3 else dx
    for t in reversed(step_indices(x.shape[0], reverse)):
        passed = g_states
        if valid is not None:
            g_states = [s * valid[t] for s in g_states]
        g_states = [g_states[0] + g[t], *g_states[1:]]
        dx[t], dy[t], back = cell.backward(g_states, [b[t] for b in before], saved[t])
        back[0] += np.matmul(dy[t], w_hidden)
        g_states = (
            back
            if valid is None
            else [b + p * ~valid[t] for b, p in zip(back, passed, strict=True)]
        )
    flat_x, flat_y = dx.reshape(-1, dx.shape[2]), dy.reshape(-1, dy.shape[2])
    of_weights = [
        np.matmul(flat_x.T, x.reshape(-1, x.shape[2])),
        np.matmul(flat_y.T, before[0].reshape(-1, w_hidden.shape[1])),
        np.sum(flat_x, axis=0),
        np.sum(flat_y, axis=0),
    ]
    return np.matmul(dx, w_in), g_states, of_weights


_RECUR, _RECUR_BACK, _PRODUCT = map(
    native.compiled_function_or_placeholder, ("recur", "recur_grad", "matmul")
)
# the numbers by which the compiled kernels identify the kinds of cells
_NATIVE_CELL_CODES = {_lstm_step: 0, _gru_step: 1, _tanh_step: 2, _relu_step: 3}


@run_direction_saving_residuals.native
def _(cell, x, states, weights, valid, saved, reverse):
    w_in, w_hidden, b_in, b_hidden = weights
    inputs = _PRODUCT(x, w_in, False, True)
    if inputs is NotImplemented:
        return NotImplemented
    inputs += b_in
    mask, number = None if valid is None else valid.view(np.uint8), _NATIVE_CELL_CODES[cell.forward]
    made = _RECUR(
        number, inputs, states, np.ascontiguousarray(w_hidden.T), b_hidden, mask, saved, reverse
    )
    at = 0 if reverse else -1
    return made if made is NotImplemented else [saved[at, -1 - k] for k in range(len(states))]


@run_direction_grad.native
def _(cell, x, states, weights, valid, saved, reverse, g, g_states):
    w_in, w_hidden = weights[:2]
    last, dx = [s.copy() for s in g_states], np.empty((*x.shape[:2], w_in.shape[0]), x.dtype)
    dy = np.empty_like(dx) if cell.num_gates == 3 else dx
    mask, number = None if valid is None else valid.view(np.uint8), _NATIVE_CELL_CODES[cell.forward]
    if (
        _RECUR_BACK(number, g, last, states, w_hidden, mask, saved, dx, dy, reverse)
        is NotImplemented
    ):
        return NotImplemented
    flat_x, flat_y = dx.reshape(-1, dx.shape[2]), dy.reshape(-1, dy.shape[2])
    before = _states_before_steps(saved, states, reverse)[0].reshape(-1, w_hidden.shape[1])
    products = (
        _native_or_numpy_matmul(flat_x, x.reshape(-1, x.shape[2]), True),
        _native_or_numpy_matmul(flat_y, before, True),
    )
    sums = np.sum(flat_x, axis=0), np.sum(flat_y, axis=0)
    return _native_or_numpy_matmul(dx, w_in), last, [*products, *sums]


def _native_or_numpy_matmul(x: Any, y: Any, transpose_x: bool = False) -> Any:
    """The matrix product. NumPy computes the product if the compiled kernel does not support the
    arrays, for example unaligned weights of a memory-mapped file.
    """
    made = _PRODUCT(x, y, transpose_x, False)
    return np.matmul(x.T if transpose_x else x, y) if made is NotImplemented else made
