"""`oarlock explain`: what of a script's class or function cannot become a program, and what to do
about it.
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
from ..utils.terminal import console


def explain_script(target: str, inputs: list[str]) -> int:
    """Print all problems of `script.py:Name`; gives how many there are.

    inputs: `x:float32[None,4]`, in the order of the arguments
    """
    path, _, name = target.rpartition(":")
    if not path or not name:
        raise OpError(f"explain: {target!r} should be script.py:Name")
    found = explain(_target(_module(path), name), [spec_of(text) for text in inputs] or None)
    _show(target, found)
    return len(found.problems)


def _module(path: str) -> ModuleType:
    """The script as a module; what it keeps under `if __name__ == "__main__"` does not run."""
    if not Path(path).is_file():
        raise OpError(f"explain: there is no file {path}")
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    folder = str(Path(path).resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)  # as `python script.py` has it
    spec.loader.exec_module(module)
    return module


def _target(module: ModuleType, name: str) -> Any:
    found: Any = module
    for part in name.split("."):
        if isinstance(found, type) and issubclass(found, Layer):
            found = _made(found, name)
        if not hasattr(found, part):
            raise OpError(f"explain: {module.__file__} has no {name}")
        found = getattr(found, part)
    found = _made(found, name) if isinstance(found, type) else found
    if not callable(found):
        raise OpError(f"explain: {name} is {type(found).__name__}, neither a Layer nor a function")
    return found


def _made(kind: type, name: str) -> Any:
    try:
        return kind()
    except TypeError as error:
        raise OpError(
            f"explain: {name}() cannot be made ({error}); name a variable of the script "
            f"that holds one"
        ) from None


def spec_of(text: str) -> InputSpec:
    """`x:float32[None,4]`, or without the name.   Raises OpError."""
    found = re.fullmatch(r"\s*(?:(\w+)\s*:)?\s*(\w+)\s*\[([^\]]*)\]\s*", text)
    if found is None:
        raise OpError(f"explain: {text!r} should be like x:float32[None,4]")
    sizes = [s.strip() for s in found[3].split(",") if s.strip()]
    wrong = [s for s in sizes if s not in ("None", "?", "-1") and not s.isdigit()]
    if wrong:
        raise OpError(f"explain: {text!r}: the sizes {wrong} are neither numbers nor None")
    return InputSpec([int(s) if s.isdigit() else None for s in sizes], found[2], found[1])


def _show(target: str, found: Explanation) -> None:
    out = console(soft_wrap=True, highlight=False, markup=False)
    for problem in found.problems:
        out.print(problem.where, style="bold")
        if problem.text:
            out.print(f"    {problem.text}")
        lines = problem.cause.splitlines()
        out.print(f"  cause: {lines[0]}")
        for line in lines[1:]:
            out.print(f"         {line.strip()}")
        if problem.fix:
            out.print(f"  fix:   {problem.fix}")
    if found.guards:
        out.print("assumed of Python, another value makes another program:")
        for guard in found.guards:
            out.print(f"  {guard.var} = {guard.expected}")
    how = (
        "recorded"
        if found.recorded
        else ("only read; --input 'x:float32[None,4]' records it as well")
    )
    count = len(found.problems)
    said = "no problems" if not count else "1 problem" if count == 1 else f"{count} problems"
    out.print(f"{target}: {said} ({how})")
