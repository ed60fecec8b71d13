"""`oarlock explain`: list the statements of a script's class or function that cannot be captured,
with cause and fix.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from ..core.errors import OpError
from ..ir.input_spec import InputSpec
from ..jit.explain import Explanation, explain
from ..nn.layer import Layer
from ..utils.terminal import make_console
from .command_line import CommandLineError


def explain_script(target: str, inputs: list[str]) -> int:
    """Print all problems that prevent the capture of the function or Layer `script.py:Name`.
    Returns their number.

    inputs: specs such as `x:float32[None,4]`, in the order of the arguments
    """
    path, _, name = target.rpartition(":")
    if not path or not name:
        raise CommandLineError(f"the target must have the form script.py:Name, not {target!r}")
    specs = [parse_input_spec(text) for text in inputs]
    explanation = explain(_find_or_instantiate_callable(_import_script(path), name), specs or None)
    _print_explanation(target, explanation)
    return len(explanation.problems)


def _import_script(path: str) -> ModuleType:
    """Import the script; its `__name__` is not "__main__"."""
    if not Path(path).is_file():
        raise OpError(f"explain: there is no file {path}")
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    folder = str(Path(path).resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)  # as in `python script.py`
    spec.loader.exec_module(module)
    return module


def _find_or_instantiate_callable(module: ModuleType, name: str) -> Any:
    """Return the callable with the dotted name `name` in a module. Layer classes on the dotted
    path, and a class of any kind at its end, are instantiated without arguments.
    """
    target: Any = module
    for part in name.split("."):
        if isinstance(target, type) and issubclass(target, Layer):
            target = _instantiate_without_arguments(target, name)
        if not hasattr(target, part):
            raise OpError(f"explain: {module.__file__} has no {name}")
        target = getattr(target, part)
    target = _instantiate_without_arguments(target, name) if isinstance(target, type) else target
    if not callable(target):
        raise OpError(f"explain: {name} is {type(target).__name__}, neither a Layer nor a function")
    return target


def _instantiate_without_arguments(cls: type, name: str) -> Any:
    try:
        return cls()
    except TypeError as error:
        raise OpError(
            f"explain: {name}() failed ({error}); name a variable of the script that holds an "
            f"instance"
        ) from None


def parse_input_spec(text: str) -> InputSpec:
    """Parse `x:float32[None,4]` or `float32[None,4]`. Raises CommandLineError for a text of another
    form."""
    match = re.fullmatch(r"\s*(?:(\w+)\s*:)?\s*(\w+)\s*\[([^\]]*)\]\s*", text)
    if match is None:
        raise CommandLineError(f"--input requires x:float32[None,4], not {text!r}")
    sizes = [s.strip() for s in match[3].split(",") if s.strip()]
    invalid = [s for s in sizes if s not in ("None", "?", "-1") and not s.isdigit()]
    if invalid:
        raise CommandLineError(
            f"--input {text!r}: the sizes {invalid} are neither numbers nor None"
        )
    return InputSpec([int(s) if s.isdigit() else None for s in sizes], match[2], match[1])


def _print_explanation(target: str, explanation: Explanation) -> None:
    out = make_console(soft_wrap=True, highlight=False, markup=False)
    for problem in explanation.problems:
        out.print(problem.where, style="bold")
        if problem.source_line:
            out.print(f"    {problem.source_line}")
        lines = problem.cause.splitlines()
        out.print(f"  cause: {lines[0]}")
        for line in lines[1:]:
            out.print(f"         {line.strip()}")
        if problem.fix:
            out.print(f"  fix:   {problem.fix}")
    if explanation.guards:
        out.print("guards (another value of one of these needs another program):")
        for guard in explanation.guards:
            out.print(f"  {guard.var} = {guard.expected}")
    method = (
        "recorded"
        if explanation.is_captured
        else ("only read; --input 'x:float32[None,4]' records it as well")
    )
    count = len(explanation.problems)
    summary = "no problems" if not count else "1 problem" if count == 1 else f"{count} problems"
    out.print(f"{target}: {summary} ({method})")
