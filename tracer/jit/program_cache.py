"""The program cache of a function: programs by call signature and guards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.errors import OpError, append_user_line
from .call_arguments import FlattenedArguments
from .concrete_program import ConcreteProgram

MAX_PROGRAMS_PER_SIGNATURE = (
    16  # maximum number of programs per call signature, with different guards
)


class ProgramCache:
    """The programs of one function, by call signature. One signature can have several programs,
    which differ in their guards.

    latest_program: the program that ran at the last call.
    fast_cache: programs for calls that have only positional tensors, by a key that is quick to
    compute.
    """

    def __init__(self) -> None:
        self._programs: dict[Any, list[ConcreteProgram]] = {}
        self.latest_program: ConcreteProgram | None = None  # the program of the last call
        self.fast_cache: dict[Any, ConcreteProgram] = {}  # for calls with positional tensors only

    def get_valid_or_create(
        self, key: Any, arguments: FlattenedArguments, make: Callable[[], ConcreteProgram]
    ) -> ConcreteProgram:
        """Return the program for `key` whose guards hold; if no program's guards hold, create one
        with `make`.
        """
        program = self.get_valid_or_create_within_limit(key, arguments, make, None)
        assert program is not None
        return program

    def get_valid_or_create_within_limit(
        self,
        key: Any,
        arguments: FlattenedArguments,
        make: Callable[[], ConcreteProgram],
        max_programs: int | None = MAX_PROGRAMS_PER_SIGNATURE,
    ) -> ConcreteProgram | None:
        """Return the program for `key` whose guards hold, or create one. Return None if no
        program's guards hold and `key` has `max_programs` programs already, or if its newest
        program read a value that differs at each call.
        """
        programs = self._programs.setdefault(key, [])
        for program in programs:
            if (
                not program.arguments.name_of_first_different_object(arguments)
                and program.guards.are_satisfied()
            ):
                self.latest_program = program
                return program
        if (
            max_programs is not None
            and programs
            and (
                len(programs) >= max_programs or programs[-1].guards.first_unstable_read_description
            )
        ):
            return None
        result = make()
        if programs:
            result.guards.add_unstable_reads_suspected_twice(programs[-1].guards)
        programs.append(result)
        self.latest_program = result
        return result

    def last(self) -> tuple[Any, tuple[ConcreteProgram, Any]]:
        """Return the key, the program and the partial program of the last call.

        Raises OpError if there was no call.
        """
        result = self.latest_program
        if result is None:
            raise OpError(append_user_line("program_cache: no program was captured yet"))
        key = next(
            key for key, programs in self._programs.items() if any(p is result for p in programs)
        )
        return key, (result, result.partial_program)

    def programs_with_key(self, key: Any) -> list[ConcreteProgram]:
        """Return the programs that were captured for a key, the newest last."""
        return self._programs.get(key, [])

    def concrete_programs(self) -> list[ConcreteProgram]:
        """Return all programs in the cache."""
        return [program for programs in self._programs.values() for program in programs]

    def clear(self) -> None:
        """Remove all programs."""
        self._programs.clear()
        self.fast_cache.clear()
        self.latest_program = None

    def __len__(self) -> int:
        return len(self.concrete_programs())
