"""Random programs that change elements and attributes return what Python returns, as programs and
from files, or are rejected.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import oarlock as paddle
from oarlock.core.errors import OarlockError, TraceError
from oarlock.jit import to_static
from oarlock.static import InputSpec

from .random_programs import program

X = ([1.0, 2.0, 3.0], [-1.0, -2.0, 0.5], [-0.25, 0.5, -0.5])
CALLS = [(np.array(x, "float32"), np.array(k, "int64")) for x in X for k in (0, 1, 3)]
SPECS = [InputSpec([3], "float32"), InputSpec([], "int64")]


def loaded(seed: int, folder: Path) -> Callable[..., Any]:
    """Return the function of a program, written to a file because the conversion needs the source."""
    path = folder / f"generated_{seed}.py"
    path.write_text(program(seed))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[..., Any] = module.f
    return found


def results(function: Callable[..., Any]) -> Iterator[list[Any]]:
    """Return the results of all calls."""
    for call in CALLS:
        with paddle.no_grad():
            yield [v.numpy() for v in function(*map(paddle.to_tensor, call))]


def agree(function: Callable[..., Any], wanted: list[list[Any]]) -> None:
    for found, want in zip(results(function), wanted, strict=True):
        for got, one in zip(found, want, strict=True):
            np.testing.assert_allclose(got, one, rtol=1e-4, atol=1e-5)


def wanted_of(function: Callable[..., Any]) -> list[list[Any]] | None:
    """Return Python's results; None if the program raises or its numbers depend on the engine."""
    try:
        wanted = list(results(function))
    except UnboundLocalError:
        return None
    return (
        wanted
        if all(np.isfinite(v).all() and np.abs(v).max() < 1e6 for call in wanted for v in call)
        else None
    )


@pytest.mark.slow
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(seed=st.integers(0, 100_000))
def test_program_equals_python_or_is_rejected(seed: int, tmp_path: Path) -> None:
    function = loaded(seed, tmp_path)
    wanted = wanted_of(function)
    assume(wanted is not None)
    assert wanted is not None
    try:
        agree(to_static(function), wanted)
    except OarlockError as error:
        assert str(error)
        return


@pytest.mark.parametrize("seed", range(7))
def test_saved_program_equals_python_or_is_rejected(seed: int, tmp_path: Path) -> None:
    function = loaded(seed, tmp_path)
    wanted = wanted_of(function)
    assert wanted is not None
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "m: there are no parameters")
        paddle.jit.save(to_static(function, SPECS), str(tmp_path / "m"))
    agree(paddle.jit.load(str(tmp_path / "m")), wanted)


@pytest.mark.slow
def test_few_programs_are_rejected(tmp_path: Path) -> None:
    rejected = 0
    for seed in range(40):
        function = loaded(seed, tmp_path)
        try:
            list(results(to_static(function)))
        except OarlockError:
            rejected += 1
        except UnboundLocalError:
            continue
    assert rejected <= 8


def changed_under_another_name(x: Any) -> Any:
    one, two = [x], [x * 2]
    d = {"c": one}

    def h() -> None:
        d["c"] = two

    if x.sum() > 0:
        h()
    d["c"][0] = x * 5
    return one[0], two[0]


def test_mutation_of_an_ambiguous_list_is_rejected() -> None:
    with pytest.raises(
        TraceError,
        match=r"may be the same object as one that was changed at .*d\[\"...\"\]\[0\] = x \* 5 under another name",
    ):
        to_static(changed_under_another_name)(paddle.ones([2]))


def changed_through_another_name(x: Any) -> Any:
    a, b = [x], [x * 2]
    if x.sum() > 0:
        a = b
    b[0] = x * 3
    return a[0]


def test_error_names_variable_and_branch() -> None:
    with pytest.raises(
        TraceError,
        match=r"(?s)'a': after a branch or loop at test_random_programs.py:\d+ in .*: if x.sum.*may be the same object.*return a\[0\]",
    ):
        to_static(changed_through_another_name)(paddle.ones([2]))


def compared_after_a_change_through_another_name(x: Any) -> Any:
    a, b = [1], [2]
    if x.sum() > 0:
        a = b
    b[0] = 0
    return x * 2 if a < [2] else x


def test_comparison_of_a_list_that_may_be_changed_is_rejected() -> None:
    with pytest.raises(
        TraceError, match="'a': after a branch or loop.* this list or dict may be the same object"
    ):
        to_static(compared_after_a_change_through_another_name)(paddle.ones([2]))


def emptied_while_it_may_be_another(x: Any, k: Any) -> Any:
    first, items = [x], [x + 1, x * 0.5]
    for _ in range(k):
        if x.sum() > 3:
            items[1] = x * 2
        items = [items[1], first[0] * 2]
    return items[0], items[1]


def test_list_created_in_each_iteration() -> None:
    for rounds in (0, 1, 3):
        given = paddle.to_tensor([1.0, 3.0]), paddle.to_tensor(rounds)
        for got, want in zip(
            to_static(emptied_while_it_may_be_another)(*given),
            emptied_while_it_may_be_another(*given),
            strict=True,
        ):
            assert got.tolist() == want.tolist()
