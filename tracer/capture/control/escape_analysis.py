"""Escape analysis: which lists, dicts and objects the recorded code created. Code outside of the
program has no reference to them, so their mutations are not side effects.
"""

from __future__ import annotations

from typing import Any

from ..recorder import Recorder


def register_local_object(recorder: Recorder, obj: Any) -> None:
    """Mark an object and its `__dict__` as created in the current block, so that mutating it is
    not a side effect. In the outermost block nothing is marked unless the policy tracks it.
    """
    if recorder.policy.tracks_outermost_block or len(recorder.open_blocks) > 1:
        inner = recorder.open_blocks[-1].local_objects
        inner[id(obj)] = obj
        if hasattr(obj, "__dict__"):
            inner[id(vars(obj))] = obj


def is_local_object(recorder: Recorder, obj: Any) -> bool:
    """Whether the recorded code created an object."""
    return any(id(obj) in inner.local_objects for inner in recorder.open_blocks)
