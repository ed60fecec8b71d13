"""Names in a program, numbered per program, so that a net has the same names whatever ran
before.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

_NUMBERED = re.compile(r"^(?P<stem>.+?)_(?P<number>\d+)(?P<rest>(\.[A-Za-z]\w*)?)$")


class Namer:
    """Unique names of one program."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._counts: defaultdict[str, int] = defaultdict(int)
        # the last numeric suffix of a name; all smaller ones are taken
        self._suffixes: dict[str, int] = {}
        self._layers: dict[tuple[str, str], int] = {}

    def beside(self, names: Iterable[str]) -> Namer:
        """A Namer for another program of the same model. names: of the values that both have"""
        result = Namer()
        result._used.update(names)
        result._layers = self._layers
        return result

    def fresh(self, wanted: str) -> str:
        """`wanted`, or `wanted_1`, `wanted_2`, ... if it is in use."""
        name, n = wanted, self._suffixes.get(wanted, 0)
        while name in self._used:
            n += 1
            name = f"{wanted}_{n}"
        if n:
            self._suffixes[wanted] = n
        self._used.add(name)
        return name

    def temporary(self, op_type: str) -> str:
        """The name of a result: `relu_0.tmp_0`, `relu_1.tmp_0`, ..."""
        number = self._counts[op_type]
        self._counts[op_type] += 1
        return self.fresh(f"{op_type}_{number}.tmp_0")

    def persistable(self, name: str) -> str:
        """The name in the program of the parameter `name` of this process.

        `linear_7.w_0` becomes `linear_0.w_0` if its layer is the first Linear of the program,
        because the process-wide counter does not depend on the net.
        """
        found = _NUMBERED.match(name)
        if found is None:
            return self.fresh(name)
        stem, number, rest = found["stem"], found["number"], found["rest"]
        key = (stem, number)
        if key not in self._layers:
            self._layers[key] = sum(1 for s, _ in self._layers if s == stem)
        return self.fresh(f"{stem}_{self._layers[key]}{rest}")
