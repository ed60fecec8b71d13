"""Beam search over sequences: one step, and decoding of the sentences."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

from ...core.arrays import np
from ...core.op import HOST_PYTHON_LOOP, Meta, check, op
from ..lod import offsets_from_lengths

NO_GRAD_DISCRETE_RESULT = "it selects integers"


class BeamCandidate(NamedTuple):
    """A candidate: a beam continued with a token. previous_row: the row of the previous beam."""

    score: float
    previous_row: int
    token: int


def _absolute_offsets(lod: Any, level: int) -> Any:
    """Convert the offsets of a LoD level, which are indices into the next level, to row indices."""
    check(0 <= level < len(lod or ()), f"level={level} is not one of those of scores")
    found = np.asarray(lod[level], np.int64)
    for deeper in lod[level + 1 :]:
        found = np.asarray(deeper, np.int64)[found]
    return found


def _insert_candidate_if_among_best(
    best: list[BeamCandidate], item: BeamCandidate, size: int
) -> None:
    """Insert a candidate into the sorted list of the `size` best candidates, if it is among them.
    Of candidates with equal scores, those of later rows come first, and in a row those with later
    tokens come last.
    """
    if len(best) >= size:
        if item[:2] < best[-1][:2]:
            return
        best.pop()
    at = len(best)
    while at and best[at - 1][:2] < item[:2]:
        at -= 1
    best.insert(at, item)


def _selectable_candidates_of_beam(row: int, tokens: Any, scores: Any, size: int) -> Any:
    """Return the candidates that continue a beam. If there are many candidates, only those are
    returned that may be among the `size` best.
    """
    if len(scores) > 4 * size:
        least = np.partition(scores, -size)[-size]
        near = np.flatnonzero(scores >= least)
        tokens, scores = (near if tokens is None else tokens[near]), scores[near]
    elif tokens is None:
        tokens = np.arange(len(scores))
    return [BeamCandidate(float(s), row, int(t)) for s, t in zip(scores, tokens, strict=True)]


def _select_candidates(
    pre_ids: Any,
    pre_scores: Any,
    ids: Any,
    scores: Any,
    lod: Any,
    level: int,
    size: int,
    end: int,
    summed: bool,
) -> list[list[BeamCandidate]]:
    """For each previous beam, its selected continuations, best first. Beams of a source whose beams
    have all ended have no continuations.
    """
    rows = scores.shape[0]
    before, sums = pre_ids.reshape(-1), pre_scores.reshape(-1)
    tokens = None if ids is None else ids.reshape(rows, -1)
    values = scores.reshape(rows, -1)
    if not summed:
        values = sums[:, None] + np.log(values)
    found: list[list[BeamCandidate]] = [[] for _ in range(rows)]
    ends = _absolute_offsets(lod, level)
    for start, stop in itertools.pairwise(ends):
        best: list[BeamCandidate] = []
        for row in range(start, stop):
            ended = before[row] == end
            own = None if tokens is None else tokens[row]
            items = (
                [BeamCandidate(float(sums[row]), row, end)]
                if ended
                else _selectable_candidates_of_beam(row, own, values[row], size)
            )
            for item in items:
                _insert_candidate_if_among_best(best, item, size)
        if all(item.token == end and before[item.previous_row] == end for item in best):
            continue
        for item in best:
            found[item.previous_row].append(item)
    return found


@op(
    "beam_search",
    "pre_ids!, pre_scores, ids?!, scores, scores@LOD*?! -> selected_ids, selected_scores, "
    "parent_idx",
    no_grad_reason=NO_GRAD_DISCRETE_RESULT,
    value_dependent_shape=True,
    host_reason=HOST_PYTHON_LOOP,
    validate_before_kernel=True,
)
def beam_search(
    pre_ids,
    pre_scores,
    ids=None,
    scores=None,
    lod=None,
    *,
    level: int,
    beam_size: int,
    end_id: int,
    is_accumulated: bool = True,
):
    """One step of beam search: select the beam_size best continuations for each source.

    pre_ids int64, pre_scores [R,1]: the last token and the score of each beam.
    ids int64, scores [R,K]: candidate tokens of each beam and their scores; without ids, the tokens
    are 0 ... K - 1.
    is_accumulated: scores are sums of log probabilities; otherwise they are probabilities of this
    step.

    -> selected_ids, selected_scores [S,1]; parent_idx int32 [S]: the row of the previous beam.

    A beam that has ended continues with end_id only. A source whose beams have all ended is
    omitted.
    """
    chosen = _select_candidates(
        pre_ids, pre_scores, ids, scores, lod, level, beam_size, end_id, is_accumulated
    )
    items = [item for each in chosen for item in each]
    tokens = np.array([item.token for item in items], np.int64).reshape(-1, 1)
    sums = np.array([item.score for item in items], pre_scores.dtype).reshape(-1, 1)
    return tokens, sums, np.array([item.previous_row for item in items], np.int32)


@beam_search.meta
def _(pre_ids, pre_scores, ids, scores, lod, *, level, beam_size, end_id, is_accumulated):
    check(pre_ids.dtype == np.int64, "pre_ids are not int64")
    check(
        ids is None or ids.shape == scores.shape or -1 in (*ids.shape, *scores.shape),
        "ids and scores differ in shape",
    )
    return (
        Meta((-1, 1), pre_ids.dtype),
        Meta((-1, 1), pre_scores.dtype),
        Meta((-1,), np.dtype(np.int32)),
    )


@beam_search.lod(lambda *_: 2, outs=2)
def _(
    pre_ids,
    pre_scores,
    ids=None,
    scores=None,
    lod=None,
    *,
    level,
    beam_size,
    end_id,
    is_accumulated=True,
):
    chosen = _select_candidates(
        pre_ids, pre_scores, ids, scores, lod, level, beam_size, end_id, is_accumulated
    )
    return [_absolute_offsets(lod, level), offsets_from_lengths([len(each) for each in chosen])]


# -- decoding
# --------------------------------------------------------------------------------------------------


class ReversedSentence(NamedTuple):
    """A sentence of beam search, stored from its last token to its first."""

    tokens: list[Any]
    scores: list[Any]


def _trace_back_one_step(
    source: int,
    tokens: Any,
    scores: Any,
    lod: Any,
    places: list[int],
    found: list[ReversedSentence],
    end: int,
) -> list[int]:
    """Trace the sentences of a source back by one step.

    places: the row of each sentence in this step; empty if no sentence has started.
    Returns the rows in the previous step.
    """
    sources, beams = lod
    first, last = sources[source], sources[source + 1]
    if not places:
        places = list(range(beams[first], beams[last]))
        found += [ReversedSentence([], []) for _ in places]
    for sentence, row in zip(found, places, strict=True):
        # of several end tokens, only the first one belongs to a sentence
        if tokens[row] != end or not sentence.tokens:
            sentence.tokens.append(tokens[row])
            sentence.scores.append(scores[row])
    return [int(np.searchsorted(beams, row, "right")) - 1 for row in places]


def decode_sentences(ids: Any, scores: Any, lods: Any, end: int) -> tuple[Any, Any, Any]:
    """The kernel of beam_search_decode. Returns the sentences, sorted by score within a source, and
    their offsets.

    ids, scores, lods: one entry per step.
    Raises OpError if a step has no two-level LoD.
    """
    check(
        bool(ids) and all(len(lod or ()) == 2 for lod in lods or [None]),
        "a step holds no sequences of two levels",
    )
    count = len(lods[0][0]) - 1
    found: list[list[ReversedSentence]] = [[] for _ in range(count)]
    places: list[list[int]] = [[] for _ in range(count)]
    for step in reversed(range(len(ids))):
        tokens, sums = ids[step].reshape(-1), scores[step].reshape(-1)
        for source in range(count):
            places[source] = _trace_back_one_step(
                source, tokens, sums, lods[step], places[source], found[source], end
            )
    for each in found:
        each.sort(key=lambda sentence: -sentence.scores[0])
    flat = [sentence for each in found for sentence in each]
    tokens = np.array([t for s in flat for t in reversed(s.tokens)], ids[0].dtype)
    sums = np.array([v for s in flat for v in reversed(s.scores)], scores[0].dtype)
    return (
        tokens,
        sums,
        [
            offsets_from_lengths([len(each) for each in found]),
            offsets_from_lengths([len(s.tokens) for s in flat]),
        ],
    )
