"""LSTM with projection over packed sequences (lstmp)."""

from __future__ import annotations

from ...core.arrays import np
from ...core.op import HOST_PYTHON_LOOP, Meta, check, op
from ..lod import require_row_offsets
from ..shared_op_rules import dims_match, make_vjp_rule_rejecting_second_order, scale_dim
from .sequence_rnn import (
    ACTIVATIONS,
    check_activations,
    compute_gates_and_output_preactivation,
    initial_state_or_zeros,
    lstm_step_grad,
    split_gate_bias_and_peepholes,
    time_steps_of,
)

LSTMP_SLOTS = "Input, Input@LOD*?!, H0?, C0?, Weight, ProjWeight, Bias"


def _clip(x, most):
    return np.clip(x, -most, most) if most > 0 else x


@op(
    "lstmp",
    f"{LSTMP_SLOTS} -> Projection, Cell, BatchGate~, BatchCellPreAct~, BatchHidden~",
    host_reason=HOST_PYTHON_LOOP,
    validate_before_kernel=True,
)
def lstmp(
    x,
    lod=None,
    h0=None,
    c0=None,
    weight=None,
    projection=None,
    bias=None,
    *,
    use_peepholes: bool = True,
    is_reverse: bool = False,
    cell_clip: float = 0.0,
    proj_clip: float = 0.0,
    gate_activation: str = "sigmoid",
    cell_activation: str = "tanh",
    candidate_activation: str = "tanh",
    proj_activation: str = "tanh",
):
    """An LSTM with a projected state r = proj(hidden @ ProjWeight) (Sak et al., 2014). The gates
    are those of `lstm`.

    Input [R,4D], H0 [n,P], C0 [n,D], Weight [P,4D], ProjWeight [D,P], Bias [1,4D] (use_peepholes:
    [1,7D]) -> Projection [R,P], Cell [R,D]

    cell_clip, proj_clip: clamp cells and states to [-limit, limit]; 0 for no limit.
    The other outputs are saved tensors, one row per row of Input.
    """
    width, gate = projection.shape[0], ACTIVATIONS[gate_activation][0]
    cell, candidate, project = (
        ACTIVATIONS[n][0] for n in (cell_activation, candidate_activation, proj_activation)
    )
    biases, peep = split_gate_bias_and_peepholes(bias, width, use_peepholes)
    states = np.zeros((x.shape[0], projection.shape[1]), x.dtype)
    hidden, cells, gates, active = (
        np.zeros((x.shape[0], k * width), x.dtype) for k in (1, 1, 4, 1)
    )
    count = len(require_row_offsets(lod, "Input")) - 1
    first_h, first_c = (
        initial_state_or_zeros(h0, count, projection.shape[1], x),
        initial_state_or_zeros(c0, count, width, x),
    )
    for which, rows, before in time_steps_of(lod, is_reverse):
        h, c = (
            (first_h[which], first_c[which]) if before is None else (states[before], cells[before])
        )
        new, i, f, o = compute_gates_and_output_preactivation(
            x[rows], h, c, weight, biases, peep, gate, candidate
        )
        cells[rows] = _clip(f * c + i * new, cell_clip)
        o = gate(o + cells[rows] * peep[2])
        active[rows] = cell(cells[rows])
        hidden[rows] = o * active[rows]
        gates[rows] = np.concatenate([new, i, f, o], axis=1)
        states[rows] = _clip(project(hidden[rows] @ projection), proj_clip)
    return states, cells, gates, active, hidden


@lstmp.meta
def _(x, lod, h0, c0, weight, projection, bias, *, use_peepholes, **attrs):
    check_activations(*(name for key, name in attrs.items() if key.endswith("_activation")))
    check(len(projection.shape) == len(weight.shape) == 2, "Weight and ProjWeight need two axes")
    width, wide = projection.shape
    check(
        len(x.shape) == 2 and dims_match(x.shape[1], scale_dim(width, 4)),
        "the columns of Input are not four times the rows of ProjWeight",
    )
    check(
        dims_match(bias.shape[-1], scale_dim(width, 7 if use_peepholes else 4)),
        "the size of Bias does not fit use_peepholes",
    )
    check(
        dims_match(weight.shape[0], wide),
        "the number of rows of Weight is not the number of columns of ProjWeight",
    )
    rows = [Meta((x.shape[0], scale_dim(width, k)), x.dtype) for k in (1, 4, 1, 1)]
    return Meta((x.shape[0], wide), x.dtype), *rows


@lstmp.vjp
def _(
    g,
    gc,
    x,
    lod,
    h0,
    c0,
    weight,
    projection,
    bias,
    *,
    Projection,
    Cell,
    BatchGate,
    BatchCellPreAct,
    BatchHidden,
    **attrs,
):
    kept = (Projection, Cell, BatchGate, BatchCellPreAct, BatchHidden)
    found = lstmp_grad(x, lod, h0, c0, weight, projection, bias, *kept, g, gc, **attrs)
    of_x, of_h0, of_c0, *rest = found
    return of_x, None, None if h0 is None else of_h0, None if c0 is None else of_c0, *rest


STATE_SLOTS = (
    "Projection, Cell, BatchGate, BatchCellPreAct, BatchHidden, Projection@GRAD?, Cell@GRAD?"
)


@op(
    "lstmp_grad",
    f"{LSTMP_SLOTS}, {STATE_SLOTS} -> "
    f"Input@GRAD, H0@GRAD, C0@GRAD, Weight@GRAD, ProjWeight@GRAD, Bias@GRAD",
    internal=True,
    attrs_of=lstmp,
    host_reason=HOST_PYTHON_LOOP,
)
def lstmp_grad(
    x,
    lod=None,
    h0=None,
    c0=None,
    weight=None,
    projection=None,
    bias=None,
    states=None,
    cells=None,
    gates=None,
    active=None,
    hidden=None,
    g=None,
    gc=None,
    **attributes,
):
    """The gradients of `lstmp` with respect to all inputs, by backpropagation through time."""
    attrs = lstmp.attrs_with_defaults(attributes)
    width = projection.shape[0]
    names = ("gate_activation", "cell_activation", "candidate_activation", "proj_activation")
    gate, cell, candidate, project = (ACTIVATIONS[attrs[n]][1] for n in names)
    _, peep = split_gate_bias_and_peepholes(bias, width, attrs["use_peepholes"])
    count = len(require_row_offsets(lod, "Input")) - 1
    first_h, first_c = (
        initial_state_or_zeros(h0, count, projection.shape[1], x),
        initial_state_or_zeros(c0, count, width, x),
    )
    to_h = np.zeros_like(states) if g is None else g.copy()
    to_c = np.zeros_like(cells) if gc is None else gc.copy()
    back_h, back_c = np.zeros_like(first_h), np.zeros_like(first_c)
    of_x, of_weight, of_projection, of_peep = (
        np.zeros_like(a) for a in (x, weight, projection, peep)
    )
    for which, rows, before in reversed(time_steps_of(lod, attrs["is_reverse"])):
        h, c = (
            (first_h[which], first_c[which]) if before is None else (states[before], cells[before])
        )
        d_state = (
            to_h[rows] * _unclipped_mask(states[rows], attrs["proj_clip"]) * project(states[rows])
        )
        of_projection += hidden[rows].T @ d_state
        d_hidden = d_state @ projection.T
        of_x[rows], on_c, more = lstm_step_grad(
            gates[rows],
            (c, cells[rows], active[rows]),
            (d_hidden, to_c[rows]),
            peep,
            (gate, cell, candidate),
            _unclipped_mask(cells[rows], attrs["cell_clip"]),
        )
        of_peep += more
        of_weight += h.T @ of_x[rows]
        on_h = of_x[rows] @ weight.T
        if before is None:
            back_h[which], back_c[which] = on_h, on_c
        else:
            to_h[before] += on_h
            to_c[before] += on_c
    of_bias = np.concatenate([of_x.sum(0), *(of_peep if attrs["use_peepholes"] else [])]).reshape(
        bias.shape
    )
    return of_x, back_h, back_c, of_weight, of_projection, of_bias


def _unclipped_mask(values, most):
    """1 where a value was not clipped, else 0."""
    return (
        ((values > -most) & (values < most)).astype(values.dtype)
        if most > 0
        else np.ones_like(values)
    )


@lstmp_grad.meta
def _(x, lod, h0, c0, weight, projection, bias, *_, **__):
    first_h, first_c = (Meta((-1, d), x.dtype) for d in reversed(projection.shape))
    return x, first_h if h0 is None else h0, first_c if c0 is None else c0, weight, projection, bias


lstmp_grad.vjp(make_vjp_rule_rejecting_second_order("lstmp"))
