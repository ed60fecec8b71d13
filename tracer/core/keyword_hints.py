"""Hints about keywords of other frameworks in calls of public functions.

Python raises the TypeError of an unknown keyword before the function runs, and a wrapper around
each function would make every call slower. So the hint is added as a note when the error is shown,
by `sys.excepthook` or IPython.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import re
import sys
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any

# Keyword of another framework -> Paddle's keyword.
KEYWORDS = {
    "affine": "weight_attr",
    "batch_first": "time_major",
    "betas": "beta1",
    "bias": "bias_attr",
    "device": "place",
    "dim": "axis",
    "dim0": "perm",
    "dims": "axis",
    "elementwise_affine": "weight_attr",
    "eps": "epsilon",
    "epoch": "epochs",
    "input": "x",
    "keepdims": "keepdim",
    "lr": "learning_rate",
    "other": "y",
    "params": "parameters",
    "requires_grad": "stop_gradient",
    "size": "shape",
    "train_loader": "train_data",
}
# What else differs.
NOTES = {
    "affine": "weight_attr=False and bias_attr=False switch the scale and the shift off",
    "batch_first": "its meaning is the opposite, and its default is False",
    "betas": "pass beta1 and beta2",
    "bias": "bias_attr=False switches the bias off",
    "elementwise_affine": "weight_attr=False and bias_attr=False switch the scale and shift off",
    "lr": "it is the first argument, the parameters are passed as parameters=layer.parameters()",
    "requires_grad": "its meaning is the opposite",
}
INPLACE_HINT = (
    "leave it out; functions whose names end in an underscore, such as F.relu_, work in place"
)
SIZES_HINT = "pass the sizes or axes as one list, such as {name}([2, 3])"
# Functions that take a list where PyTorch also takes several numbers.
_LIST_FUNCTIONS = frozenset(
    [
        "empty",
        "expand",
        "flip",
        "ones",
        "rand",
        "randn",
        "reshape",
        "squeeze",
        "tile",
        "transpose",
        "unsqueeze",
        "view",
        "zeros",
    ]
)
_TOO_MANY = re.compile(r"(\w+)\(\) takes .*positional arguments? but \d+ were given")
# Python 3.13 appends a guess.
_MESSAGE = re.compile(
    r"(?:(\w+)\.)?(\w+)\(\) got an unexpected keyword argument '(\w+)'(\. Did you mean .*)?"
)

# The packages whose functions, classes and methods a message may mean, if they are imported.
PACKAGES = (
    "oarlock",
    *(f"oarlock.{n}" for n in ["nn", "nn.functional", "optimizer", "optimizer.lr"]),
)

Show = Callable[[type[BaseException], BaseException, TracebackType | None], Any]


def keyword_hint(message: str) -> str | None:
    """Return the hint for the message of a TypeError, or None."""
    too_many = _TOO_MANY.fullmatch(message)
    if too_many and too_many[1] in _LIST_FUNCTIONS:
        return SIZES_HINT.format(name=too_many[1])
    match = _MESSAGE.fullmatch(message)
    if match is None:
        return None
    owner, function, keyword, guess = match.groups()
    candidates = list(_functions_named(owner, function))
    if keyword == "inplace" and candidates:
        return INPLACE_HINT
    parameters = {name for found in candidates for name in parameters_of(found)}
    wanted = KEYWORDS.get(keyword)
    if wanted in parameters:
        note = f"; {NOTES[keyword]}" if keyword in NOTES else ""
        return f"Paddle calls this argument {wanted!r}{note}"
    import difflib  # noqa: PLC0415 - slow to import, used only here

    similar = difflib.get_close_matches(keyword, sorted(parameters), 1)
    return f"did you mean {similar[0]!r}?" if similar and not guess else None


def _functions_named(owner: str | None, name: str) -> Iterator[Any]:
    """Yield the public functions, methods and classes that a message names `name()` or
    `owner.name()`.
    """
    for package in PACKAGES:
        names = vars(sys.modules.get(package, object))
        if owner is not None:
            yield vars(names.get(owner, object)).get(name)
        else:
            yield names.get(name)
            yield vars(names.get("Tensor", object)).get(name)


def parameters_of(function: Any) -> tuple[str, ...]:
    """Return the names of the parameters, none if the signature is unknown."""
    try:
        return tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return ()


def add_hint(error: BaseException) -> None:
    """Add a hint to an error as a note, if there is one."""
    if isinstance(error, TypeError) and not hasattr(error, "__notes__"):
        hint = keyword_hint(str(error))
        if hint and not _calls_other_function(error):
            error.add_note(f"hint: {hint}")


def _calls_other_function(error: BaseException) -> bool:
    """Whether the call that raised a TypeError is one of a function of the user, which may have the
    name of a public function. If the function cannot be determined, it is a public one.
    """
    match = _MESSAGE.fullmatch(str(error)) or _TOO_MANY.fullmatch(str(error))
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if match is None or traceback is None:
        return False
    owner, function = match.groups()[:2] if match.re is _MESSAGE else (None, match[1])
    try:
        callee = _evaluate_callee(traceback)
    except (AttributeError, LookupError, StopIteration, SyntaxError, ValueError):
        return False
    public = list(_functions_named(owner, function))
    kind = callee if isinstance(callee, type) else type(callee)
    method = inspect.getattr_static(kind, function, None)
    return not any(found is callee or found is method for found in public if found is not None)


def _evaluate_callee(traceback: TracebackType) -> Any:
    """Return the function that the innermost frame calls, without running code of the user. Raises
    an error if it is not a name, or an attribute of a name.
    """
    frame = traceback.tb_frame
    positions = list(frame.f_code.co_positions())[traceback.tb_lasti // 2]
    first, last, start, end = positions
    lines = [
        linecache.getline(frame.f_code.co_filename, n) for n in range(first or 0, (last or 0) + 1)
    ]
    lines[-1] = lines[-1].encode()[:end].decode()
    lines[0] = lines[0].encode()[start:].decode()
    call = ast.parse(f"({''.join(lines)})", mode="eval").body
    if not isinstance(call, ast.Call):
        raise LookupError
    names: list[str] = []
    node = call.func
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        raise LookupError
    scopes = (frame.f_locals, frame.f_globals, frame.f_builtins)
    value = next(scope[node.id] for scope in scopes if node.id in scope)
    for name in reversed(names):
        value = inspect.getattr_static(value, name)
    return value


def show_hints_with_errors() -> None:
    """Add hints to errors that nothing catches, when they are shown."""
    show: Show = sys.excepthook

    def show_with_hint(
        kind: type[BaseException], error: BaseException, traceback: TracebackType | None
    ) -> None:
        add_hint(error)
        show(kind, error, traceback)

    sys.excepthook = show_with_hint
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is not None and not shell.custom_exceptions:

        def show_in_shell(
            shell: Any, kind: Any, error: Any, traceback: Any, tb_offset: int | None = None
        ) -> None:
            add_hint(error)
            shell.showtraceback((kind, error, traceback), tb_offset=tb_offset)

        shell.set_custom_exc((TypeError,), show_in_shell)
