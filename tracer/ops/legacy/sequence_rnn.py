"""LSTM and GRU over packed sequences."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...core.arrays import np
from ...core.op import HOST_PYTHON_LOOP, Meta, check, op
from ..lod import require_row_offsets, sequence_lengths
from ..shared_op_rules import dims_match, make_vjp_rule_rejecting_second_order, scale_dim


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


# name -> the function, and its derivative as a function of the result
ACTIVATIONS: dict[str, tuple[Any, Any]] = {
    "sigmoid": (_sigmoid, lambda y: y * (1 - y)),
    "tanh": (np.tanh, lambda y: 1 - y * y),
    "relu": (lambda x: np.maximum(x, 0), lambda y: (y > 0).astype(y.dtype)),
    "identity": (lambda x: x, np.ones_like),
}


def check_activations(*names):
    """Raise OpError for an unknown activation name."""
    for name in names:
        check(name in ACTIVATIONS, f"activation {name!r} is not one of {list(ACTIVATIONS)}")


class TimeStepRows(NamedTuple):
    """The rows of packed sequences that belong to one time step.

    sequence_id_per_row: the indices of the sequences that have this step.
    rows: their rows.
    previous_rows: their rows in the previous step; None in the first step.
    """

    sequence_id_per_row: np.ndarray
    rows: np.ndarray
    previous_rows: np.ndarray | None


def time_steps_of(lod, is_reverse):
    """The row indices of each time step of all sequences, in the order in which the steps are
    computed.
    """
    offsets = require_row_offsets(lod, "Input")
    counts = sequence_lengths(offsets)
    found, before = [], None
    for t in range(int(counts.max(initial=0))):
        which = np.flatnonzero(counts > t)
        rows = offsets[which + 1] - 1 - t if is_reverse else offsets[which] + t
        found.append(
            TimeStepRows(which, rows, None if before is None else rows + (1 if is_reverse else -1))
        )
        before = rows
    return found


def initial_state_or_zeros(values, count, width, like):
    """Return the initial state of a recurrent network; zeros if `values` is None."""
    return np.zeros((count, width), like.dtype) if values is None else values


# -- lstm
# ------------------------------------------------------------------------------

LSTM_SLOTS = "Input, Input@LOD*?!, H0?, C0?, Weight, Bias"


def split_gate_bias_and_peepholes(bias, width, on):
    """Split the bias of an LSTM: return the bias of the gates, and the three peephole weights,
    which are zeros without peepholes.
    """
    flat = bias.reshape(-1)
    rest = flat[4 * width :].reshape(3, width) if on else np.zeros((3, width), bias.dtype)
    return flat[: 4 * width], rest


def compute_gates_and_output_preactivation(x, h, c, weight, bias, peep, gate, candidate):
    """Return the candidate, the input gate and the forget gate of an LSTM step, and the output gate
    before its activation and without its peephole.
    """
    pre = x + h @ weight + bias
    width = weight.shape[1] // 4
    new, i, f, o = (pre[:, k * width : (k + 1) * width] for k in range(4))
    return candidate(new), gate(i + c * peep[0]), gate(f + c * peep[1]), o


@op(
    "lstm",
    f"{LSTM_SLOTS} -> Hidden, Cell, BatchGate~, BatchCellPreAct~",
    host_reason=HOST_PYTHON_LOOP,
    validate_before_kernel=True,
)
def lstm(
    x,
    lod=None,
    h0=None,
    c0=None,
    weight=None,
    bias=None,
    *,
    use_peepholes: bool = True,
    is_reverse: bool = False,
    is_test: bool = False,
    gate_activation: str = "sigmoid",
    cell_activation: str = "tanh",
    candidate_activation: str = "tanh",
):
    """An LSTM (Hochreiter and Schmidhuber 1997, Gers et al., 2000) with gates in the order
    candidate, input, forget, output.

    Input [R,4D], H0, C0 [n,D], Weight [D,4D], Bias [1,4D] (use_peepholes: [1,7D]) -> Hidden, Cell
    [R,D]

    BatchGate [R,4D], BatchCellPreAct [R,D]: the gates, and the activation of the cell.
    """
    width = weight.shape[0]
    gate, cell, candidate = (
        ACTIVATIONS[n][0] for n in (gate_activation, cell_activation, candidate_activation)
    )
    biases, peep = split_gate_bias_and_peepholes(bias, width, use_peepholes)
    hidden, cells, gates, active = (
        np.zeros((x.shape[0], k * width), x.dtype) for k in (1, 1, 4, 1)
    )
    count = len(require_row_offsets(lod, "Input")) - 1
    first_h, first_c = (
        initial_state_or_zeros(h0, count, width, x),
        initial_state_or_zeros(c0, count, width, x),
    )
    for which, rows, before in time_steps_of(lod, is_reverse):
        h, c = (
            (first_h[which], first_c[which]) if before is None else (hidden[before], cells[before])
        )
        new, i, f, o = compute_gates_and_output_preactivation(
            x[rows], h, c, weight, biases, peep, gate, candidate
        )
        cells[rows] = f * c + i * new
        o = gate(o + cells[rows] * peep[2])
        active[rows] = cell(cells[rows])
        hidden[rows] = o * active[rows]
        gates[rows] = np.concatenate([new, i, f, o], axis=1)
    return hidden, cells, gates, active


@lstm.meta
def _(
    x,
    lod,
    h0,
    c0,
    weight,
    bias,
    *,
    use_peepholes,
    gate_activation,
    cell_activation,
    candidate_activation,
    **_,
):
    check_activations(gate_activation, cell_activation, candidate_activation)
    width = weight.shape[0]
    check(
        len(x.shape) == 2 and dims_match(x.shape[1], scale_dim(width, 4)),
        "the columns of Input are not four times the rows of Weight",
    )
    check(
        dims_match(bias.shape[-1], scale_dim(width, 7 if use_peepholes else 4)),
        "the size of Bias does not fit use_peepholes",
    )
    return tuple(Meta((x.shape[0], scale_dim(width, k)), x.dtype) for k in (1, 1, 4, 1))


@lstm.vjp
def _(
    gh,
    gc,
    x,
    lod,
    h0,
    c0,
    weight,
    bias,
    *,
    use_peepholes,
    is_reverse,
    gate_activation,
    cell_activation,
    candidate_activation,
    Hidden,
    Cell,
    BatchGate,
    BatchCellPreAct,
):
    attrs = {
        "use_peepholes": use_peepholes,
        "is_reverse": is_reverse,
        "gate_activation": gate_activation,
        "cell_activation": cell_activation,
        "candidate_activation": candidate_activation,
    }
    found = lstm_grad(
        x, lod, h0, c0, weight, bias, Hidden, Cell, BatchGate, BatchCellPreAct, gh, gc, **attrs
    )
    of_x, of_h0, of_c0, of_weight, of_bias = found
    return (
        of_x,
        None,
        None if h0 is None else of_h0,
        None if c0 is None else of_c0,
        of_weight,
        of_bias,
    )


def lstm_step_grad(gates, cells, grads, peep, slopes, unclipped=1):
    """The backward pass of one LSTM step.

    cells: the cell state before, after, and after the activation.
    grads: the gradients of hidden state and cell.
    slopes: derivatives of the activations.
    unclipped: 1 where the cell was not clipped.
    """
    (new, i, f, o), (before, after, active), (d_hidden, d_cell) = (
        np.split(gates, 4, axis=1),
        cells,
        grads,
    )
    gate, cell, candidate = slopes
    d_o = d_hidden * active * gate(o)
    d_c = (d_cell + d_hidden * o * cell(active) + d_o * peep[2]) * unclipped
    d_new, d_i, d_f = d_c * i * candidate(new), d_c * new * gate(i), d_c * before * gate(f)
    of_peep = np.stack([(d_i * before).sum(0), (d_f * before).sum(0), (d_o * after).sum(0)])
    return (
        np.concatenate([d_new, d_i, d_f, d_o], axis=1),
        d_c * f + d_i * peep[0] + d_f * peep[1],
        of_peep,
    )


@op(
    "lstm_grad",
    f"{LSTM_SLOTS}, Hidden, Cell, BatchGate, BatchCellPreAct, Hidden@GRAD?, Cell@GRAD? -> "
    f"Input@GRAD, H0@GRAD, C0@GRAD, Weight@GRAD, Bias@GRAD",
    internal=True,
    host_reason=HOST_PYTHON_LOOP,
)
def lstm_grad(
    x,
    lod=None,
    h0=None,
    c0=None,
    weight=None,
    bias=None,
    hidden=None,
    cells=None,
    gates=None,
    active=None,
    gh=None,
    gc=None,
    *,
    use_peepholes: bool = True,
    is_reverse: bool = False,
    gate_activation: str = "sigmoid",
    cell_activation: str = "tanh",
    candidate_activation: str = "tanh",
):
    """The gradients of `lstm` with respect to all inputs, by backpropagation through time."""
    width = weight.shape[0]
    gate, cell, candidate = (
        ACTIVATIONS[n][1] for n in (gate_activation, cell_activation, candidate_activation)
    )
    _, peep = split_gate_bias_and_peepholes(bias, width, use_peepholes)
    count = len(require_row_offsets(lod, "Input")) - 1
    first_h, first_c = (
        initial_state_or_zeros(h0, count, width, x),
        initial_state_or_zeros(c0, count, width, x),
    )
    to_h = np.zeros_like(hidden) if gh is None else gh.copy()
    to_c = np.zeros_like(hidden) if gc is None else gc.copy()
    back_h, back_c = np.zeros_like(first_h), np.zeros_like(first_c)
    of_x, of_weight, of_peep = np.zeros_like(x), np.zeros_like(weight), np.zeros_like(peep)
    for which, rows, before in reversed(time_steps_of(lod, is_reverse)):
        h, c = (
            (first_h[which], first_c[which]) if before is None else (hidden[before], cells[before])
        )
        of_x[rows], on_c, more = lstm_step_grad(
            gates[rows],
            (c, cells[rows], active[rows]),
            (to_h[rows], to_c[rows]),
            peep,
            (gate, cell, candidate),
        )
        of_peep += more
        of_weight += h.T @ of_x[rows]
        on_h = of_x[rows] @ weight.T
        if before is None:
            back_h[which], back_c[which] = on_h, on_c
        else:
            to_h[before] += on_h
            to_c[before] += on_c
    of_bias = np.concatenate([of_x.sum(0), *(of_peep if use_peepholes else [])]).reshape(bias.shape)
    return of_x, back_h, back_c, of_weight, of_bias


@lstm_grad.meta
def _(x, lod, h0, c0, weight, bias, *_, **__):
    first = Meta((-1, weight.shape[0]), x.dtype)
    return x, first if h0 is None else h0, first if c0 is None else c0, weight, bias


lstm_grad.vjp(make_vjp_rule_rejecting_second_order("lstm"))


# -- gru
# ------------------------------------------------------------------------------

GRU_SLOTS = "Input, Input@LOD*?!, H0?, Weight, Bias?"


@op(
    "gru",
    f"{GRU_SLOTS} -> BatchGate~, BatchResetHiddenPrev~, BatchHidden~, Hidden",
    host_reason=HOST_PYTHON_LOOP,
    validate_before_kernel=True,
)
def gru(
    x,
    lod=None,
    h0=None,
    weight=None,
    bias=None,
    *,
    activation: str = "tanh",
    gate_activation: str = "sigmoid",
    is_reverse: bool = False,
    origin_mode: bool = False,
):
    """A GRU (Cho et al., 2014) with gates in the order update u, reset, candidate.

    Hidden = (1 - u) * h + u * candidate; with origin_mode, u * h + (1 - u) * candidate.
    Input [R,3D], H0 [n,D], Weight [D,3D], Bias [1,3D] -> Hidden [R,D]
    BatchGate [R,3D]: u, reset, candidate.
    BatchResetHiddenPrev [R,D]: reset * h.
    """
    width = weight.shape[0]
    gate, new_of = ACTIVATIONS[gate_activation][0], ACTIVATIONS[activation][0]
    hidden, gates, resets = (np.zeros((x.shape[0], k * width), x.dtype) for k in (1, 3, 1))
    first = initial_state_or_zeros(h0, len(require_row_offsets(lod, "Input")) - 1, width, x)
    shift, flat = (0 if bias is None else bias.reshape(-1)), weight.reshape(-1)
    to_gates, to_new = (
        flat[: 2 * width * width].reshape(width, 2 * width),
        flat[2 * width * width :].reshape(width, width),
    )
    for which, rows, before in time_steps_of(lod, is_reverse):
        h = first[which] if before is None else hidden[before]
        pre = x[rows] + shift
        both = gate(pre[:, : 2 * width] + h @ to_gates)
        u, r = both[:, :width], both[:, width:]
        resets[rows] = r * h
        new = new_of(pre[:, 2 * width :] + resets[rows] @ to_new)
        hidden[rows] = u * h + (1 - u) * new if origin_mode else (1 - u) * h + u * new
        gates[rows] = np.concatenate([u, r, new], axis=1)
    return gates, resets, hidden, hidden


@gru.meta
def _(x, lod, h0, weight, bias, *, activation, gate_activation, is_reverse, origin_mode):
    check_activations(activation, gate_activation)
    width = weight.shape[0]
    check(
        len(x.shape) == 2 and dims_match(x.shape[1], scale_dim(width, 3)),
        "the columns of Input are not three times the rows of Weight",
    )
    return tuple(Meta((x.shape[0], scale_dim(width, k)), x.dtype) for k in (3, 1, 1, 1))


@gru.vjp
def _(
    g,
    x,
    lod,
    h0,
    weight,
    bias,
    *,
    activation,
    gate_activation,
    is_reverse,
    origin_mode,
    BatchGate,
    BatchResetHiddenPrev,
    Hidden,
):
    attrs = {
        "activation": activation,
        "gate_activation": gate_activation,
        "is_reverse": is_reverse,
        "origin_mode": origin_mode,
    }
    found = gru_grad(x, lod, h0, weight, bias, BatchGate, BatchResetHiddenPrev, Hidden, g, **attrs)
    of_x, of_h0, of_weight, of_bias = found
    return of_x, None, None if h0 is None else of_h0, of_weight, None if bias is None else of_bias


@op(
    "gru_grad",
    f"{GRU_SLOTS}, BatchGate, BatchResetHiddenPrev, Hidden, Hidden@GRAD -> Input@GRAD, H0@GRAD, "
    f"Weight@GRAD, Bias@GRAD",
    internal=True,
    host_reason=HOST_PYTHON_LOOP,
)
def gru_grad(
    x,
    lod=None,
    h0=None,
    weight=None,
    bias=None,
    gates=None,
    resets=None,
    hidden=None,
    g=None,
    *,
    activation: str = "tanh",
    gate_activation: str = "sigmoid",
    is_reverse: bool = False,
    origin_mode: bool = False,
):
    """The gradients of `gru` with respect to all inputs, by backpropagation through time."""
    width = weight.shape[0]
    gate, slope = ACTIVATIONS[gate_activation][1], ACTIVATIONS[activation][1]
    first = initial_state_or_zeros(h0, len(require_row_offsets(lod, "Input")) - 1, width, x)
    flat = weight.reshape(-1)
    to_gates, to_new = (
        flat[: 2 * width * width].reshape(width, 2 * width),
        flat[2 * width * width :].reshape(width, width),
    )
    to_h, back = g.copy(), np.zeros_like(first)
    of_x, of_gates, of_new = np.zeros_like(x), np.zeros_like(to_gates), np.zeros_like(to_new)
    for which, rows, before in reversed(time_steps_of(lod, is_reverse)):
        h = first[which] if before is None else hidden[before]
        u, r, new = (gates[rows, k * width : (k + 1) * width] for k in range(3))
        d = to_h[rows]
        d_u, d_new, on_h = (
            (d * (h - new), d * (1 - u), d * u)
            if origin_mode
            else (d * (new - h), d * u, d * (1 - u))
        )
        d_new = d_new * slope(new)
        d_reset = d_new @ to_new.T
        d_both = np.concatenate([d_u * gate(u), d_reset * h * gate(r)], axis=1)
        of_x[rows] = np.concatenate([d_both, d_new], axis=1)
        of_gates += h.T @ d_both
        of_new += resets[rows].T @ d_new
        on_h = on_h + d_reset * r + d_both @ to_gates.T
        if before is None:
            back[which] = on_h
        else:
            to_h[before] += on_h
    of_weight = np.concatenate([of_gates.reshape(-1), of_new.reshape(-1)]).reshape(weight.shape)
    return of_x, back, of_weight, of_x.sum(0).reshape(1, -1)


@gru_grad.meta
def _(x, lod, h0, weight, bias, *_, **__):
    width = weight.shape[0]
    return (
        x,
        Meta((-1, width), x.dtype) if h0 is None else h0,
        weight,
        Meta((1, scale_dim(width, 3)), x.dtype),
    )


gru_grad.vjp(make_vjp_rule_rejecting_second_order("gru"))


# -- one step of a GRU
# -------------------------------------------------------------------------------------------------

ACTIVATION_CODES = ("identity", "sigmoid", "tanh", "relu")


def _gru_attrs_from_unit_codes(activation, gate_activation, origin_mode):
    return {
        "activation": ACTIVATION_CODES[activation],
        "gate_activation": ACTIVATION_CODES[gate_activation],
        "origin_mode": origin_mode,
    }


def _make_one_row_sequences_lod(x):
    """Return LoD offsets with which each row of X is a sequence."""
    return [np.arange(x.shape[0] + 1)]


@op(
    "gru_unit",
    "Input, HiddenPrev, Weight, Bias? -> Gate~, ResetHiddenPrev~, Hidden",
    host_reason=HOST_PYTHON_LOOP,
    validate_before_kernel=True,
)
def gru_unit(
    x,
    h,
    weight,
    bias=None,
    *,
    activation: int = 2,
    gate_activation: int = 1,
    origin_mode: bool = False,
):
    """One step of `gru`. The attributes for activations are numbers: 0 is identity, 1 sigmoid, 2
    tanh, 3 relu.

    Input [B,3D], HiddenPrev [B,D] -> Hidden [B,D]
    """
    attrs = _gru_attrs_from_unit_codes(activation, gate_activation, origin_mode)
    gates, resets, _, hidden = gru.numpy_kernel(
        x, _make_one_row_sequences_lod(x), h, weight, bias, **attrs
    )
    return gates, resets, hidden


@gru_unit.meta
def _(x, h, weight, bias, *, activation, gate_activation, origin_mode):
    check(
        min(activation, gate_activation) >= 0 and max(activation, gate_activation) < 4,
        "an activation is not one of 0 ... 3",
    )
    check(len(x.shape) == len(h.shape) == len(weight.shape) == 2, "the inputs need two axes")
    check(
        dims_match(x.shape[1], scale_dim(weight.shape[0], 3)),
        "the columns of Input are not three times the rows of Weight",
    )
    return x, h, h


@gru_unit.vjp
def _(
    g,
    x,
    h,
    weight,
    bias,
    *,
    activation,
    gate_activation,
    origin_mode,
    Gate,
    ResetHiddenPrev,
    Hidden,
):
    attrs = {
        "activation": activation,
        "gate_activation": gate_activation,
        "origin_mode": origin_mode,
    }
    found = gru_unit_grad(x, h, weight, bias, Gate, ResetHiddenPrev, Hidden, g, **attrs)
    return *found[:3], None if bias is None else found[3]


@op(
    "gru_unit_grad",
    "Input, HiddenPrev, Weight, Bias?, Gate, ResetHiddenPrev, Hidden, Hidden@GRAD -> "
    "Input@GRAD, HiddenPrev@GRAD, Weight@GRAD, Bias@GRAD",
    internal=True,
    host_reason=HOST_PYTHON_LOOP,
)
def gru_unit_grad(
    x,
    h,
    weight,
    bias=None,
    gates=None,
    resets=None,
    hidden=None,
    g=None,
    *,
    activation: int = 2,
    gate_activation: int = 1,
    origin_mode: bool = False,
):
    """The gradients of `gru_unit` with respect to all inputs."""
    attrs = _gru_attrs_from_unit_codes(activation, gate_activation, origin_mode)
    return gru_grad.numpy_kernel(
        x, _make_one_row_sequences_lod(x), h, weight, bias, gates, resets, hidden, g, **attrs
    )


@gru_unit_grad.meta
def _(x, h, weight, bias, *_, **__):
    return x, h, weight, Meta((1, scale_dim(weight.shape[0], 3)), x.dtype)


gru_unit_grad.vjp(make_vjp_rule_rejecting_second_order("gru_unit"))
