"""Alias analysis: which tensors and TensorArrays may be the same object in Python, and which of
them are invalidated.

After a branch or loop, a name denotes one of several tensors, and the program has a new variable
for it. An in-place op on one of the tensors does not change this variable, so reading it afterwards
raises an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ..core.errors import TraceError, append_user_line, user_line
from ..core.tensor import Tensor

ValuesByPath = tuple[Any, ...]


class TensorArrayMarkerBase:
    """The empty superclass of TensorArray, by which modules that cannot import it recognize lists
    of the program.
    """


@dataclass(frozen=True)
class Invalidation:
    """The reason why a tensor or list must not be read: another name of it may have been mutated.

    tensor: the tensor or list.
    alias_line: the line after which it may alias the mutated object.
    mutation_line: the line of the mutation.
    is_list_mutation: whether the list itself, not an element, was mutated.
    """

    tensor: Any
    alias_line: str
    mutation_line: str
    is_list_mutation: bool = False  # whether the list itself, not an element, was changed

    def error(self) -> TraceError:
        """Return the error to raise when the tensor or list is read."""
        return TraceError(append_user_line(f"this value may be out of date: {self.reason}"))

    @property
    def reason(self) -> str:
        """Describe the mutation and the fix."""
        changed = (
            f"what changes in place at {self.mutation_line}"
            if self.mutation_line
            else "what was changed in place"
        )
        since = f", at {self.alias_line}," if self.alias_line else ""
        if self.is_list_mutation:
            return (
                f"{changed} is the same list as this one on some paths through the branch "
                f"or loop{since} and another on others; "
                "make the change in a copy (`q = q + [x]` for `q.append(x)`), or "
                "`list(...)` one of the two before"
            )
        return (
            f"{changed} is the same tensor as this one on some paths through the branch or "
            f"loop{since} and another on others; "
            "give the change a name of its own (`x = x + 1` for `x.add_(1)`), or "
            "`.clone()` one of the two before"
        )


@dataclass
class Aliases:
    """The may-alias relation of tensors and lists of a program.

    invalidated: by id, the tensors and lists that must not be read.
    """

    invalidated: dict[int, Invalidation] = field(default_factory=dict)
    # By id: the possible aliases of a tensor, each with the line after which it may be the same.
    _tensor_aliases: dict[int, dict[int, tuple[Any, str]]] = field(default_factory=dict)
    _list_aliases: dict[int, dict[int, tuple[Any, str]]] = field(
        default_factory=dict
    )  # the same for lists
    _tensor_links: list[tuple[Any, Any]] = field(default_factory=list)  # all links, in order
    # By id: the tensor or list, so that no other object gets its id; its place in the order of
    # creation.
    _creation_order: dict[int, tuple[Any, int]] = field(default_factory=dict)

    # -- may-alias relation
    # ---------------------------------------------------------------------------------------

    def record_creation(self, tensor: Any, before: int | None = None) -> None:
        """Record the creation time of a tensor or list, for `existed_at`.

        before: a timestamp to record in place of the current one.
        """
        if before is not None:
            self._creation_order[id(tensor)] = tensor, before - 1
        self._creation_order.setdefault(id(tensor), (tensor, len(self._creation_order)))

    def timestamp(self) -> int:
        """Return the current logical time, which `existed_at` accepts."""
        return len(self._creation_order)

    def existed_at(self, tensor: Any, moment: int) -> bool:
        """Whether a tensor existed at a logical time; external tensors always did."""
        _, created = self._creation_order.get(id(tensor), (tensor, moment))
        return is_external(tensor) or created < moment

    def may_alias(self, a: Any, b: Any) -> bool:
        """Whether two values may be the same tensor."""
        return a is b or id(b) in self._tensor_aliases.get(id(a), ())

    def tensor_and_aliases(self, value: Any) -> list[Any]:
        """Return a value and all values that it may alias; an empty list for a scalar."""
        aliases = [other for other, _ in self._tensor_aliases.get(id(value), {}).values()]
        return [value, *aliases] if is_aliasable(value) else []

    def record_may_alias(self, a: Any, b: Any, since: str) -> None:
        """Record that two values may be the same tensor from the line `since` on."""
        if a is not b and id(b) not in self._tensor_aliases.get(id(a), ()):
            self._tensor_links.append((a, b))
            self._tensor_aliases.setdefault(id(a), {}).setdefault(id(b), (b, since))
            self._tensor_aliases.setdefault(id(b), {}).setdefault(id(a), (a, since))

    def record_merge(self, merged: Sequence[tuple[Any, ValuesByPath]]) -> None:
        """Record that each merged value is one of its values on the paths. One condition selects
        the path of all of them.

        merged: pairs of a merged value and its values on each path.
        """
        pairs = [
            (new, other)
            for new, ways in merged
            for value in ways
            for other in self.tensor_and_aliases(value)
        ]
        for i, (new, path_values) in enumerate(merged):
            for old, others in merged[:i]:
                if any(
                    is_aliasable(a) and self.may_alias(a, b)
                    for a, b in zip(path_values, others, strict=True)
                ):
                    pairs.append((new, old))
        since = _current_user_line()
        for first, second in pairs:
            self.record_may_alias(first, second, since)

    def link_lists(self, a: Any, b: Any) -> None:
        """Record that two lists may be the same, and that `a` may alias everything that `b` may
        alias.
        """
        since = _current_user_line()
        for other in (b, *(found for found, _ in self._list_aliases.get(id(b), {}).values())):
            if other is not a:
                self._list_aliases.setdefault(id(a), {}).setdefault(id(other), (other, since))
                self._list_aliases.setdefault(id(other), {}).setdefault(id(a), (a, since))

    def list_and_aliases(self, array: Any) -> list[Any]:
        """Return a list and all lists that it may alias."""
        return [array, *(other for other, _ in self._list_aliases.get(id(array), {}).values())]

    def num_tensor_links(self) -> int:
        """Return the number of links so far."""
        return len(self._tensor_links)

    def discard_tensor_links_to_newer_values(self, num_kept: int, moment: int) -> None:
        """Remove all but the first `num_kept` links, except those between values that existed at
        `moment`.
        """
        result, self._tensor_links[num_kept:] = self._tensor_links[num_kept:], []
        older: dict[int, bool] = {}
        for pair in result:
            for each in pair:
                if id(each) not in older:
                    older[id(each)] = self.existed_at(each, moment)
            a, b = map(id, pair)
            if older[a] and older[b]:
                self._tensor_links.append(pair)
            else:
                del self._tensor_aliases[a][b], self._tensor_aliases[b][a]

    def has_new_tensor_links_of_older_values(self, num_known: int, moment: int) -> bool:
        """Whether a link after the first `num_known` is between values that existed at `moment`."""
        return any(
            self.existed_at(a, moment) and self.existed_at(b, moment)
            for a, b in self._tensor_links[num_known:]
        )

    # -- invalidation
    # ----------------------------------------------------------------------------------

    def invalidate_tensor_aliases(self, tensor: Any) -> None:
        """Invalidate the aliases of a tensor that changed in place."""
        by = _current_user_line()
        for other, since in self._tensor_aliases.get(id(tensor), {}).values():
            self.invalidated[id(other)] = Invalidation(other, since, by)
        self.invalidated.pop(id(tensor), None)

    def invalidate_list_aliases(self, array: Any) -> None:
        """Invalidate the lists that may alias a list whose length or elements changed."""
        by = _current_user_line()
        for other, since in self._list_aliases.get(id(array), {}).values():
            self.invalidated[id(other)] = Invalidation(other, since, by, is_list_mutation=True)

    def reject_list_with_mutated_alias(self, array: Any) -> None:
        """Raise TraceError for a list that was invalidated, because its length may have changed."""
        invalidation = self.invalidated.get(id(array))
        if invalidation is not None and invalidation.is_list_mutation:
            raise invalidation.error()

    def reject_invalidated_tensor(self, tensor: Any) -> None:
        """Raise TraceError for an invalidated tensor."""
        invalidation = self.invalidated.get(id(tensor))
        if invalidation is not None:
            raise invalidation.error()

    def reject_invalidated_results_and_externals(self, returned: Iterable[Any]) -> None:
        """Raise TraceError if, at the end of the capture, an external tensor or one of `returned`
        is
        invalidated: code outside of the program could read it.
        """
        owned = {id(tensor) for tensor in returned}
        for id_, invalidation in self.invalidated.items():
            if id_ in owned or is_external(invalidation.tensor):
                raise invalidation.error()

    @contextmanager
    def allow_invalidated_reads(self) -> Iterator[None]:
        """Allow reads of invalidated tensors in the body of the `with` statement, which writes the
        results of a branch or loop.
        """
        saved, self.invalidated = self.invalidated, {}
        try:
            yield
        finally:
            self.invalidated = saved


def is_aliasable(value: Any) -> bool:
    """Whether a value can change in place; scalars cannot."""
    return isinstance(value, Tensor | TensorArrayMarkerBase)


def is_external(value: Any) -> bool:
    """Whether a tensor does not belong to the program: a parameter, a buffer or a constant."""
    return isinstance(value, Tensor) and not hasattr(value, "raw")


def _current_user_line() -> str:
    return str(user_line() or "")
