"""Names in a program. Names are numbered per program, so that the names of a network do not depend
on layers and ops that the process created before.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

_NUMBERED_NAME = re.compile(r"^(?P<stem>.+?)_(?P<number>\d+)(?P<rest>(\.[A-Za-z]\w*)?)$")


class Namer:
    """Creates names that are unique in one program."""

    def __init__(self) -> None:
        self._used_names: set[str] = set()
        self._op_counts: defaultdict[str, int] = defaultdict(int)
        # requested name -> the last numeric suffix given out for it; all smaller suffixes are in
        # use
        self._last_suffixes: dict[str, int] = {}
        # stem of a layer's name -> its number in this process -> its number in the program
        self._layer_numbers: defaultdict[str, dict[str, int]] = defaultdict(dict)

    def for_related_program(self, names: Iterable[str]) -> Namer:
        """Return a Namer for another program of the same model, which numbers layers in the same
        way.

        names: the names that both programs share.
        """
        result = Namer()
        result._used_names.update(names)
        result._layer_numbers = self._layer_numbers
        return result

    def unique_name(self, wanted: str) -> str:
        """Return `wanted`, or the first of `wanted_1`, `wanted_2`, ... that is not in use if
        `wanted` is, and mark it as used.
        """
        name, n = wanted, self._last_suffixes.get(wanted, 0)
        while name in self._used_names:
            n += 1
            name = f"{wanted}_{n}"
        if n:
            self._last_suffixes[wanted] = n
        self._used_names.add(name)
        return name

    def generate_temporary_name(self, op_type: str) -> str:
        """Return a new name for the result of an op: `relu_0.tmp_0`, `relu_1.tmp_0`, ..."""
        number = self._op_counts[op_type]
        self._op_counts[op_type] += 1
        return self.unique_name(f"{op_type}_{number}.tmp_0")

    def reserve_program_name_of_persistable(self, name: str) -> str:
        """Return a new name in the program for a parameter that is called `name` in this
        process.

        Layers are renumbered per program: `linear_7.w_0` becomes `linear_0.w_0` if its layer is the
        first Linear of the program.
        """
        found = _NUMBERED_NAME.match(name)
        if found is None:
            return self.unique_name(name)
        stem, number, rest = found["stem"], found["number"], found["rest"]
        numbers = self._layer_numbers[stem]
        return self.unique_name(f"{stem}_{numbers.setdefault(number, len(numbers))}{rest}")
