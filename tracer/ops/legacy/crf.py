"""Linear-chain conditional random fields: log-likelihood and most probable labels."""

from __future__ import annotations

import itertools
from typing import Any

from ...core.arrays import np
from ...core.op import HOST_PYTHON_LOOP, Meta, check, op
from ..lod import require_row_offsets, row_indices_of_ranges, set_lod_rules_to_no_lod
from ..shared_op_rules import make_vjp_rule_rejecting_second_order

CRF_SLOTS = "Emission, Emission@LOD*?!, Transition, Label!, Length?!"


def _emission_rows_and_sequence_ranges(emission: Any, lod: Any, length: Any) -> tuple[Any, Any]:
    """Return the emissions of all sequences as rows [R,D], and for each sequence the pair (start,
    end) of its rows.
    """
    if length is not None:
        check(
            bool(((length >= 0) & (length <= emission.shape[1])).all()),
            f"Length is not between 0 and {emission.shape[1]}, the length of Emission",
        )
        starts = np.arange(emission.shape[0]) * emission.shape[1]
        return emission.reshape(-1, emission.shape[-1]), list(
            zip(starts, starts + length.reshape(-1), strict=True)
        )
    offsets = require_row_offsets(lod, "Emission")
    return emission, list(itertools.pairwise(offsets))


def _log_sum_exp(x: Any, axis: int) -> Any:
    top = x.max(axis=axis, keepdims=True)
    return np.log(np.exp(x - top).sum(axis=axis)) + np.squeeze(top, axis)


def _forward(rows: Any, transition: Any) -> Any:
    """The forward variables: for each row and label, the log of the sum of the exponentiated scores
    of all label paths that end there.
    """
    found = np.empty(rows.shape, np.float64)
    found[0] = transition[0] + rows[0]
    for t in range(1, len(rows)):
        found[t] = _log_sum_exp(found[t - 1][:, None] + transition[2:], 0) + rows[t]
    return found


def _log_sums_to_sequence_end(rows: Any, transition: Any) -> Any:
    """The backward variables: for each row and label, the log of the sum of the exponentiated
    scores of all label paths from there to the end of the sequence, without the row's own emission.
    """
    found = np.empty(rows.shape, np.float64)
    found[-1] = transition[1]
    for t in range(len(rows) - 2, -1, -1):
        found[t] = _log_sum_exp(transition[2:] + (rows[t + 1] + found[t + 1])[None], 1)
    return found


def _path_score(rows: Any, labels: Any, transition: Any) -> Any:
    """The score of one label sequence."""
    steps = transition[2:][labels[:-1], labels[1:]].sum()
    return (
        transition[0][labels[0]]
        + transition[1][labels[-1]]
        + steps
        + rows[np.arange(len(rows)), labels].sum()
    )


@op(
    "linear_chain_crf",
    f"{CRF_SLOTS} -> Alpha~, EmissionExps~, TransitionExps~, LogLikelihood",
    host_reason=HOST_PYTHON_LOOP,
)
def linear_chain_crf(emission, lod=None, transition=None, label=None, length=None):
    """LogLikelihood = the negative log-likelihood of Label (Lafferty et al., 2001).   -> [n,1]

    Emission [R,D], Label int64 [R,1]; with Length int64 [n,1] they are padded: [n,T,D], [n,T,1].
    Alpha: the forward probabilities of the labels of each row, normalized.
    EmissionExps, TransitionExps: exp of the inputs.
    """
    rows, spans = _emission_rows_and_sequence_ranges(emission, lod, length)
    labels = label.reshape(-1)
    wide, alpha = transition.astype(np.float64), np.zeros_like(rows)
    found = np.zeros((len(spans), 1), emission.dtype)
    for i, (a, b) in enumerate(spans):
        if a == b:
            continue
        check(
            bool(((labels[a:b] >= 0) & (labels[a:b] < rows.shape[1])).all()),
            "an element of Label is not in [0, the number of labels)",
        )
        scores = _forward(rows[a:b], wide)
        alpha[a:b] = np.exp(scores - _log_sum_exp(scores, 1)[:, None])
        found[i, 0] = _log_sum_exp(scores[-1] + wide[1], 0) - _path_score(
            rows[a:b], labels[a:b], wide
        )
    top = rows.max(axis=1, keepdims=True) if len(rows) else rows
    return (
        alpha.reshape(emission.shape),
        np.exp(rows - top).reshape(emission.shape),
        np.exp(transition),
        found,
    )


@linear_chain_crf.meta
def _(emission, lod, transition, label, length):
    check(len(transition.shape) == 2, "Transition needs two axes")
    check(
        len(emission.shape) == (2 if length is None else 3),
        "Emission needs two axes, or three if Length is given",
    )
    count = transition.shape[1]
    check(
        transition.shape[0] in (-1, count + 2) or count < 0,
        "Transition should have the shape [labels + 2, labels]",
    )
    check(
        emission.shape[-1] in (-1, count) or count < 0,
        "Emission and Transition have different numbers of columns",
    )
    cost = Meta((-1 if length is None else emission.shape[0], 1), emission.dtype)
    return emission, emission, transition, cost


set_lod_rules_to_no_lod(linear_chain_crf)


@linear_chain_crf.vjp
def _(g, emission, lod, transition, label, length):
    of_emission, of_transition = linear_chain_crf_grad(emission, lod, transition, label, length, g)
    return of_emission, None, of_transition, None, None


@op(
    "linear_chain_crf_grad",
    f"{CRF_SLOTS}, LogLikelihood@GRAD -> Emission@GRAD, Transition@GRAD",
    internal=True,
    host_reason=HOST_PYTHON_LOOP,
)
def linear_chain_crf_grad(emission, lod=None, transition=None, label=None, length=None, g=None):
    """The gradients with respect to Emission and Transition: the expected counts of labels
    and transitions under the model, minus those of Label, times LogLikelihood@GRAD.
    """
    rows, spans = _emission_rows_and_sequence_ranges(emission, lod, length)
    labels, wide = label.reshape(-1), transition.astype(np.float64)
    of_rows, of_transition = (
        np.zeros(rows.shape, np.float64),
        np.zeros(transition.shape, np.float64),
    )
    for (a, b), weight in zip(spans, g.reshape(-1), strict=True):
        if a == b:
            continue
        ahead, behind = _forward(rows[a:b], wide), _log_sums_to_sequence_end(rows[a:b], wide)
        whole = _log_sum_exp(ahead[-1] + wide[1], 0)
        shares = np.exp(ahead + behind - whole)
        shares[np.arange(b - a), labels[a:b]] -= 1
        of_rows[a:b] = weight * shares
        of_transition[0] += weight * shares[0]
        of_transition[1] += weight * shares[-1]
        later = (rows[a + 1 : b] + behind[1:])[:, None, :]
        steps = np.exp(ahead[:-1][:, :, None] + wide[2:][None] + later - whole).sum(axis=0)
        np.subtract.at(steps, (labels[a : b - 1], labels[a + 1 : b]), 1)
        of_transition[2:] += weight * steps
    return of_rows.reshape(emission.shape).astype(emission.dtype), of_transition.astype(
        transition.dtype
    )


@linear_chain_crf_grad.meta
def _(emission, lod, transition, *_):
    return emission, transition


linear_chain_crf_grad.vjp(make_vjp_rule_rejecting_second_order("linear_chain_crf"))


def _best_path(rows: Any, transition: Any) -> Any:
    """The label sequence with the best score (Viterbi 1967)."""
    gain, origins = transition[0] + rows[0], []
    for row in rows[1:]:
        scores = gain[:, None] + transition[2:]
        origins.append(scores.argmax(axis=0))
        gain = scores.max(axis=0) + row
    path = [int((gain + transition[1]).argmax())]
    for choice in reversed(origins):
        path.append(int(choice[path[-1]]))
    return np.array(path[::-1])


@op(
    "crf_decoding",
    "Emission!, Emission@LOD*?!, Transition!, Label?!, Length?! -> ViterbiPath",
    no_grad_reason="it selects labels",
    host_reason=HOST_PYTHON_LOOP,
)
def crf_decoding(emission, lod=None, transition=None, label=None, length=None):
    """ViterbiPath = the most probable labels of each sequence; if Label is given, 1 where they
    equal Label, else 0.

    Emission [R,D] -> int64 [R,1]

    With Length int64 [n,1] the sequences are padded: Emission [n,T,D] -> [n,T].
    """
    rows, spans = _emission_rows_and_sequence_ranges(emission, lod, length)
    path = np.zeros(len(rows), np.int64)
    for a, b in spans:
        if a < b:
            path[a:b] = _best_path(rows[a:b].astype(np.float64), transition.astype(np.float64))
    if label is not None:
        same = path == label.reshape(-1)
        inside = row_indices_of_ranges([a for a, _ in spans], [b - a for a, b in spans])
        path = np.zeros_like(path)
        path[inside] = same[inside]
    return path.reshape(-1, 1) if length is None else path.reshape(emission.shape[:-1])


@crf_decoding.meta
def _(emission, lod, transition, label, length):
    shape = (emission.shape[0], 1) if length is None else emission.shape[:-1]
    return Meta(shape, np.dtype(np.int64))


@crf_decoding.lod(lambda level, *_: level)
def _(emission, lod=None, transition=None, label=None, length=None):
    return list(lod or [])
