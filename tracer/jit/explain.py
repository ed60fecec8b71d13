"""Everything that stands in the way of a program, at once: by recording on past each error, or by
reading the source alone.
"""

from __future__ import annotations

import linecache
import os
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from traceback import walk_tb
from types import CodeType, FunctionType
from typing import Any

from ..capture.modes import Static
from ..capture.recorder import Recorder
from ..core import pytree
from ..core.errors import OarlockError, is_library_file, user_line
from ..core.mode import replace_base_mode
from ..ir.program import Guard
from ..nn.layer import Layer
from .call_arguments import Parameters
from .captured_program import Recorded
from .concrete_program import refuse_results
from .convert.source_scan import Problem, scan
from .guards.side_effects import refuse_lists
from .guards.user_code import is_users
from .layer_capture import finish
from .operators.calls import convert_or_leave
from .static_function import StaticFunction

FIXES = {
    r"sorted\(\)": "use paddle.sort or paddle.argsort",
    r"the dtypes differ": "cast one side, with astype",
    r"the numbers of axes differ": "reshape one side, or reduce both",
    r"the value of .* is not known": "stay with tensors and paddle's functions, or compute it "
    "outside "
    "and "
    "pass "
    "it "
    "in",
    r"only a run knows how many": "use a `for` statement, or give the size in the input's shape",
    r"has a value only if": "give it a value before the `if`",
    r"not every way through": "return a value at the end as well",
    r"only tensors and numbers": "decide it before, or make a tensor of it",
    r"different structures": "give back the same structure on both sides",
    r"is not one of its results": "assign it to a variable instead",
    r"is not converted": "put the function in a file; until then its control flow is Python's",
    r"raise: ": "raise under an `if`",
    r"whose length only a run knows": "stack or concat it",
    r"stores values": "give them back instead",
}

END = "; what comes after it was only read"


@dataclass
class Explanation:
    """What came of looking at a function.

    problems: in the order of lines; assumed: what was taken from Python; recorded: whether it was
    recorded
    """

    problems: list[Problem] = field(default_factory=list)
    assumed: list[Guard] = field(default_factory=list)
    recorded: bool = False


class Explaining(Static):
    """Notes every error of a recording, and goes on."""

    continues = True

    def __init__(self, recorder: Recorder, found: list[Problem]) -> None:
        super().__init__(recorder, convert_or_leave, True)
        self.found = found

    def with_tape(self, tape: bool) -> Explaining:
        """See Static."""
        made = Explaining(self.recorder, self.found)
        made.tape, made.called_with_tape = tape, self.called_with_tape
        return made

    def trouble(self, error: Exception, instead: Any) -> Any:
        """See Static."""
        self.note(str(error))
        return instead

    def note(self, message: str) -> None:
        """Add a problem, once: of one line and cause."""
        made = problem_of(message)
        if all(_alike(made) != _alike(other) for other in self.found):
            self.found.append(made)


def _alike(problem: Problem) -> tuple[Any, ...]:
    """What two problems share that are the same to a reader: names of variables are left out."""
    return problem.file, problem.line, re.sub(r"'[^']*'", "", problem.cause)


def problem_of(message: str) -> Problem:
    """A message with the user's line at its end as a problem."""
    head, _, place = message.rpartition("\n  at ")
    found = re.match(r"(.+?):(\d+) in (\S+?)(?:: (.*))?$", place)
    if found is None:
        line = user_line()
        head, found_at = (
            message,
            (line.file, line.lineno, line.function, line.text) if line else ("", 0, "", ""),
        )
    else:
        found_at = (found[1], int(found[2]), found[3], found[4] or "")
    fix = next((f for pattern, f in FIXES.items() if re.search(pattern, head, re.DOTALL)), "")
    return Problem(*found_at, head.strip(), fix)


def explain(target: Any, input_spec: Any = None) -> Explanation:
    """All problems of making a program of a function, a method, a StaticFunction or a Layer.

    input_spec: as for to_static; with one it is recorded, without only its source is read.
    """
    owner = target if isinstance(target, Layer) else getattr(target, "__self__", None)
    function = target.forward if isinstance(target, Layer) else target
    if isinstance(function, StaticFunction):
        input_spec = function._input_spec if input_spec is None else input_spec
        owner, function = function._owner or owner, function.dygraph_function
    if input_spec is not None:
        return _recorded(function, input_spec, owner)
    problems = {p: None for each in _functions(function, owner) for p in scan(each)}
    return Explanation(sorted(problems))


def _functions(function: Any, owner: Any) -> Iterator[FunctionType]:
    """The user's functions that a call may reach: of the layers below as well."""
    methods: list[Any] = [function]
    if isinstance(owner, Layer):
        methods += [inner.forward for inner in owner.sublayers()]
    for method in methods:
        plain = method.dygraph_function if isinstance(method, StaticFunction) else method
        plain = getattr(plain, "__func__", plain)
        if isinstance(plain, FunctionType) and is_users(plain):
            yield plain


def _recorded(function: Callable[..., Any], input_spec: Any, owner: Any) -> Explanation:
    parameters, mode = Parameters(function), Explaining(Recorder(), [])
    found = Recorded(mode, parameters.with_specs(input_spec), owner)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with replace_base_mode(mode):
            ended = _record(mode, found, function, parameters)
        try:
            found.assumed.finish(found.effects)
        except OarlockError as error:
            mode.note(str(error))
    read = [p for each in _functions(function, owner) for p in scan(each)]
    silent = [p for p in read if p.silent or _is_after(p, ended)]
    known = {p.function for p in silent}
    for warning in caught:
        text = str(warning.message)
        if (
            "is not converted" in text
            and text.split(" ", maxsplit=1)[0].rpartition(".")[2] not in known
        ):
            mode.note(text)
    return Explanation(sorted({*mode.found, *silent}), found.assumed.guards(), True)


def _is_after(problem: Problem, ended: dict[tuple[str, str], int]) -> bool:
    """Whether a recording that ended did not come to it.

    ended: the lines of the functions that it was in
    """
    return problem.line > ended.get((problem.file, problem.function), problem.line)


def _record(
    mode: Explaining, found: Recorded, function: Callable[..., Any], parameters: Parameters
) -> dict[tuple[str, str], int]:
    """Record a function.

    Returns the line of each of the user's functions where an error ended it: {(file, function):
    line}.
    """
    try:
        made = found.call(function, parameters)
    except OarlockError as error:
        head, at, place = str(error).rpartition("\n  at ")
        mode.note(f"{head}{END}{at}{place}" if at else f"{error}{END}")
        return _lines(error)
    except Exception as error:
        mode.note(f"{type(error).__name__}: {error}{END}{_place(error)}")
        return _lines(error)
    try:
        refuse_lists(found.effects)
        refuse_results(pytree.flatten(made)[0])
        finish(mode.recorder, made)
    except OarlockError as error:
        mode.note(str(error))
    return {}


def _place(error: Exception) -> str:
    """The user's line that an error of Python's came from."""
    code, line = next(reversed(list(_frames(error))), (None, 0))
    if code is None:
        return ""
    name = os.path.basename(code.co_filename)
    return (
        f"\n  at {name}:{line} in {code.co_name}: "
        f"{linecache.getline(code.co_filename, line).strip()}"
    )


def _lines(error: Exception) -> dict[tuple[str, str], int]:
    """The lines of the user's functions that an error came through."""
    return {
        (os.path.basename(code.co_filename), code.co_name): line for code, line in _frames(error)
    }


def _frames(error: Exception) -> Iterator[tuple[CodeType, int]]:
    """The user's code that an error came through and the lines there, the innermost last."""
    for frame, line in walk_tb(error.__traceback__):
        if _is_users_code(frame.f_code.co_filename):
            yield frame.f_code, line


def _is_users_code(filename: str) -> bool:
    return not is_library_file(filename) and "site-packages" not in filename
