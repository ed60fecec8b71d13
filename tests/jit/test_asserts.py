"""assert, raise and print on values in converted code: when a program runs, and in files."""

from __future__ import annotations

import re
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.cli.demo import runner_path
from oarlock.jit import load, save, to_static
from oarlock.static import InputSpec

X = [InputSpec([None, 4], "float32", "x")]
GOOD = np.ones((2, 4), "float32")
BAD = -GOOD


def says_why(x: Any) -> Any:
    assert x.sum() > 0, "must be positive"
    return x * 2


def says_nothing(x: Any) -> Any:
    assert (x > 0).all()
    return x * 2


def message_of_values(x: Any) -> Any:
    assert x.sum() > 0, f"the sum is {float(x.sum()):.1f}"
    return x * 2


def raises_in_a_branch(x: Any) -> Any:
    if x.sum() < 0:
        y = x + 1
        raise ValueError(f"negative, of {y.shape[1]} columns")
    return x * 2


def raises_behind_a_return(x: Any) -> Any:
    if x.sum() > 0:
        return x * 2
    raise KeyError("no")


def raises_in_the_last_branch(x: Any) -> Any:
    if x.sum() > 100:
        y = x
    elif x.sum() > 0:
        y = x * 2
    else:
        raise ValueError("neither")
    return y


def raises_after_changes(x: Any) -> Any:
    kept = []
    if x.sum() < 0:
        kept.append(x)
        x[0] = 3.0
        raise ValueError("after changes")
    kept.append(x * 2)
    return kept[0]


def asserts_false(x: Any) -> Any:
    if x.sum() < 0:
        assert x.shape[1] == 3, "columns"
    return x * 2


def in_an_inner_branch(x: Any) -> Any:
    if x.max() > -100:
        if x.sum() < 0:
            raise ValueError("deep")
        z = x * 2
    else:
        z = x
    return z


def in_a_branch_that_gives_nothing(x: Any) -> Any:
    if x.max() > -100:
        assert x.sum() > 0, "deep"
    return x * 2


def in_a_loop(x: Any) -> Any:
    total = x * 0
    for row in x:
        if row.sum() < 0:
            raise ValueError("a bad row")
        total = total + row
    return total


OUTSIDE = [
    (says_why, "assert: must be positive"),
    (says_nothing, "assert: the condition does not hold"),
    (message_of_values, 'assert: f"the sum is'),
    (raises_in_a_branch, "assert: ValueError: negative, of 4 columns"),
    (raises_behind_a_return, "assert: KeyError: 'no'"),
    (raises_after_changes, "assert: ValueError: after changes"),
    (asserts_false, "assert: AssertionError: columns"),
]
INSIDE = [
    (raises_in_the_last_branch, "assert: ValueError: neither"),
    (in_an_inner_branch, "assert: ValueError: deep"),
    (in_a_branch_that_gives_nothing, "assert: deep"),
    (in_a_loop, "assert: ValueError: a bad row"),
]
everywhere = pytest.mark.parametrize(
    ("function", "words"), OUTSIDE + INSIDE, ids=lambda v: getattr(v, "__name__", "")
)


def said_at(words: str) -> str:
    """The message with the user's line below."""
    return re.escape(words) + r".*\n  (recorded )?at test_asserts.py:\d+ in \w+: (assert|raise) "


@everywhere
@pytest.mark.parametrize("trains", [False, True])
def test_failed_assert_raises_with_message_and_line(
    function: Callable[..., Any], words: str, trains: bool
) -> None:
    static = to_static(function, X)

    def given(array: Any) -> paddle.Tensor:
        return paddle.to_tensor(array, stop_gradient=not trains)

    np.testing.assert_array_equal(static(given(GOOD)).numpy(), 2 * GOOD)
    with pytest.raises(paddle.AssertError, match=said_at(words)):
        static(given(BAD))
    with pytest.raises(AssertionError):
        static(given(BAD))


@everywhere
def test_asserts_of_files_are_guards_in_every_reader(
    function: Callable[..., Any], words: str, tmp_path: Path
) -> None:
    at = str(tmp_path / "m")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*: there are no parameters")
        save(function, at, input_spec=X)
        save(function, at + "2", input_spec=X, guards="drop")
    loaded = load(at)
    np.testing.assert_array_equal(loaded(GOOD).numpy(), 2 * GOOD)
    with pytest.raises(paddle.GuardError, match=said_at("m.pdmodel: " + words)):
        loaded(BAD)
    loaded.train()
    with pytest.raises(paddle.GuardError, match=said_at(words)):
        loaded(BAD)
    assert [g.reader for g in loaded.guards] == [g.reader for g in load(at, guards="drop").guards]
    for free in (load(at, guards="drop"), load(at + "2")):
        assert free(BAD).shape == [2, 4]
    assert load(at + "2").guards == []
    np.savez(tmp_path / "in.npz", x=BAD)
    words_of_command = [
        runner_path(),
        "run",
        at,
        "--input",
        str(tmp_path / "in.npz"),
        "--output",
        str(tmp_path / "out.npz"),
    ]
    done = subprocess.run(words_of_command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert re.search(said_at(words), done.stderr), done.stderr


def test_asserts_of_skipped_branches_are_not_checked(tmp_path: Path) -> None:
    def sometimes(x: Any) -> Any:
        for row in x:
            if row[0] > 5:
                assert row.sum() < 100, "too much"
        return x * 2

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*: there are no parameters")
        save(sometimes, tmp_path / "m", input_spec=X)
    loaded = load(tmp_path / "m")
    for fine in ([[1.0, 200.0, 0.0, 0.0]], [[6.0, 1.0, 1.0, 1.0]], np.zeros((0, 4))):
        x = np.asarray(fine, "float32")
        np.testing.assert_array_equal(loaded(x).numpy(), 2 * x)
    with pytest.raises(paddle.GuardError, match="too much"):  # though the row after it is fine
        loaded(np.array([[6.0, 200.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]], "float32"))


def test_unconditional_raise_in_a_loop_is_rejected() -> None:
    def always(x: Any) -> Any:
        while x.sum() < 0:
            raise ValueError("mine")
        return x

    with pytest.raises(
        paddle.TraceError,
        match=r"raise: ValueError in an iteration of a loop.*under an `if`\n.*test_asserts",
    ):
        to_static(always, X)(GOOD)


def test_caught_raise_stays_python() -> None:
    def caught(x: Any) -> Any:
        try:
            if x.shape[1] == 4:
                raise ValueError("mine")
        except ValueError:
            x = x * 2
        return x

    np.testing.assert_array_equal(to_static(caught, X)(GOOD).numpy(), 2 * GOOD)


def shows(x: Any) -> Any:
    print("x", x, x.shape[1], sep="|")
    if x.sum() > 0:
        print("positive", [x.max()], end=".\n")
    for row in x[:2]:
        print(row.sum())
    return x * 2


@pytest.mark.parametrize("trains", [False, True])
def test_print_equals_python(capsys: pytest.CaptureFixture[str], trains: bool) -> None:
    static = to_static(shows, X)
    static(GOOD)
    capsys.readouterr()
    for array in (GOOD, BAD, BAD):
        x = paddle.to_tensor(array)
        shows(x)
        wanted = capsys.readouterr().out
        static(paddle.to_tensor(array, stop_gradient=not trains))
        assert capsys.readouterr().out == wanted
        assert ("positive" in wanted) == (array is GOOD)


def test_files_do_not_print(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*: there are no parameters")
        save(shows, tmp_path / "m", input_spec=X, verify=False)
    capsys.readouterr()
    np.testing.assert_array_equal(load(tmp_path / "m")(GOOD).numpy(), 2 * GOOD)
    assert capsys.readouterr().out == ""
