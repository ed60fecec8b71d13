"""The CTC loss."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..core.arrays import np
from ..core.op import Meta, check, op
from .half_precision import computed_in_float32_if_half
from .scatter_at import ufunc_at
from .shared_op_rules import (
    check_float,
    dims_match,
    like_x_meta,
    make_vjp_rule_rejecting_second_order,
)
from .softmax import log_softmax_array


class Lattice(NamedTuple):
    """The states of the CTC lattice of each sequence of a batch.

    classes [B,P]: the class of each state.
    can_skip [B,P]: whether the state can be reached from the state two before it.
    end_states [B]: the index of the last state.
    """

    classes: Any
    can_skip: Any
    end_states: Any


def _make_lattice(labels: Any, lengths: Any, blank: int) -> Lattice:
    classes = np.full((labels.shape[0], 2 * labels.shape[1] + 1), blank, np.int64)
    classes[:, 1::2] = np.where(np.arange(labels.shape[1]) < lengths[:, None], labels, blank)
    skips = np.zeros(classes.shape, dtype=bool)
    skips[:, 2:] = (classes[:, 2:] != blank) & (classes[:, 2:] != classes[:, :-2])
    return Lattice(classes, skips, 2 * lengths)


def _shift_states(alpha: Any, by: int) -> Any:
    """Shift log probabilities `alpha` along the axis of states by `by` states."""
    out = np.full_like(alpha, -np.inf)
    out[:, by:] = alpha[:, : alpha.shape[1] - by]
    return out


def _log_sum_predecessors(alpha: Any, skips: Any) -> Any:
    """For each state, the log of the sum of the probabilities of the states from which it can be
    reached in one step.
    """
    return np.logaddexp(
        np.logaddexp(alpha, _shift_states(alpha, 1)),
        np.where(skips, _shift_states(alpha, 2), -np.inf),
    )


def _forward(logs: Any, paths: Lattice) -> Any:
    """The forward variables of CTC: the log probability of the first t steps, summed over all paths
    that end in each state, [T,B,P].

    logs: log probability of the class of each state, [T,B,P]
    """
    alpha = np.full_like(logs, -np.inf)
    alpha[0, :, :2] = logs[0, :, :2]
    for t in range(1, len(logs)):
        alpha[t] = _log_sum_predecessors(alpha[t - 1], paths.can_skip) + logs[t]
    return alpha


def _remaining_log_probabilities(logs: Any, paths: Lattice, times: Any) -> Any:
    """The backward variables of CTC: the log probability of the steps after t, summed over all
    paths that start in each state, [T,B,P].

    times: the length of each sequence, [B]
    """
    places = np.arange(logs.shape[2])
    last = np.where(
        (places <= paths.end_states[:, None]) & (places >= paths.end_states[:, None] - 1),
        0.0,
        -np.inf,
    ).astype(logs.dtype)
    can_skip_ahead = np.zeros_like(paths.can_skip)
    can_skip_ahead[:, :-2] = paths.can_skip[:, 2:]
    beta = np.full_like(logs, -np.inf)
    for t in reversed(range(len(logs))):
        if t + 1 < len(logs):
            after = (beta[t + 1] + logs[t + 1])[:, ::-1]
            beta[t] = _log_sum_predecessors(after, can_skip_ahead[:, ::-1])[:, ::-1]
        beta[t] = np.where((times == t + 1)[:, None], last, beta[t])
    return beta


@op(
    "warpctc",
    "Logits, Label, LogitsLength?, LabelLength? -> Loss, WarpCTCGrad~",
    validate_before_kernel=True,
    public_name="ctc_loss",
)
@np.errstate(invalid="ignore", divide="ignore")
@computed_in_float32_if_half
def warpctc(x, labels, times=None, lengths=None, *, blank: int = 0, norm_by_times: bool = False):
    """Loss = -ln of the probability of the labels Label under softmax(Logits).

    Logits [T,B,C], Label int [B,S], LogitsLength and LabelLength int [B] -> Loss [B,1]

    WarpCTCGrad, like Logits: the gradient of Loss.
    norm_by_times: divide the gradient by the number of steps.
    """
    check(
        times is not None and lengths is not None,
        "needs LogitsLength and LabelLength: LoD inputs are not supported",
    )
    check(
        bool(np.all(times <= x.shape[0])) and bool(np.all(lengths <= labels.shape[1])),
        "an element of LogitsLength or LabelLength is larger than its axis of Logits or Label",
    )
    times, lengths = times.reshape(-1).astype(np.int64), lengths.reshape(-1).astype(np.int64)
    check(
        bool(
            np.all(
                (labels >= 0) & (labels < x.shape[2])
                | (np.arange(labels.shape[1]) >= lengths[:, None])
            )
        ),
        "an element of Label is not in [0, the number of classes)",
    )
    batch = np.arange(x.shape[1])
    every = log_softmax_array(x, 2)
    paths = _make_lattice(labels, lengths, blank)
    logs = np.take_along_axis(
        every, np.broadcast_to(paths.classes, (x.shape[0], *paths.classes.shape)), axis=2
    )
    alpha = _forward(logs, paths)
    final = alpha[times - 1, batch]
    total = np.logaddexp(
        final[batch, paths.end_states],
        np.where(lengths > 0, final[batch, paths.end_states - 1], -np.inf),
    ).astype(x.dtype)
    passed = np.nan_to_num(
        np.exp(alpha + _remaining_log_probabilities(logs, paths, times) - total[:, None]), nan=0.0
    )
    grad = np.exp(every)
    ufunc_at(
        np.subtract, grad, (np.arange(len(x))[:, None, None], batch[:, None], paths.classes), passed
    )
    inside = np.arange(len(x))[:, None] < times
    return -total[:, None], grad * inside[:, :, None]


@warpctc.meta
def _(x, labels, times, lengths, *, blank, norm_by_times):
    check_float(x)
    check(len(x.shape) == 3, "Logits needs three axes: time, batch, classes")
    check(
        len(labels.shape) == 2 and labels.dtype.kind in "iu",
        "Label needs whole numbers [batch, length]",
    )
    check(dims_match(labels.shape[0], x.shape[1]), "the batches differ")
    check(x.shape[2] < 0 or 0 <= blank < x.shape[2], f"blank={blank} is not a class")
    return Meta((x.shape[1], 1), x.dtype), x


@warpctc.vjp
def _(g, x, labels, times, lengths, *, blank, norm_by_times, WarpCTCGrad):
    return warpctc_grad(x, WarpCTCGrad, times, g, norm_by_times=norm_by_times), None, None, None


@op(
    "warpctc_grad",
    "Logits, WarpCTCGrad, LogitsLength, Loss@GRAD -> Logits@GRAD",
    meta=like_x_meta,
    internal=True,
)
@computed_in_float32_if_half
def warpctc_grad(x, grad, times, g, *, norm_by_times: bool = False):
    """Internal op of the VJP rule of warpctc: WarpCTCGrad of the forward pass times Loss@GRAD,
    divided by LogitsLength if norm_by_times.

    Logits [T,B,C], Loss@GRAD [B,1] -> like Logits
    """
    share = g / times.reshape(-1, 1).astype(g.dtype) if norm_by_times else g
    return grad * share


warpctc_grad.vjp(make_vjp_rule_rejecting_second_order("warpctc"))
