"""Beam search in a loop over lists of tensors: fluid.layers.beam_search and beam_search_decode."""

from __future__ import annotations

from typing import Any

from ...capture.control import TensorArray
from ...capture.modes import static_mode
from ...core.errors import OpError, with_user_line
from ...core.mode import state
from ...core.op import OPS, Meta
from ...ir.program import Attr, AttrType
from .helper import today

__all__ = ["beam_search", "beam_search_decode"]


@today("paddle.nn.BeamSearchDecoder")
def beam_search(
    pre_ids: Any,
    pre_scores: Any,
    ids: Any,
    scores: Any,
    beam_size: int,
    end_id: int,
    level: int = 0,
    is_accumulated: bool = True,
    name: str | None = None,
    return_parent_idx: bool = False,
) -> Any:
    """The beam_size best of what the beams of each source may go on with: tokens and scores of two
    levels, and which beam each goes on with.

    pre_ids, pre_scores [R, 1]: the beams so far; ids, scores [R, K]: what each may go on with, ids
    None for all tokens. -> int64 [S, 1], [S, 1]; with return_parent_idx also int32 [S]
    """
    attrs = {
        "level": level,
        "beam_size": beam_size,
        "end_id": end_id,
        "is_accumulated": is_accumulated,
    }
    made = OPS["beam_search"](pre_ids, pre_scores, ids, scores, **attrs)
    return made if return_parent_idx else made[:2]


@today("paddle.nn.dynamic_decode")
def beam_search_decode(
    ids: Any, scores: Any, beam_size: int, end_id: int, name: str | None = None
) -> Any:
    """The sentences that the steps of a beam search make, those of each source by score.

    ids, scores: lists of what `beam_search` gave

    -> int64 [N], [N], both of two levels: the sentences of each source, and the tokens of each
    sentence.
    """
    mode = static_mode(state.mode)
    if mode is None or not isinstance(ids, TensorArray) or not isinstance(scores, TensorArray):
        raise OpError(
            with_user_line("beam_search_decode: takes lists of a program, see create_array")
        )
    recorder, made = mode.recorder, []
    for array in (ids, scores):
        recorder.aliases.check(array)
        assert array.element is not None
        desc = recorder.declare(
            recorder.namer.temporary("beam_search_decode"),
            Meta((-1,), array.element.dtype),
            stop_gradient=True,
        )
        desc.lod_level = 2
        made.append(recorder.variable(desc))
    attrs = {"beam_size": Attr(AttrType.INT, beam_size), "end_id": Attr(AttrType.INT, end_id)}
    outs = {"SentenceIds": [made[0].name], "SentenceScores": [made[1].name]}
    recorder.emit("beam_search_decode", {"Ids": [ids.name], "Scores": [scores.name]}, outs, attrs)
    return tuple(made)
