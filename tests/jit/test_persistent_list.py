"""Versions of `PersistentList` behave like copies of a Python list."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from oarlock.compiler.persistent_list import PersistentList


def changed_copy(items: list[Any], index: int, value: Any) -> list[Any]:
    """Return a copy of a list with another element; None pads a shorter list."""
    result = items + [None] * (index + 1 - len(items))
    result[index] = value
    return result


@pytest.mark.parametrize("seed", range(20))
def test_versions_equal_copies(seed: int) -> None:
    """Any version, used in any order, has the elements of a copied and changed list."""
    rng = random.Random(seed)
    versions: list[tuple[PersistentList, list[Any]]] = [
        (PersistentList([1, None, 3]), [1, None, 3])
    ]
    for value in range(200):
        version, items = rng.choice(versions[-5:] if value % 3 else versions)
        index, new = rng.randrange(len(items) + 3), rng.choice([value, None])
        versions.append((version.with_element(index, new), changed_copy(items, index, new)))
    rng.shuffle(versions)
    for version, items in versions:
        assert list(version) == items
        assert len(version) == len(items)
        assert version.num_elements() == len(items) - items.count(None)
        assert version.elements() == {i: x for i, x in enumerate(items) if x is not None}
        index = rng.randrange(-len(items), len(items))
        assert version[index] == items[index]
        assert version[index : len(items) - 1] == items[index : len(items) - 1]
        with pytest.raises(IndexError):
            version[len(items)]


class CountingDict(dict[int, Any]):
    """A dict that counts the elements that are removed."""

    num_changes = 0

    def pop(self, *args: Any) -> Any:
        """Remove an element."""
        self.num_changes += 1
        return super().pop(*args)


def append(version: PersistentList, i: int) -> PersistentList:
    """Append an element."""
    return version.with_element(len(version), i)


def clear_from_end(version: PersistentList, i: int) -> PersistentList:
    """Set an element to None, from the last to the first."""
    return version.with_element(len(version) - 1 - i, None)


@pytest.mark.parametrize("change", [append, clear_from_end])
def test_changes_take_constant_time(
    change: Callable[[PersistentList, int], PersistentList],
) -> None:
    """Each change of the newest version changes one element of the shared dict, and each step back
    to the version before changes one, too.
    """
    version = PersistentList(range(1000))
    elements = version._elements = CountingDict(version.elements())
    versions = [version]
    for i in range(1000):
        versions.append(change(versions[-1], i))
    assert elements.num_changes == 1000
    for version in reversed(versions):
        assert version[0] is not None or version is versions[-1]
    assert elements.num_changes == 2000


def test_other_versions_do_not_keep_replaced_elements() -> None:
    """An element that no live version contains is freed."""

    class Element:
        num_freed = 0

        def __del__(self) -> None:
            Element.num_freed += 1

    version = PersistentList([Element()])
    for _ in range(10):
        version = version.with_element(0, Element())
    assert Element.num_freed == 10
