"""Errors of typical mistakes say what is wrong and what to do."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import oarlock
from oarlock import nn
from oarlock.core import keyword_hints, name_hints

from .mistakes import MISTAKES, error_of


@pytest.mark.parametrize("name", MISTAKES)
def test_error_names_mistake(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert MISTAKES[name].words in error_of(name)


def test_there_are_sixty_mistakes() -> None:
    assert len(MISTAKES) >= 60


@pytest.mark.parametrize(
    ("value", "alternatives"),
    [
        (oarlock.Tensor, name_hints.TENSOR_ATTRIBUTES),
        (nn.Layer, name_hints.LAYER_ATTRIBUTES),
        (oarlock.optimizer.Optimizer, name_hints.OPTIMIZER_ATTRIBUTES),
        (oarlock.Model, name_hints.MODEL_ATTRIBUTES),
        *((import_module(name), table) for name, table in name_hints.PACKAGE_ATTRIBUTES.items()),
    ],
)
def test_names_with_alternatives_do_not_exist(value: object, alternatives: dict[str, str]) -> None:
    """A name that is added to the package is removed from the table of alternatives."""
    assert not [name for name in alternatives if hasattr(value, name)]


def test_missing_attributes_are_not_listed() -> None:
    assert not {*dir(oarlock.ones([1]))} & {*name_hints.TENSOR_ATTRIBUTES}
    assert "transpose" in dir(oarlock.ones([1]))


def test_layers_may_have_attributes_of_these_names() -> None:
    layer = nn.Linear(2, 2)
    layer.modules = [1]
    assert layer.modules == [1]


@pytest.mark.parametrize("wanted", sorted(set(keyword_hints.KEYWORDS.values())))
def test_keywords_in_hints_exist(wanted: str) -> None:
    """Each keyword that a hint names is a parameter of a public function or class."""
    packages = (oarlock, nn, nn.functional, oarlock.optimizer, oarlock.Model)
    functions = [f for package in packages for f in vars(package).values() if callable(f)]
    assert any(wanted in keyword_hints.parameters_of(function) for function in functions)


def test_hint_follows_the_traceback() -> None:
    code = "import oarlock as paddle; paddle.ones([2, 3]).sum(dim=0)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.stderr.endswith("'dim'\nhint: Paddle calls this argument 'axis'\n")


@pytest.mark.parametrize(("name", "guess"), [("cat", False), ("zeros_lik", True)])
def test_python_guesses_only_without_alternative(name: str, guess: bool) -> None:
    code = f"import oarlock as paddle; paddle.{name}"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ("Did you mean" in run.stderr) == guess


def test_errors_of_other_functions_get_no_hint() -> None:
    error = TypeError("my_function() got an unexpected keyword argument 'dim'")
    keyword_hints.add_hint(error)
    assert not hasattr(error, "__notes__")


class Linear:
    """A class of a user with the name of a public one."""

    def __init__(self, size: int, bias_attr: object = None) -> None: ...

    def sum(self, axis: int) -> None: ...


class Derived(nn.Linear):
    """A public class whose constructor is called by a user's one."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)


def softmax(x: object, axis: int) -> None:
    """A function of a user with the name of a public one."""


x = oarlock.ones([2, 3])
layer = nn.Linear(3, 2)
user_module = ModuleType("user_module")
user_module.softmax = softmax  # type: ignore[attr-defined]
paddle_softmax = nn.functional.softmax


@pytest.mark.parametrize(
    "call",
    [
        lambda: Linear(2, bias=False),  # type: ignore[call-arg]
        lambda: Linear(2).sum(dim=1),  # type: ignore[call-arg]
        lambda: softmax(x, dim=1),  # type: ignore[call-arg]
        lambda: user_module.softmax(x, dim=1),
        lambda: Linear.sum(Linear(2), dim=1),  # type: ignore[call-arg]
    ],
)
def test_functions_of_the_user_with_public_names_get_no_hint(call: Callable[[], Any]) -> None:
    with pytest.raises(TypeError, match="unexpected keyword") as caught:
        call()
    keyword_hints.add_hint(caught.value)
    assert not hasattr(caught.value, "__notes__")


@pytest.mark.parametrize(
    "call",
    [
        lambda: oarlock.sum(x, dim=1),
        lambda: x.sum(dim=1),
        lambda: (x + 1).sum(dim=1),
        lambda: layer.weight.sum(dim=1),
        lambda: oarlock.Tensor.sum(x, dim=1),
        lambda: nn.functional.softmax(
            x,
            dim=1,
        ),
        lambda: paddle_softmax(x, dim=1),
        lambda: nn.Linear(3, 2, bias=False),
        lambda: Derived(3, 2, bias=False),
    ],
)
def test_public_functions_get_a_hint_however_they_are_called(call: Any) -> None:
    with pytest.raises(TypeError, match="unexpected keyword") as caught:
        call()
    keyword_hints.add_hint(caught.value)
    assert "Paddle calls this argument" in caught.value.__notes__[0]
