"""The conversion uses the source from which a function was compiled, also if the file was edited
since.
"""

from __future__ import annotations

import ast
import asyncio
import importlib
import linecache
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import oarlock as paddle
from oarlock.jit import to_static

NAME = "edited_while_a_session_goes_on"


def text(body: str) -> str:
    return f"def f(x):\n    if x.sum() > 0:\n        return {body}\n    return x\n"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield tmp_path / f"{NAME}.py"
    sys.modules.pop(NAME, None)


def result(function: Any) -> Any:
    return to_static(function)(paddle.to_tensor([1.0, 2.0])).tolist()


def test_reloaded_module_is_converted_again(file: Path) -> None:
    file.write_text(text("x * 2"))
    module = importlib.import_module(NAME)
    assert result(module.f) == [2.0, 4.0]
    file.write_text(text("x * 3  # longer"))
    importlib.reload(module)
    assert result(module.f) == [3.0, 6.0]


@pytest.mark.parametrize(
    "other",
    [
        "x * 3  # another number",
        "x / 2  # another operator",
        "x.exp() * 2",
        "2 - x  # turned round",
    ],
)
def test_edited_function_is_not_converted(file: Path, other: str) -> None:
    file.write_text(text("x * 2"))
    module = importlib.import_module(NAME)
    file.write_text(text(other))
    with (
        pytest.warns(UserWarning, match=f"{NAME}.py was edited after the function f was compiled"),
        pytest.raises(paddle.core.errors.TraceError, match="f is not converted"),
    ):
        result(module.f)


def test_unedited_functions_of_an_edited_file(file: Path) -> None:
    file.write_text(text("x * 2") + "\n\ndef g(x):\n    return x\n")
    module = importlib.import_module(NAME)
    file.write_text(text("x * 2") + "\n\ndef g(x):\n    return x + 1\n")
    assert result(module.f) == [2.0, 4.0]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("y = scale(x)\n    return y + 1", "y = x\n    return y + 1"),
        ("y = x * 1\n    return y + 1", "y = x\n    return y + y"),
        ("z = x\n    y = x\n    return y + z", "y = x\n    return y"),
        ("return (lambda a: a + 1)(x)", "return (lambda a: a + 2)(x)"),
    ],
)
def test_edit_that_removes_lines(file: Path, first: str, then: str) -> None:
    before = "def scale(x):\n    return x * 10\n\ndef f(x):\n    "
    file.write_text(before + first + "\n")
    module = importlib.import_module(NAME)
    wanted = module.f(paddle.to_tensor([1.0, 2.0])).tolist()
    file.write_text(before + then + "\n")
    with pytest.warns(UserWarning, match=f"{NAME}.py was edited after the function f was compiled"):
        assert result(module.f) == wanted


def test_function_with_rewritten_assert() -> None:
    def f(x: Any) -> Any:
        assert x.shape == [2], "two"
        if x.sum() > 0:
            return x * 2
        return x

    assert any(name.startswith("@py") for name in f.__code__.co_names + f.__code__.co_varnames)
    assert result(f) == [2.0, 4.0]


def test_notebook_cell_with_top_level_await() -> None:
    text = "import asyncio\ndef f(x):\n    if x.sum() > 0:\n        return x * 2\n    return x\nawait asyncio.sleep(0)\n"
    name = "<a cell of a notebook>"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    code = compile(text, name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    names: dict[str, Any] = {"__name__": "__main__"}
    try:
        asyncio.run(eval(code, names))
        assert result(names["f"]) == [2.0, 4.0]
    finally:
        del linecache.cache[name]
