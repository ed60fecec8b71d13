"""Docstrings of public names describe every parameter and the result, and their examples run.

They are in NumPy style, with the additional section `Shape`.
"""

from __future__ import annotations

import doctest
import inspect
import io
import random
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpydoc.docscrape import NumpyDocString

import oarlock
from oarlock import nn
from tests.api.public_names import PublicName, public_names

MODULES = sorted({name.module for name in public_names()})


class Docstring(NumpyDocString):  # type: ignore[misc]
    """A parsed docstring, which may have a section `Shape`."""

    sections = {**NumpyDocString.sections, "Shape": []}


def signature_of(name: PublicName) -> list[str]:
    """Return the names of the parameters, without the object that a method belongs to."""
    value: Any = name.value.__init__ if inspect.isclass(name.value) else name.value
    if isinstance(value, property) or value in (object.__init__, Enum.__init__):
        return []
    return [
        {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "") + p.name
        for p in inspect.signature(value).parameters.values()
        if p.name not in ("self", "cls")
    ]


def returns_nothing(name: PublicName) -> bool:
    """Whether a call has no result to describe."""
    if inspect.isclass(name.value):
        return True
    getter = name.value.fget if isinstance(name.value, property) else name.value
    return getattr(getter, "__annotations__", {}).get("return") in ("None", "NoReturn", None)


def faults_of(name: PublicName) -> Iterator[str]:
    """Yield what is missing in a docstring."""
    if not name.docstring:
        yield "there is no docstring"
        return
    parsed = Docstring(name.docstring)
    summary = " ".join(parsed["Summary"])
    if not summary.endswith("."):
        yield "the first paragraph does not end with a full stop"
    described = [part.strip() for p in parsed["Parameters"] for part in p.name.split(",")]
    if described != signature_of(name):
        yield f"describes the parameters {described}, and has {signature_of(name)}"
    if any(not p.desc for p in parsed["Parameters"] if p.name != "name" and not p.type):
        yield "a parameter has neither type nor description"
    errors = [part.strip() for p in parsed["Raises"] for part in p.type.split(",")]
    if len(errors) != len(set(errors)):
        yield f"lists an error twice under Raises: {errors}"
    is_property = isinstance(name.value, property)
    if not (parsed["Returns"] or parsed["Yields"] or is_property or returns_nothing(name)):
        yield "does not describe the result"
    if not any(">>> " in line for line in parsed["Examples"]):
        yield "has no example"


def failed_examples_of(name: PublicName) -> str:
    """Run the examples of a docstring and return the report of those that fail."""
    np.random.seed(0)
    random.seed(0)
    oarlock.seed(0)
    names = {"paddle": oarlock, "nn": nn, "F": nn.functional, "np": np}
    examples = doctest.DocTestParser().get_doctest(name.docstring, names, name.name, None, None)
    report = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    runner.run(examples, out=report.write)
    return report.getvalue()


def names_of(module: str) -> list[PublicName]:
    """Return the public names that a module defines."""
    return [name for name in public_names() if name.module == module]


@pytest.mark.parametrize("module", MODULES)
def test_docstrings_are_complete(module: str) -> None:
    faults = [f"{name.name}: {fault}" for name in names_of(module) for fault in faults_of(name)]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("module", MODULES)
def test_examples_run(module: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    failed = [report for name in names_of(module) if (report := failed_examples_of(name))]
    assert not failed, "\n".join(failed)
