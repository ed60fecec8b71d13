"""Escape analysis: which lists, dicts and objects the recorded code created. Code outside of the
program has no reference to objects that the recorded code created, so mutating them is not a side
effect.
"""

from __future__ import annotations

from typing import Any

from ..recorder import Recorder


def register_local_object(recorder: Recorder, obj: Any) -> None:
    """Mark an object and its `__dict__` as created in the current block, so that mutating it is
    not a side effect. In the outermost block, nothing is marked if the recorder's policy does not
    track mutations there.
    """
    if recorder.policy.tracks_outermost_block or len(recorder.open_blocks) > 1:
        inner = recorder.open_blocks[-1].local_objects
        inner[id(obj)] = obj
        if hasattr(obj, "__dict__"):
            inner[id(vars(obj))] = obj


def is_local_object(recorder: Recorder, obj: Any) -> bool:
    """Whether the recorded code created the object `obj`, in the current block or an enclosing
    one.
    """
    return any(id(obj) in inner.local_objects for inner in recorder.open_blocks)
