"""Type checkers accept the code of the documentation: the pages, and the examples of docstrings.

Functions in it have no annotations, which `mypy --strict` does not allow: it is checked like
annotated code.
"""

from __future__ import annotations

import doctest
import functools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.api.public_names import public_names
from tests.tools import typing_tree

CODE = typing_tree.ROOT / "build" / "documented_code"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
PAGES = sorted(
    path
    for path in [typing_tree.ROOT / "README.md", *(typing_tree.ROOT / "docs").glob("*.md")]
    if BLOCK.search(path.read_text())
)
IMPORTS = """\
import numpy as np
import oarlock as paddle
import oarlock.nn as nn
import oarlock.nn.functional as F
"""
# Errors that are expected: regular expressions of the program, the line and the message, and why.
EXPECTED = {
    r"(paddle1|adding_an_op)\.py .*": "imports PaddlePaddle",
    r".* np\.float32\(\[.*": "NumPy declares that its scalar types take numbers",
    r"nn\.Layer\.(add_parameter|add_sublayer|register_buffer) .*": "an attribute that is registered "
    "by name; a class declares it",
    r".* (var-annotated|Need type annotation).*": "mypy asks for the type of an empty list",
    r".*(StaticFunction|concrete_program|get_traced_count).*": "`to_static` keeps the function's type",
    r".*possibly unbound.*": "a variable that a loop sets",
    r".*\"get_value\".*|.*OutputWrapper\(None.*": "the class that static programs create; unused fields",
    r"distribution\.ExponentialFamily.*": "attributes instead of properties, in private hooks",
    r"distribution\.Distribution .*": "a subclass without annotations gets those of its base",
    r"quantization\.BaseObserver .*known attribute of \"None\".*": "an attribute that a method sets",
    r"jit\.ignore_module .*import numpydoc.*|vision\.MNIST .*write.*": "modules without types",
}


def write_programs() -> dict[tuple[str, int], str]:
    """Write the programs; return the name and the text of each line by file and number."""
    CODE.mkdir(parents=True, exist_ok=True)
    for old in CODE.glob("*.py"):
        old.unlink()
    parser = doctest.DocTestParser()
    examples, owners = IMPORTS.splitlines(), [""] * IMPORTS.count("\n")
    for number, entry in enumerate(public_names()):
        sources = [example.source for example in parser.get_examples(entry.docstring)]
        if sources:
            lines = [f"def example_{number}():", *"".join(sources).splitlines()]
            examples += [lines[0], *(f"    {line}" for line in lines[1:])]
            owners += [entry.name] * len(lines)
    (CODE / "examples.py").write_text("\n".join(examples) + "\n")
    found = {
        ("examples.py", number): f"{owner} {line.strip()}"
        for number, (owner, line) in enumerate(zip(owners, examples, strict=True), 1)
    }
    for page in PAGES:
        name = page.stem.replace("-", "_") + ".py"
        text = "\n".join(BLOCK.findall(page.read_text()))
        (CODE / name).write_text(text)
        found |= {
            (name, number): f"{name} {line.strip()}"
            for number, line in enumerate(text.splitlines(), 1)
        }
    return found


@functools.cache
def lines_of_programs() -> dict[tuple[str, int], str]:
    """Write the programs once, and the tree of the package."""
    if not typing_tree.TREE.exists():
        typing_tree.make()
    return write_programs()


def unexpected(errors: list[tuple[str, int, str]]) -> list[str]:
    """Return the errors that are not expected."""
    texts = [f"{lines_of_programs()[file, line]}: {text}" for file, line, text in errors]
    return [
        text
        for text in texts
        if not any(re.fullmatch(expected, text, re.DOTALL) for expected in EXPECTED)
    ]


@pytest.mark.slow
def test_mypy_accepts_documented_code() -> None:
    lines_of_programs()
    options = "--strict --allow-untyped-defs --allow-incomplete-defs --allow-untyped-calls"
    cache = ["--cache-dir", str(typing_tree.ROOT / "build" / "mypy")]
    run = subprocess.run(
        [sys.executable, "-m", "mypy", *options.split(), *cache, str(CODE)],
        capture_output=True,
        text=True,
        env=os.environ | {"MYPYPATH": str(typing_tree.TREE)},
        check=False,
    )
    found = re.findall(r"([^/\n]+\.py):(\d+): error: (.*)", run.stdout)
    assert found, run.stdout + run.stderr
    unknown = unexpected([(file, int(line), text) for file, line, text in found])
    assert not unknown, "\n".join(unknown)


@pytest.mark.slow
def test_pyright_accepts_documented_code() -> None:
    lines_of_programs()
    config = CODE / "pyrightconfig.json"
    settings = {
        "include": [str(CODE)],
        "extraPaths": [str(typing_tree.TREE)],
        "typeCheckingMode": "standard",
        "pythonVersion": "3.11",
    }
    config.write_text(json.dumps(settings))
    command = [sys.executable, "-m", "basedpyright", "--project", str(config), "--outputjson"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    found = [
        (
            Path(problem["file"]).name,
            problem["range"]["start"]["line"] + 1,
            problem["message"],
        )
        for problem in json.loads(run.stdout)["generalDiagnostics"]
        if problem["severity"] == "error"
    ]
    unknown = unexpected(found)
    assert not unknown, "\n".join(unknown)
