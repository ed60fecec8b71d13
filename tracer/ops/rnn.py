"""Recurrent networks: several layers, one or two directions, in one op."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..core import rng
from ..core.arrays import np
from ..core.op import Meta, check, check_dtype, op
from .half_precision import computed_in_float32_if_half
from .rnn_time_loop import CELLS, Cell, run_direction_grad, run_direction_saving_residuals
from .shared_op_rules import (
    check_float,
    dims_match,
    make_vjp_rule_rejecting_second_order,
    shapes_match,
)


def _direction_weights(
    weights: list[Any], layer: int, direction: int, directions: int
) -> list[Any]:
    """The two weight matrices and two biases of one direction of a layer.

    weights: all matrices, then all biases
    """
    at = 2 * (layer * directions + direction)
    half = len(weights) // 2
    return [weights[at], weights[at + 1], weights[half + at], weights[half + at + 1]]


def _valid_step_mask_or_none(x: Any, lengths: Any) -> Any:
    """A mask that is true for the steps within the length of each sequence, [T,B,1]; None if no
    lengths are given.
    """
    return None if lengths is None else (np.arange(x.shape[0])[:, None] < lengths)[:, :, None]


def _dropout_masks(x: Any, width: int, layers: int, prob: float, is_test: bool, seed: int) -> Any:
    """Draw the dropout masks for the outputs of all layers but the last, uint8 [layers - 1, T, B,
    width]; return an empty array [0] if there is no dropout.
    """
    if is_test or prob == 0 or layers == 1:
        return np.zeros_like(x, dtype=np.uint8, shape=(0,))
    drawn = rng.generator(seed).random((layers - 1, *x.shape[:2], width), dtype=np.float32)
    return np.asarray(drawn >= np.float32(prob)).view(np.uint8)


def _iter_direction_output_slices(count: int, hidden: int) -> Iterator[tuple[int, slice]]:
    """Yield the index of each direction, and the slice of the last axis of the output that it
    computes.
    """
    return ((d, slice(d * hidden, (d + 1) * hidden)) for d in range(count))


def _scale_dropout_mask(mask: Any, prob: float, dtype: Any) -> Any:
    return mask * dtype.type(1 / (1 - prob) if prob < 1 else 0)


@op(
    "rnn",
    "Input, PreState*, WeightList*, SequenceLength?! -> Out, DropoutState~, Reserve~, State*",
    same_dtype="Input PreState WeightList",
    validate_before_kernel=True,
)
@computed_in_float32_if_half
def rnn(
    x,
    pre,
    weights,
    lengths=None,
    *,
    dropout_prob: float = 0.0,
    is_bidirec: bool = False,
    input_size: int = 10,
    hidden_size: int = 100,
    num_layers: int = 1,
    mode: str = "RNN_TANH",
    seed: int = 0,
    is_test: bool = False,
):
    """A recurrent network: Out = the hidden states of the last of L layers, each with D directions.

    Input [T,B,I], PreState [L*D,B,H] (h; for LSTM h and c) -> Out [T,B,D*H]

    WeightList: for each layer and direction [G*H,I or D*H] and [G*H,H]; then for each of them two
    biases [G*H]. G: number of gates, LSTM 4, GRU 3, else 1.
    SequenceLength int [B]: steps after the end do not change the states, and their Out is 0.
    State: the final states, like PreState.
    DropoutState uint8 [L-1,T,B,D*H]: 1 for elements kept by the dropout between layers; [0] without
    dropout, because Paddle 3 creates it from its declared shape, which must then be known.
    Reserve [L,D,T,K,B,H]: the saved tensors for the backward pass.
    """
    check(mode in CELLS, f"mode={mode!r} is not one of {', '.join(CELLS)}")
    cell, directions = CELLS[mode], 2 if is_bidirec else 1
    check(
        not _invalid_inputs_message(x, pre, weights, cell, directions, num_layers, hidden_size),
        "the shapes of the operands do not fit together",
    )
    steps, batch = x.shape[:2]
    valid = _valid_step_mask_or_none(x, lengths)
    masks = _dropout_masks(x, directions * hidden_size, num_layers, dropout_prob, is_test, seed)
    saved = np.empty_like(
        x, shape=(num_layers, directions, steps, cell.num_saved, batch, hidden_size)
    )
    last = [np.empty_like(p) for p in pre]
    for layer in range(num_layers):
        if layer and masks.shape[0]:
            x = x * _scale_dropout_mask(masks[layer - 1], dropout_prob, x.dtype)
        out = np.empty_like(x, shape=(steps, batch, directions * hidden_size))
        for d, place in _iter_direction_output_slices(directions, hidden_size):
            at = layer * directions + d
            own = _direction_weights(weights, layer, d, directions)
            final = run_direction_saving_residuals(
                cell, x, [p[at] for p in pre], own, valid, saved[layer, d], d == 1
            )
            for state, value in zip(last, final, strict=True):
                state[at] = value
            out[..., place] = saved[layer, d, :, -1]
        x = out if valid is None else out * valid
    return x, masks, saved, last


def _invalid_inputs_message(
    x: Any, pre: Any, weights: Any, cell: Cell, directions: int, layers: int, hidden: int
) -> str:
    """Return a message that says why the inputs (arrays or Metas) of an rnn are invalid; "" if they
    are valid.
    """
    if len(x.shape) != 3:
        return "Input needs three axes: time, batch, features"
    if len(pre) != cell.num_states:
        return f"{len(pre)} states are not the {cell.num_states} of the cell"
    if any(not shapes_match(p.shape, (layers * directions, x.shape[1], hidden)) for p in pre):
        return "PreState needs the shape [layers * directions, batch, hidden_size]"
    if len(weights) != 4 * layers * directions:
        return (
            f"{len(weights)} weights are not four for each of {layers} layers and "
            f"{directions} directions"
        )
    for layer in range(layers):
        width = directions * hidden if layer else x.shape[2]
        for d in range(directions):
            wanted = [
                (cell.num_gates * hidden, width),
                (cell.num_gates * hidden, hidden),
                *2 * [(cell.num_gates * hidden,)],
            ]
            own = _direction_weights(weights, layer, d, directions)
            if not all(shapes_match(tuple(w.shape), s) for w, s in zip(own, wanted, strict=True)):
                return f"the weights of layer {layer} need the shapes {wanted}"
    return ""


@rnn.meta
def _(
    x,
    pre,
    weights,
    lengths,
    *,
    dropout_prob,
    is_bidirec,
    input_size,
    hidden_size,
    num_layers,
    mode,
    seed,
    is_test,
):
    check_float(x)
    check(mode in CELLS, f"mode={mode!r} is not one of {', '.join(CELLS)}")
    check(0.0 <= dropout_prob <= 1.0, f"dropout_prob={dropout_prob} is not between 0 and 1")
    check_dtype(all(m.dtype == x.dtype for m in (*pre, *weights)), "the dtypes differ")
    cell, directions = CELLS[mode], 2 if is_bidirec else 1
    why = _invalid_inputs_message(x, pre, weights, cell, directions, num_layers, hidden_size)
    check(not why, why)
    check(
        lengths is None or (len(lengths.shape) == 1 and dims_match(lengths.shape[0], x.shape[1])),
        "SequenceLength needs the shape [batch]",
    )
    steps, batch = x.shape[:2]
    has_dropout = not is_test and dropout_prob != 0 and num_layers > 1
    mask_shape = (num_layers - 1, steps, batch, directions * hidden_size) if has_dropout else (0,)
    return (
        Meta((steps, batch, directions * hidden_size), x.dtype),
        Meta(mask_shape, np.dtype(np.uint8)),
        Meta((num_layers, directions, steps, cell.num_saved, batch, hidden_size), x.dtype),
        [Meta((num_layers * directions, batch, hidden_size), x.dtype) for _ in pre],
    )


@rnn.vjp
def _(g, g_last, x, pre, weights, lengths, *, DropoutState, Reserve, **attrs):
    found = rnn_grad(x, pre, weights, lengths, DropoutState, Reserve, g, g_last, **attrs)
    return found[0], found[1 : 1 + len(pre)], found[1 + len(pre) :], None


@op(
    "rnn_grad",
    "Input, PreState*, WeightList*, SequenceLength?, DropoutState, Reserve, Out@GRAD, "
    "State@GRAD* -> Grads*",
    attrs_of=rnn,
    internal=True,
)
@computed_in_float32_if_half
def rnn_grad(x, pre, weights, lengths, masks, saved, g, g_last, **attrs):
    """The gradients of rnn with respect to Input, every PreState and every weight, in this
    order.
    """
    hidden, cell = attrs["hidden_size"], CELLS[attrs["mode"]]
    layers, directions = saved.shape[:2]
    valid, prob = _valid_step_mask_or_none(x, lengths), attrs.get("dropout_prob", 0.0)
    of_pre, of_weights = [np.empty_like(p) for p in pre], [None] * len(weights)
    for layer in reversed(range(layers)):
        source = x if layer == 0 else _layer_outputs_from_saved_states(saved[layer - 1], valid)
        factor = (
            _scale_dropout_mask(masks[layer - 1], prob, x.dtype)
            if layer and masks.shape[0]
            else None
        )
        source = source if factor is None else source * factor
        g = g if valid is None else g * valid
        total = np.zeros_like(source)
        for d, place in _iter_direction_output_slices(directions, hidden):
            at = layer * directions + d
            own = _direction_weights(weights, layer, d, directions)
            back, states, matrices = run_direction_grad(
                cell,
                source,
                [p[at] for p in pre],
                own,
                valid,
                saved[layer, d],
                d == 1,
                g[..., place],
                [s[at] for s in g_last],
            )
            total += back
            for to, state in zip(of_pre, states, strict=True):
                to[at] = state
            half = len(weights) // 2
            of_weights[2 * at : 2 * at + 2], of_weights[half + 2 * at : half + 2 * at + 2] = (
                matrices[:2],
                matrices[2:],
            )
        g = total if factor is None else total * factor
    return [g, *of_pre, *of_weights]


def _layer_outputs_from_saved_states(saved: Any, valid: Any) -> Any:
    """Return the outputs of a layer [T,B,D*H], computed from its saved hidden states; 0 after the
    end of a sequence.
    """
    out = np.concatenate([direction[:, -1] for direction in saved], axis=2)
    return out if valid is None else out * valid


@rnn_grad.meta
def _(x, pre, weights, *_, **__):
    return [x, *pre, *weights]


rnn_grad.vjp(make_vjp_rule_rejecting_second_order("rnn"))
