"""Which tensors of a recording may be one and the same to Python, and which of them hold what is
out of date.

After a branch or a loop a name stands for one of several tensors, and only a run knows for which.
The program has a variable of its own for it, so a change in place under one name is not seen under
the other: whoever reads that one afterwards is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ..core.errors import TraceError, user_line, with_user_line
from ..core.tensor import Tensor

Ways = tuple[Any, ...]


class Container:
    """A list of the program, whose elements may be tensors that names stand for."""


@dataclass(frozen=True)
class Stale:
    """Why a tensor or list is out of date.

    tensor: that one; since: where it may have become the same as another, by: where that was
    changed.
    """

    tensor: Any
    since: str
    by: str
    itself: bool = False  # a list that is another one now, not one of whose elements

    def error(self) -> TraceError:
        """For who reads it."""
        return TraceError(with_user_line(f"this value may be out of date: {self.why}"))

    @property
    def why(self) -> str:
        """What happened to it, and what to do."""
        changed = f"what changes in place at {self.by}" if self.by else "what was changed in place"
        since = f", at {self.since}," if self.since else ""
        if self.itself:
            return (
                f"{changed} is the same list as this one on some ways through the branch "
                f"or loop{since} and another on others; "
                "make the change in a copy (`q = q + [x]` for `q.append(x)`), or "
                "`list(...)` one of the two before"
            )
        return (
            f"{changed} is the same tensor as this one on some ways through the branch or "
            f"loop{since} and another on others; "
            "give the change a name of its own (`x = x + 1` for `x.add_(1)`), or "
            "`.clone()` one of the two before"
        )


@dataclass
class Aliases:
    """The tensors, and lists of the program, that may be one.

    stale: those that are out of date, by id.
    """

    stale: dict[int, Stale] = field(default_factory=dict)
    # by id, the other one and since where
    _others: dict[int, dict[int, tuple[Any, str]]] = field(default_factory=dict)
    _lists: dict[int, dict[int, tuple[Any, str]]] = field(
        default_factory=dict
    )  # the same of lists that may be one list
    _links: list[tuple[Any, Any]] = field(default_factory=list)  # all that were made, in order
    # the order in which the recording came to know them
    _born: dict[int, int] = field(default_factory=dict)

    # -- which may be one
    # ---------------------------------------------------------------------------------------

    def meet(self, tensor: Any, before: int | None = None) -> None:
        """Know a tensor or list from now on, or as if it had been there `before` a moment."""
        if before is not None:
            self._born[id(tensor)] = before - 1
        self._born.setdefault(id(tensor), len(self._born))

    def now(self) -> int:
        """A moment, for `is_older`."""
        return len(self._born)

    def is_older(self, tensor: Any, moment: int) -> bool:
        """Whether a tensor was there at a moment; one that no program knows comes from outside."""
        return is_outside(tensor) or self._born.get(id(tensor), moment) < moment

    def may_be_one(self, a: Any, b: Any) -> bool:
        """Whether a run may find one tensor under both."""
        return a is b or id(b) in self._others.get(id(a), ())

    def which(self, value: Any) -> list[Any]:
        """What may be one with a value, beginning with itself; nothing for a number."""
        found = [other for other, _ in self._others.get(id(value), {}).values()]
        return [value, *found] if is_shared(value) else []

    def link(self, a: Any, b: Any, since: str) -> None:
        """From now on two may be one."""
        if a is not b and id(b) not in self._others.get(id(a), ()):
            self._links.append((a, b))
            self._others.setdefault(id(a), {}).setdefault(id(b), (b, since))
            self._others.setdefault(id(b), {}).setdefault(id(a), (a, since))

    def join(self, made: Sequence[tuple[Any, Ways]]) -> None:
        """Each of `made` is one of several from now on, and all by the same choice: (itself, what
        it is on each way).
        """
        found = [
            (new, other) for new, ways in made for value in ways for other in self.which(value)
        ]
        for i, (new, ways) in enumerate(made):
            for old, others in made[:i]:
                if any(
                    is_shared(a) and self.may_be_one(a, b)
                    for a, b in zip(ways, others, strict=True)
                ):
                    found.append((new, old))
        since = _line()
        for one, two in found:
            self.link(one, two, since)

    def one_list(self, a: Any, b: Any) -> None:
        """From now on two lists of the program may be one, and so may `a` and what `b` may be."""
        since = _line()
        for other in (b, *(found for found, _ in self._lists.get(id(b), {}).values())):
            if other is not a:
                self._lists.setdefault(id(a), {}).setdefault(id(other), (other, since))
                self._lists.setdefault(id(other), {}).setdefault(id(a), (a, since))

    def lists_of(self, array: Any) -> list[Any]:
        """What may be the same list as one, which it begins with."""
        return [array, *(other for other, _ in self._lists.get(id(array), {}).values())]

    def links(self) -> int:
        """How many links were made so far."""
        return len(self._links)

    def forget(self, since: int, moment: int) -> None:
        """Drop the links that were made since there were so many, of a try that is no more; those
        between tensors older than a moment stay.
        """
        made, self._links[since:] = self._links[since:], []
        older: dict[int, bool] = {}
        for pair in made:
            for each in pair:
                if id(each) not in older:
                    older[id(each)] = self.is_older(each, moment)
            a, b = map(id, pair)
            if older[a] and older[b]:
                self._links.append(pair)
            else:
                del self._others[a][b], self._others[b][a]

    def has_linked(self, since: int, moment: int) -> bool:
        """Whether one that was made since there were so many links is between tensors older than a
        moment.
        """
        return any(
            self.is_older(a, moment) and self.is_older(b, moment) for a, b in self._links[since:]
        )

    # -- which are out of date
    # ----------------------------------------------------------------------------------

    def written(self, tensor: Any) -> None:
        """A tensor was changed in place: it is up to date, and what may be the same is not."""
        by = _line()
        for other, since in self._others.get(id(tensor), {}).values():
            self.stale[id(other)] = Stale(other, since, by)
        self.stale.pop(id(tensor), None)

    def list_written(self, array: Any) -> None:
        """A list was made longer or shorter, or holds other elements: what may be the same list is
        out of date.
        """
        by = _line()
        for other, since in self._lists.get(id(array), {}).values():
            self.stale[id(other)] = Stale(other, since, by, itself=True)

    def check_list(self, array: Any) -> None:
        """Raise TraceError for a list that may have another length by now."""
        found = self.stale.get(id(array))
        if found is not None and found.itself:
            raise found.error()

    def check(self, tensor: Any) -> None:
        """Raise TraceError for a tensor that is out of date."""
        found = self.stale.get(id(tensor))
        if found is not None:
            raise found.error()

    def check_outside(self, given: Iterable[Any]) -> None:
        """Raise TraceError where one of what is `given`, or a tensor from outside, is out of date
        at the end: its owner sees it.
        """
        owned = {id(tensor) for tensor in given}
        for id_, found in self.stale.items():
            if id_ in owned or is_outside(found.tensor):
                raise found.error()

    @contextmanager
    def unchecked(self) -> Iterator[None]:
        """Read what is out of date as well: for what a branch or a loop writes down of
        its results.
        """
        kept, self.stale = self.stale, {}
        try:
            yield
        finally:
            self.stale = kept


def is_shared(value: Any) -> bool:
    """Whether a value can be changed in place; numbers and what has no value cannot."""
    return isinstance(value, Tensor | Container)


def is_outside(value: Any) -> bool:
    """Whether something that can be changed in place is not the program's own: a parameter, a
    buffer, a constant.
    """
    return isinstance(value, Tensor) and not hasattr(value, "raw")


def _line() -> str:
    return str(user_line() or "")
