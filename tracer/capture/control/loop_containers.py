"""Lists and dicts that a loop takes apart: each round has others of its own, which may be those
from before, or what a round made.
"""

from __future__ import annotations

from typing import Any

from ..recorder import Recorder
from .may_alias import Choice, Held, either, held, items_of, take_away
from .mutable_locations import Elements, Entries, note


class Apart:
    """The containers among a loop's values.

    before: by position, what they were before the loop.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.before: dict[int, Held] = {}
        # what the last round left under the name, in place of what it was given
        self._left: dict[int, Held] = {}
        # whether a round changes what it is given, rather than to take another one
        self._changed = False

    def open(self, i: int, container: Any) -> Any:
        """Value `i` is taken apart from now on: under other names it is out of date while the loop
        runs.

        Gives what it holds, in a copy.
        """
        found = self._known(container) or held(container)
        if found is None:
            return container
        self.before[i] = found
        self._take_all(found)
        return found.copy()

    def _known(self, container: Any) -> Held | None:
        return next((found for found in self.before.values() if found.container is container), None)

    def whole(self, container: Any) -> Any:
        """A container as it was before it was taken apart under another name; any other value
        itself.
        """
        found = self._known(container)
        return container if found is None else found.copy()

    def _take_all(self, found: Held) -> None:
        for inner in found.inside.values():
            self._take_all(inner)
        container = found.container
        if not isinstance(container, tuple) and items_of(container):
            note(
                self.recorder,
                [
                    (Entries if isinstance(container, dict) else Elements)(
                        "a list or dict", container
                    )
                ],
            )
            take_away(container)

    def given(self, values: list[Any]) -> dict[int, Held]:
        """What a round gets; of containers that may also have other names, such as notice
        a change.
        """
        starts = [id(found.container) for found in self.before.values()]
        for i, found in self.before.items():
            origins = [self._left[i].container] if i in self._left else []
            if starts.count(id(found.container)) > 1:
                origins.append(found.container)
            if origins and type(values[i]) in (list, dict):
                values[i] = either(values[i], *origins)
        return {i: again for i in self.before if (again := held(values[i])) is not None}

    def end(self, given: dict[int, Held], made: list[Any]) -> None:
        """See what a round did with them."""
        for i, start in given.items():
            self._changed = self._changed or any(True for _ in start.changed())
            if made[i] is not start.container and (left := held(made[i])) is not None:
                self._left[i] = left

    def results(self, values: list[Any]) -> list[Any]:
        """The values after the loop."""
        choice = Choice()
        if not self._changed:
            for found in self.before.values():
                found.put_back()
        for i, found in self.before.items():
            values[i] = choice.of(values[i], found, self._left.get(i, found))
        choice.finish()
        return values
