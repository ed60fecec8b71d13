"""`oarlock explain` reports all problems in one run, with cause and fix."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .test_cli import oarlock

SCRIPT = """
import math
import numpy as np
import oarlock as paddle
from oarlock import nn
from oarlock.jit import to_static
from oarlock.static import InputSpec

SCALE = 3.0
names = {}
exec("def made(x):\\n    return x * 2", names)
made = names["made"]


class Inner(nn.Layer):
    def forward(self, x):
        total = 0
        for i in range(3):
            total = total + math.sqrt(x.sum())
        return x * total


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.inner = Inner()
        self.steps = 2

    def forward(self, x):
        if x.sum() > 0:
            y = x.astype("int32")
        else:
            y = x * 2
        scale = np.mean(x.numpy())
        z = paddle.matmul(self.fc(x), paddle.ones([5, 2]))
        w = len({row.sum() for row in x})
        if x.max() > 3:
            late = x + 1
        out = late * SCALE
        out = made(out)
        try:
            if x.min() < 0:
                raise ValueError("no")
        except ValueError:
            out = out * 2
        return self.inner(out), y, z, w


def fine(x, steps=3):
    for row in x:
        steps = steps + row.sum()
    return x * steps


def written_out(x):
    return sum(row for row in x) + [a + b for a, b in zip(x, x) if a.sum() > 0][0]


class Sized(nn.Layer):
    def __init__(self, size):
        super().__init__()


net = Net()


@to_static(input_spec=[InputSpec([None, 4], "float32", "x")])
def specified(x):
    return x if x.sum() > 0 else x.tolist()


def later(x):
    for row in x:
        yield row


def named(x):
    return x > 0 and (y := x.sum()) > 1


def breaks(x):
    return {}["key"] + x


def breaks_early(x):
    held = {}["key"] + x
    first = sorted(x)[0]
    return held + x.numpy() + first


def asks_for_items(x):
    first = sorted(x)[0]
    listed = [row for row in iter(x)]
    return first + listed[0] + x.tolist()[0]


def changes(x):
    while x.sum() < 3:
        x = x.astype("int64")
    return x.undefined_thing()


def a(x):
    named = {}
    named[int(x.sum())] = x
    text = f"{x.sum().item()}"
    kind = isinstance(x.sum().item() if x.max() > 0 else 1, int)
    y = x.astype("int64")
    while y.sum() < 3:
        y = y.astype("float64")
    return paddle.to_tensor([0.0] * x.shape[0]) + y + x.numpy()
"""


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    return str(path)


def problem_lines(text: str) -> list[int]:
    """The lines that problems are at."""
    return [int(n) for n in re.findall(r"^script.py:(\d+) in ", text, re.MULTILINE)]


def line_of(text: str) -> int:
    """The line of the script that begins with `text`."""
    return next(i for i, line in enumerate(SCRIPT.splitlines(), 1) if line.strip().startswith(text))


def test_recording_continues_after_each_problem(script: str) -> None:
    code, text = oarlock("explain", f"{script}:Net", "--input", "x:float32[None,4]")
    assert code == 1
    wanted = [
        "total = total",
        "if x.sum() > 0",
        "scale =",
        "z =",
        "w = len({",
        "out = late",
        "if x.min()",
    ]
    assert set(problem_lines(text)) == {line_of(w) for w in wanted}
    for part in (
        "'y': the dtypes differ",
        "fix:   cast one of the values",
        "matmul: the inner axes differ, 4 and 5",
        "numpy(): the value of",
        "the number of rows is known only at run time",
        "'late' has a value only if the condition holds",
        "assign the variable before the `if`",
        "`except` does not see it",
        "float(): the value of",
        "made\n  cause: the source of <string>",
        "Net.steps = 2",
        "SCALE = 3.0",
        "8 problems (recorded)",
    ):
        assert part in text, (part, text)


def test_without_inputs_the_source_is_analyzed(script: str) -> None:
    for target in ("Net", "net", "net.forward", "Net.forward"):
        code, text = oarlock("explain", f"{script}:{target}")
        assert code == 1
        found = {line_of(w) for w in ("scale =", "w = len({", "if x.min()")}
        assert found <= set(problem_lines(text)), text
        assert "the source of <string> is not available" in text
        assert "only read; --input" in text
    assert line_of("total = total") in problem_lines(oarlock("explain", f"{script}:Net")[1])
    for name, why in (
        ("later", "a generator function is not converted"),
        ("named", "`:=` in a part"),
    ):
        code, text = oarlock("explain", f"{script}:{name}")
        assert code == 1
        assert why in text


def test_exit_code_is_0_without_problems(script: str) -> None:
    assert (
        oarlock("explain", f"{script}:fine")[0]
        == oarlock("explain", f"{script}:written_out")[0]
        == 0
    )
    assert oarlock("explain", f"{script}:written_out", "--input", "float32[?, 4]")[0] == 0
    code, text = oarlock("explain", f"{script}:fine", "--input", "float32[?, 4]")
    assert code == 0
    assert "no problems (recorded)" in text


def test_function_with_input_spec_is_recorded(script: str) -> None:
    code, text = oarlock("explain", f"{script}:specified")
    assert code == 1
    assert "tolist(): the value of 'x' is not known" in text
    assert "2 problems (recorded)" in text


def test_source_after_a_failed_recording_is_analyzed(script: str) -> None:
    code, text = oarlock("explain", f"{script}:breaks_early", "--input", "float32[?]")
    assert code == 1
    assert problem_lines(text) == [line_of("held = {}"), line_of("return held + x")]


def test_run_time_items_do_not_stop_the_recording(script: str) -> None:
    code, text = oarlock("explain", f"{script}:asks_for_items", "--input", "float32[?, 4]")
    assert code == 1
    first = line_of("def asks_for_items")
    assert problem_lines(text) == [first + 1, first + 2, first + 3]
    assert "fix:   use paddle.sort" in text


def test_python_exception_stops_the_recording_with_its_line(script: str) -> None:
    code, text = oarlock("explain", f"{script}:breaks", "--input", "float32[2]")
    assert code == 1
    assert problem_lines(text) == [line_of('return {}["key"]')]
    assert "KeyError: 'key'; the code after it was only scanned, not executed" in text
    code, text = oarlock("explain", f"{script}:changes", "--input", "float32[2]")
    assert "'x': the dtypes differ" in text
    assert "undefined_thing" in text


def test_run_time_numbers_do_not_stop_the_recording(script: str) -> None:
    code, text = oarlock("explain", f"{script}:a", "--input", "x:float32[None,4]")
    assert code == 1
    wanted = ("named[int", 'text = f"', "kind =", "while y.sum()", "return paddle.to_tensor([0.0]")
    assert set(problem_lines(text)) == {line_of(w) for w in wanted}, text
    assert "a list whose length is known only at run time" in text
    assert "; the code after it was only scanned, not executed" in text
    assert f"{script}:a: 5 problems" in text  # `:a:` is no picture


@pytest.mark.parametrize(
    ("words", "exit_code", "why"),
    [
        (["{}:Sized"], 1, r"Sized\(\) failed \(.*'size'\); name a variable"),
        (["{}:nothing"], 1, "has no nothing"),
        (["{}:SCALE"], 1, "SCALE is float, neither a Layer nor a function"),
        (["{}"], 2, "must have the form script.py:Name"),
        (["{}x:Net"], 1, "there is no file"),
        (["{}:Net", "--input", "float32"], 2, "--input requires x:float32"),
        (["{}:Net", "--input", "float32[a]"], 2, "neither numbers nor None"),
    ],
)
def test_invalid_command_lines_are_rejected(
    script: str, words: list[str], exit_code: int, why: str
) -> None:
    code, text = oarlock("explain", *(w.format(script) for w in words))
    assert code == exit_code
    assert re.search(why, text), text
