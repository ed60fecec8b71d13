"""Alias analysis: which tensors and TensorArrays may be the same object in Python, and which of
them are invalidated.

After a branch or loop, a name denotes one of several tensors, and the program has a new variable
for it. An in-place op on one of the tensors does not change the new variable, so reading that
variable after the in-place op raises an error.
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
    """The empty superclass of TensorArray. Modules that cannot import TensorArray use it in
    `isinstance` to recognize a TensorArray.
    """


@dataclass(frozen=True)
class Invalidation:
    """The reason why a tensor or list must not be read: it may be the same object as one that was
    mutated under another name.

    tensor: the tensor or list.
    alias_line: the line after which `tensor` may alias the mutated object.
    mutation_line: the line of the mutation.
    is_list_mutation: whether `tensor` is a list whose possible alias got other elements or another
    length.
    """

    tensor: Any
    alias_line: str
    mutation_line: str
    is_list_mutation: bool = False  # see the class docstring

    def error(self) -> TraceError:
        """Return the TraceError to raise when code reads the invalidated tensor or list."""
        return TraceError(append_user_line(f"this value may be out of date: {self.reason}"))

    @property
    def reason(self) -> str:
        """The part of an error message that names the mutation and says how to change the code."""
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
    # By id of a tensor: its possible aliases, each with the line after which both may be the same
    # tensor.
    _tensor_aliases: dict[int, dict[int, tuple[Any, str]]] = field(default_factory=dict)
    _list_aliases: dict[int, dict[int, tuple[Any, str]]] = field(
        default_factory=dict
    )  # by id of a TensorArray: its possible aliases, each with a line
    # all pairs of tensors that may alias, in the order of recording
    _tensor_links: list[tuple[Any, Any]] = field(default_factory=list)
    # By id of a tensor or list: the object itself, so that its id is not reused, and its place in
    # the order of creation.
    _creation_order: dict[int, tuple[Any, int]] = field(default_factory=dict)

    # -- may-alias relation
    # ---------------------------------------------------------------------------------------

    def record_creation_time(self, tensor: Any, before: int | None = None) -> None:
        """Record when a tensor or list was created, as a logical time that `existed_at`
        compares.

        before: a logical time to record in place of the current one.
        """
        if before is not None:
            self._creation_order[id(tensor)] = tensor, before - 1
        self._creation_order.setdefault(id(tensor), (tensor, len(self._creation_order)))

    def timestamp(self) -> int:
        """Return the current logical time, which `existed_at` accepts."""
        return len(self._creation_order)

    def existed_at(self, tensor: Any, moment: int) -> bool:
        """Whether a tensor or list was created before the logical time `moment`; always True for an
        external tensor.
        """
        _, created = self._creation_order.get(id(tensor), (tensor, moment))
        return is_external_eager_tensor(tensor) or created < moment

    def may_alias(self, a: Any, b: Any) -> bool:
        """Whether two values may be the same tensor."""
        return a is b or id(b) in self._tensor_aliases.get(id(a), ())

    def tensor_and_aliases(self, value: Any) -> list[Any]:
        """Return a list of a tensor and all tensors that it may alias; an empty list for a
        scalar.
        """
        aliases = [other for other, _ in self._tensor_aliases.get(id(value), {}).values()]
        return [value, *aliases] if is_aliasable(value) else []

    def record_may_alias(self, a: Any, b: Any, since: str) -> None:
        """Record that two values may be the same tensor from the line `since` on."""
        if a is not b and id(b) not in self._tensor_aliases.get(id(a), ()):
            self._tensor_links.append((a, b))
            self._tensor_aliases.setdefault(id(a), {}).setdefault(id(b), (b, since))
            self._tensor_aliases.setdefault(id(b), {}).setdefault(id(a), (a, since))

    def record_merged_value_aliases(self, merged: Sequence[tuple[Any, ValuesByPath]]) -> None:
        """Record which values the merged values of a branch may alias: each is one of its values on
        the paths. All merged values come from the same path, so two of them may alias only if they
        alias on one path.

        merged: pairs of a merged value and its values on each path.
        """
        pairs = [
            (new, other)
            for new, path_values in merged
            for value in path_values
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

    def record_lists_may_alias(self, a: Any, b: Any) -> None:
        """Record that two TensorArrays may be the same list, and that `a` may alias every list that
        `b` may alias.
        """
        since = _current_user_line()
        for other in (b, *(found for found, _ in self._list_aliases.get(id(b), {}).values())):
            if other is not a:
                self._list_aliases.setdefault(id(a), {}).setdefault(id(other), (other, since))
                self._list_aliases.setdefault(id(other), {}).setdefault(id(a), (a, since))

    def tensor_array_and_aliases(self, array: Any) -> list[Any]:
        """Return the TensorArray `array` and all TensorArrays that it may alias."""
        return [array, *(other for other, _ in self._list_aliases.get(id(array), {}).values())]

    def num_tensor_links(self) -> int:
        """Return how many may-alias pairs of tensors have been recorded."""
        return len(self._tensor_links)

    def discard_tensor_links_to_newer_values(self, num_kept: int, moment: int) -> None:
        """Keep the first `num_kept` may-alias pairs. Of the later pairs, keep those whose two
        tensors existed at `moment`, and remove the others.
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
        """Whether a may-alias pair after the first `num_known` pairs consists of tensors that both
        existed at `moment`.
        """
        return any(
            self.existed_at(a, moment) and self.existed_at(b, moment)
            for a, b in self._tensor_links[num_known:]
        )

    # -- invalidation
    # ----------------------------------------------------------------------------------

    def invalidate_tensor_aliases(self, tensor: Any) -> None:
        """Mark the possible aliases of a tensor that changed in place, so that reading them raises
        an error.
        """
        by = _current_user_line()
        for other, since in self._tensor_aliases.get(id(tensor), {}).values():
            self.invalidated[id(other)] = Invalidation(other, since, by)
        self.invalidated.pop(id(tensor), None)

    def invalidate_list_aliases(self, array: Any) -> None:
        """Mark the lists that may alias a list whose length or elements changed, so that reading
        them raises an error.
        """
        by = _current_user_line()
        for other, since in self._list_aliases.get(id(array), {}).values():
            self.invalidated[id(other)] = Invalidation(other, since, by, is_list_mutation=True)

    def reject_list_with_mutated_alias(self, array: Any) -> None:
        """Raise TraceError if the TensorArray is invalidated because a list that it may alias was
        mutated.
        """
        invalidation = self.invalidated.get(id(array))
        if invalidation is not None and invalidation.is_list_mutation:
            raise invalidation.error()

    def reject_invalidated_tensor(self, tensor: Any) -> None:
        """Raise TraceError if the tensor is invalidated, because a tensor that it may alias changed
        in place.
        """
        invalidation = self.invalidated.get(id(tensor))
        if invalidation is not None:
            raise invalidation.error()

    def reject_invalidated_results_and_externals(self, returned: Iterable[Any]) -> None:
        """Raise TraceError at the end of a capture if an external tensor or one of `returned` is
        invalidated, because code outside of the program could read it.
        """
        owned = {id(tensor) for tensor in returned}
        for id_, invalidation in self.invalidated.items():
            if id_ in owned or is_external_eager_tensor(invalidation.tensor):
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
    """Whether a value can have aliases: tensors and TensorArrays, which can change in place."""
    return isinstance(value, Tensor | TensorArrayMarkerBase)


def is_external_eager_tensor(value: Any) -> bool:
    """Whether a value is an eager tensor that exists outside of the program: a parameter, a buffer
    or a constant.
    """
    return isinstance(value, Tensor) and not hasattr(value, "raw")


def _current_user_line() -> str:
    return str(user_line() or "")
