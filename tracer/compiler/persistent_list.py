"""PersistentList: immutable lists, of which changed versions are made in constant time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload


class PersistentList(Sequence[Any]):
    """An immutable, sparse list. `with_element` returns a changed version in constant time.

    All versions share one dict of the elements that are not None. The version used last owns the
    dict; each other version stores its next version on the way to the owner, and the one element
    that differs between the two. The use of a version changes the dict, in a time proportional to
    the number of differences. (Baker, "Shallow binding makes functional arrays fast", 1991)
    """

    __slots__ = ("_difference", "_elements", "_length", "_next")

    def __init__(self, items: Iterable[Any] = ()) -> None:
        items = list(items)
        self._length = len(items)
        self._elements: dict[int, Any] | None = {
            i: item for i, item in enumerate(items) if item is not None
        }
        # If another version owns the dict: the next version, and the index and value of the element
        # that differs from it.
        self._next: PersistentList | None = None
        self._difference: tuple[int, Any] = (0, None)

    def with_element(self, index: int, value: Any) -> PersistentList:
        """Return the list with `value` at an index >= 0. A shorter list is padded with None."""
        result = PersistentList.__new__(PersistentList)
        result._length = max(self._length, index + 1)
        result._elements, result._next, result._difference = None, self, (index, value)
        result._reroot()
        return result

    def padded_to(self, length: int) -> PersistentList:
        """Return the list, with None appended up to a length."""
        return self if length <= self._length else self.with_element(length - 1, None)

    def elements(self) -> dict[int, Any]:
        """Return a copy of the elements that are not None, by index."""
        return dict(self._reroot())

    def num_elements(self) -> int:
        """Return the number of elements that are not None."""
        return len(self._reroot())

    def _reroot(self) -> dict[int, Any]:
        """Make this version the owner of the shared dict, and return the dict with its elements."""
        if self._elements is not None:
            return self._elements
        path, version = list[PersistentList](), self
        while version._elements is None:
            path.append(version)
            assert version._next is not None
            version = version._next
        elements = version._elements
        for target in reversed(path):
            index, value = target._difference
            version._elements, version._next = None, target
            version._difference = index, elements.pop(index, None)
            if value is not None:
                elements[index] = value
            version = target
        version._elements, version._next, version._difference = elements, None, (0, None)
        return elements

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Any]:
        return iter(self[:])

    @overload
    def __getitem__(self, index: int) -> Any: ...

    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...

    def __getitem__(self, index: Any) -> Any:
        indices, elements = range(self._length)[index], self._reroot()
        if isinstance(indices, int):
            return elements.get(indices)
        return [elements.get(i) for i in indices]
