"""Explain why a function cannot be captured: list all problems, by continuing after each error, or
by reading the source alone.
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
from ..core.errors import OarlockError, is_oarlock_internal_file, user_line
from ..core.mode import use_base_mode
from ..ir.program import Guard
from ..nn.layer import Layer
from .call_arguments import FunctionParameters
from .concrete_program import reject_invalid_results
from .convert.source_scan import CaptureProblem, scan_function_and_callees
from .guards.side_effects import reject_effects_assigning_tensor_arrays
from .guards.user_code import is_convertible_function
from .layer_capture import rename_and_fetch_outputs_and_make_contract
from .operators.calls import convert_if_user_code
from .static_call_capture import StaticCallCapture
from .static_function import StaticFunction

FIX_BY_ERROR_PATTERN = {
    r"sorted\(\)": "use paddle.sort or paddle.argsort",
    r"the dtypes differ": "cast one of the values, with astype",
    r"the numbers of axes differ": "reshape one of the values, or reduce both",
    r"the value of .* is not known": "use tensors and paddle's functions, or compute it "
    "outside and pass it in",
    r"the number of (rows|items) is known only": "use a `for` statement, or give the size in the "
    "input's shape",
    r"has a value only if": "assign the variable before the `if`",
    r"not every path through": "return a value at the end of the function as well",
    r"only tensors and numbers": "choose the value before the branch or loop, or convert it to "
    "a tensor",
    r"different structures": "return the same structure from both branches",
    r"is not one of its results": "assign the value to a variable instead",
    r"is not converted": "put the function in a file; until then, Python runs its control flow",
    r"raise: ": "put the `raise` under an `if`",
    r"whose length is known only at run time": "stack or concatenate the list",
    r"stores values": "return the values instead",
}

SOURCE_ONLY_NOTE = "; the code after it was only scanned, not executed"


@dataclass
class Explanation:
    """The result of `explain`.

    problems: the problems, ordered by line.
    guards: the guards on Python state that the capture recorded.
    is_captured: whether the function was captured, even if the capture ended with an error; False
    if `explain` only read the source.
    """

    problems: list[CaptureProblem] = field(default_factory=list)
    guards: list[Guard] = field(default_factory=list)
    is_captured: bool = False


class ExplainMode(Static):
    """A mode that collects the errors of a capture and continues after each."""

    continues = True

    def __init__(self, recorder: Recorder, problems: list[CaptureProblem]) -> None:
        super().__init__(recorder, convert_if_user_code, True)
        self.problems = problems

    def mode_with_tape_set(self, tape: bool) -> ExplainMode:
        """Return an ExplainMode for the same recording, with or without autograd."""
        result = ExplainMode(self.recorder, self.problems)
        result.tape, result.caller_has_tape = tape, self.caller_has_tape
        return result

    def raise_error_unless_collecting(self, error: Exception, replacement: Any) -> Any:
        """Collect an error, and return `replacement`, the value with which the capture
        continues.
        """
        self.add_problem(str(error))
        return replacement

    def add_problem(self, message: str) -> None:
        """Add a problem unless one with the same line and cause exists."""
        result = make_problem_from_error_message(message)
        if all(_problem_key(result) != _problem_key(other) for other in self.problems):
            self.problems.append(result)


def _problem_key(problem: CaptureProblem) -> tuple[Any, ...]:
    """Return a key that is equal for problems that differ only in variable names."""
    return problem.file, problem.line, re.sub(r"'[^']*'", "", problem.cause)


def make_problem_from_error_message(message: str) -> CaptureProblem:
    """Return the problem that an error message describes. The location of the problem is the one at
    the end of the message, or else the current line of the user's code.
    """
    head, _, place = message.rpartition("\n  at ")
    location_match = re.match(r"(.+?):(\d+) in (\S+?)(?:: (.*))?$", place)
    if location_match is None:
        line = user_line()
        head, location = (
            message,
            (line.file, line.lineno, line.function, line.text) if line else ("", 0, "", ""),
        )
    else:
        location = (
            location_match[1],
            int(location_match[2]),
            location_match[3],
            location_match[4] or "",
        )
    fix = next(
        (f for pattern, f in FIX_BY_ERROR_PATTERN.items() if re.search(pattern, head, re.DOTALL)),
        "",
    )
    return CaptureProblem(*location, head.strip(), fix)


def explain(target: Any, input_spec: Any = None) -> Explanation:
    """Return all problems of capturing a function, a method, a StaticFunction or a Layer.

    input_spec: as for `to_static`. Without input_spec, the function is not captured; only its
    source is read.
    """
    owner = target if isinstance(target, Layer) else getattr(target, "__self__", None)
    function = target.forward if isinstance(target, Layer) else target
    if isinstance(function, StaticFunction):
        input_spec = function._input_spec if input_spec is None else input_spec
        owner, function = function._owner or owner, function.dygraph_function
    if input_spec is not None:
        return _explain_capture(function, input_spec, owner)
    problems = {
        p: None
        for each in _iter_function_and_sublayer_forwards(function, owner)
        for p in scan_function_and_callees(each)
    }
    return Explanation(sorted(problems))


def _iter_function_and_sublayer_forwards(function: Any, owner: Any) -> Iterator[FunctionType]:
    """Yield `function` and the `forward` of each sublayer of `owner`, without functions that are
    not the user's code.
    """
    methods: list[Any] = [function]
    if isinstance(owner, Layer):
        methods += [inner.forward for inner in owner.sublayers()]
    for method in methods:
        plain = method.dygraph_function if isinstance(method, StaticFunction) else method
        plain = getattr(plain, "__func__", plain)
        if isinstance(plain, FunctionType) and is_convertible_function(plain):
            yield plain


def _explain_capture(function: Callable[..., Any], input_spec: Any, owner: Any) -> Explanation:
    parameters, mode = FunctionParameters(function), ExplainMode(Recorder(), [])
    capture = StaticCallCapture(mode, parameters.arguments_from_specs(input_spec), owner)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with use_base_mode(mode):
            last_lines = _capture_function_collecting_problems(mode, capture, function, parameters)
        try:
            capture.guards.select_guards_after_capture(capture.side_effects)
        except OarlockError as error:
            mode.add_problem(str(error))
    read = [
        p
        for each in _iter_function_and_sublayer_forwards(function, owner)
        for p in scan_function_and_callees(each)
    ]
    silent = [p for p in read if p.is_silent or _is_after_last_captured_line(p, last_lines)]
    known = {p.function for p in silent}
    for warning in caught:
        text = str(warning.message)
        if (
            "is not converted" in text
            and text.split(" ", maxsplit=1)[0].rpartition(".")[2] not in known
        ):
            mode.add_problem(text)
    return Explanation(sorted({*mode.problems, *silent}), capture.guards.to_user_guards(), True)


def _is_after_last_captured_line(
    problem: CaptureProblem, last_lines: dict[tuple[str, str], int]
) -> bool:
    """Whether a problem found in the source is in a function whose capture ended with an error,
    after the line of the error.

    last_lines: the last line of each function
    """
    return problem.line > last_lines.get((problem.file, problem.function), problem.line)


def _capture_function_collecting_problems(
    mode: ExplainMode,
    capture: StaticCallCapture,
    function: Callable[..., Any],
    parameters: FunctionParameters,
) -> dict[tuple[str, str], int]:
    """Capture a function and collect its problems.

    Returns the last line that was reached in each of the user's functions which an error ended:
    {(file, function): line}.
    """
    try:
        result = capture.call_function(function, parameters)
    except OarlockError as error:
        head, at, place = str(error).rpartition("\n  at ")
        mode.add_problem(
            f"{head}{SOURCE_ONLY_NOTE}{at}{place}" if at else f"{error}{SOURCE_ONLY_NOTE}"
        )
        return _user_lines_of_error(error)
    except Exception as error:
        mode.add_problem(
            f"{type(error).__name__}: {error}{SOURCE_ONLY_NOTE}"
            f"{_format_error_location_suffix(error)}"
        )
        return _user_lines_of_error(error)
    try:
        reject_effects_assigning_tensor_arrays(capture.side_effects)
        reject_invalid_results(pytree.flatten(result)[0])
        rename_and_fetch_outputs_and_make_contract(mode.recorder, result)
    except OarlockError as error:
        mode.add_problem(str(error))
    return {}


def _format_error_location_suffix(error: Exception) -> str:
    """Return the end of an error message, ` at file:line in function: source`, for the user's line
    that raised an error of Python.
    """
    code, line = next(reversed(list(_iter_user_code_and_lines_of_error(error))), (None, 0))
    if code is None:
        return ""
    name = os.path.basename(code.co_filename)
    return (
        f"\n  at {name}:{line} in {code.co_name}: "
        f"{linecache.getline(code.co_filename, line).strip()}"
    )


def _user_lines_of_error(error: Exception) -> dict[tuple[str, str], int]:
    """Return the lines of the user's functions in the traceback of an error."""
    return {
        (os.path.basename(code.co_filename), code.co_name): line
        for code, line in _iter_user_code_and_lines_of_error(error)
    }


def _iter_user_code_and_lines_of_error(error: Exception) -> Iterator[tuple[CodeType, int]]:
    """Yield the user's code in the traceback of an error with its lines, the innermost last."""
    for frame, line in walk_tb(error.__traceback__):
        if _is_user_file(frame.f_code.co_filename):
            yield frame.f_code, line


def _is_user_file(filename: str) -> bool:
    return not is_oarlock_internal_file(filename) and "site-packages" not in filename
