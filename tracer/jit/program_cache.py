"""The programs of a function, found by the kind of call and what they took from Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.errors import OpError
from .call_arguments import Arguments
from .concrete_program import ConcreteProgram

MOST = 16  # programs for one kind of call, which differ in what was assumed of Python only


class ProgramCache:
    """The programs of one function, by the kind of call they are for; several where what they took
    from Python was not the same.
    """

    def __init__(self) -> None:
        self._programs: dict[Any, list[ConcreteProgram]] = {}
        self.latest: ConcreteProgram | None = None  # that a call was served by, or that was made
        self.plain: dict[
            Any, ConcreteProgram
        ] = {}  # for calls with tensors one after the other, by a key that is quick to make

    def get(
        self, key: Any, arguments: Arguments, make: Callable[[], ConcreteProgram]
    ) -> ConcreteProgram:
        """A program for a key whose assumptions hold, made if there is none."""
        found = self.few(key, arguments, make, None)
        assert found is not None
        return found

    def few(
        self,
        key: Any,
        arguments: Arguments,
        make: Callable[[], ConcreteProgram],
        most: int | None = MOST,
    ) -> ConcreteProgram | None:
        """The same, but None where there are `most` already of which none serves."""
        programs = self._programs.setdefault(key, [])
        for program in programs:
            if not program.arguments.other_than(arguments) and program.assumed.hold():
                self.latest = program
                return program
        if (
            most is not None
            and programs
            and (len(programs) >= most or programs[-1].assumed.restless)
        ):
            return None
        made = make()
        if programs:
            made.assumed.confirm(programs[-1].assumed)
        programs.append(made)
        self.latest = made
        return made

    def last(self) -> tuple[Any, tuple[ConcreteProgram, Any]]:
        """The key, and the program with what runs it, of the last call.

        Raises OpError where there was none.
        """
        made = self.latest
        if made is None:
            raise OpError("program_cache: no program was made so far")
        key = next(
            key for key, programs in self._programs.items() if any(p is made for p in programs)
        )
        return key, (made, made.partial)

    def of(self, key: Any) -> list[ConcreteProgram]:
        """Those of a key, the newest last."""
        return self._programs.get(key, [])

    def concrete_programs(self) -> list[ConcreteProgram]:
        """All of them."""
        return [program for programs in self._programs.values() for program in programs]

    def clear(self) -> None:
        """Forget them."""
        self._programs.clear()
        self.plain.clear()
        self.latest = None

    def __len__(self) -> int:
        return len(self.concrete_programs())
