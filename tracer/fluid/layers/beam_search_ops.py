"""Beam search in a loop with tensor arrays: `fluid.layers.beam_search` and beam_search_decode."""

from __future__ import annotations

from typing import Any

from ...capture.control import TensorArray
from ...capture.modes import find_static_base_mode
from ...core.errors import OpError, append_user_line
from ...core.mode import state
from ...core.op import OPS, Meta
from ...ir.program import Attr, AttrType
from .layer_utils import deprecated_layer

__all__ = ["beam_search", "beam_search_decode"]


@deprecated_layer("paddle.nn.BeamSearchDecoder")
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
    """Select the beam_size best continuations of the beams of each source.

    pre_ids, pre_scores: [R, 1]; the current beams
    ids, scores: [R, K]; candidates of each beam; ids=None: all tokens

    Returns tokens int64 [S, 1] and scores [S, 1] with two LoD levels; with return_parent_idx also
    the index of the beam that each one continues, int32 [S].
    """
    attrs = {
        "level": level,
        "beam_size": beam_size,
        "end_id": end_id,
        "is_accumulated": is_accumulated,
    }
    outputs = OPS["beam_search"](pre_ids, pre_scores, ids, scores, **attrs)
    return outputs if return_parent_idx else outputs[:2]


@deprecated_layer("paddle.nn.dynamic_decode")
def beam_search_decode(
    ids: Any, scores: Any, beam_size: int, end_id: int, name: str | None = None
) -> Any:
    """Collect the sentences of a beam search, sorted by score for each source.

    ids, scores: tensor arrays of the results of `beam_search`

    Returns int64 [N] and float [N]; both have two LoD levels: the sentences of each source, and the
    tokens of each sentence.
    """
    mode = find_static_base_mode(state.mode)
    if mode is None or not isinstance(ids, TensorArray) or not isinstance(scores, TensorArray):
        raise OpError(
            append_user_line(
                "beam_search_decode: ids and scores must be tensor arrays of a program, see "
                "create_array"
            )
        )
    recorder, variables = mode.recorder, []
    for array in (ids, scores):
        recorder.aliases.reject_invalidated_tensor(array)
        assert array.element_meta is not None
        desc = recorder.declare(
            recorder.namer.generate_temporary_name("beam_search_decode"),
            Meta((-1,), array.element_meta.dtype),
            stop_gradient=True,
        )
        desc.lod_level = 2
        variables.append(recorder.create_variable(desc))
    attrs = {"beam_size": Attr(AttrType.INT, beam_size), "end_id": Attr(AttrType.INT, end_id)}
    outs = {"SentenceIds": [variables[0].name], "SentenceScores": [variables[1].name]}
    recorder.append_op(
        "beam_search_decode", {"Ids": [ids.name], "Scores": [scores.name]}, outs, attrs
    )
    return tuple(variables)
