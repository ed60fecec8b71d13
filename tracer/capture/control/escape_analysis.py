"""Which lists, dicts and objects a recorded body made itself: to what is around it they are nothing
that changes.
"""

from __future__ import annotations

from typing import Any

from ..recorder import Recorder


def born(recorder: Recorder, made: Any) -> None:
    """A list, dict or object was made here: to what is around the block that is being written it is
    nothing that changes.
    """
    if not recorder.by_hand or len(recorder.open) > 1:
        inner = recorder.open[-1].born
        inner[id(made)] = made
        if hasattr(made, "__dict__"):
            inner[id(vars(made))] = made


def is_made_here(recorder: Recorder, made: Any) -> bool:
    """Whether the recording made a list, dict or object, which nobody knows who does not read what
    it gives.
    """
    return any(id(made) in inner.born for inner in recorder.open)
