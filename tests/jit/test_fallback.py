"""`full_graph=False`: a call that cannot become a program runs as Python, with one warning and each
side effect once.
"""

from __future__ import annotations

import collections
import io
import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.core.errors import OarlockError
from oarlock.static import InputSpec

# ruff: noqa: RET503 - forms that users write


def x(*values: float) -> Any:
    return paddle.to_tensor(np.asarray(values, np.float32))


UP, DOWN = (1.0, 2.0), (-1.0, -2.0)


def of_numpy(x: Any) -> Any:
    return x * float(np.median(x.numpy()))


def of_tolist(x: Any) -> Any:
    return x * len(x.tolist()) + max(x.tolist())


def other_dtypes(x: Any) -> Any:
    if x.sum() > 0:
        y = x.astype("int32")
    else:
        y = x * 2
    return y + 1


def other_ranks(x: Any) -> Any:
    if x.sum() > 0:
        y = x.reshape([1, -1])
    else:
        y = x
    return y * 2


def other_keys(x: Any) -> Any:
    if x.sum() > 0:
        return {"logits": x}
    return {"logits": x, "extra": x * 2}


def other_lengths(x: Any) -> Any:
    if x.sum() > 0:
        return [x]
    return [x, x * 2]


def tensor_or_tuple(x: Any) -> Any:
    if x.sum() > 0:
        return x
    return x, x * 2


def none_or_tensor(x: Any) -> Any:
    if x.sum() > 0:
        return x


def none_in_a_tuple(x: Any) -> Any:
    y = None
    if x.sum() > 0:
        y = x * 2
    return x, y


def text_of_a_number(x: Any) -> Any:
    return x, f"{int(x.sum())}"


def text_in_a_branch(x: Any) -> Any:
    name = "up" if x.sum() > 0 else "down"
    return {name: x}


def number_as_key(x: Any) -> Any:
    table = {}
    table[int(x.sum())] = x
    return sorted(table), x


def whole_of_a_dict(x: Any) -> Any:
    found = {}
    if x.sum() > 0:
        found["sum"] = x * 2
    for value in found.values():
        x = x + value
    return x


def appended_in_a_branch(kept: list[Any], x: Any) -> Any:
    if x.sum() > 0:
        kept.append(x * 2)
    return x


def recursion(x: Any) -> Any:
    return x if x.abs().sum() > 50 else recursion(x * 2)


def a_generator(x: Any) -> Any:
    def rows() -> Any:
        for i in range(3):
            if x.sum() > i:
                yield x * i

    total = x
    for row in rows():
        total = total + row
    return total


def comprehension_with_a_condition(x: Any) -> Any:
    return [v * i for i in range(3) for v in (x, -x) if v.sum() > i]


def matched(x: Any) -> Any:
    match int(x.sum()):
        case 3:
            return x
        case _:
            return -x


def used_where_it_may_be_missing(x: Any) -> Any:
    if x.sum() > -10:
        y = x * 2
    return y + 1


def zero_iterations(x: Any) -> Any:
    found = {}
    while x.sum() < 0:
        x = x + 1
        found["last"] = x
    return found


def name_of_ours(_ol_x: Any) -> Any:
    return _ol_x + 1


def list_of_unknown_length(x: Any) -> Any:
    found = []
    while x.abs().sum() < 20:
        x = x * 2
        found.append(x)
    return found


def repeated_list(x: Any) -> Any:
    return paddle.to_tensor([1.0] * int(x.abs().sum()))


def numpy_function(x: Any) -> Any:
    return x * np.float32(np.sqrt(float(x.abs().sum())))


def sorted_by_values(x: Any) -> Any:
    return sorted([x, -x, x * 2], key=lambda v: float(v.sum()))[0]


def set_of_numbers(x: Any) -> Any:
    return x * len({int(x.sum()), 3, 4})


def raises_and_catches(x: Any) -> Any:
    try:
        if x.sum() > 0:
            raise ValueError("above")
    except ValueError:
        return x * 10
    return x


def a_deque(x: Any) -> Any:
    queue = collections.deque([x])
    if x.sum() > 0:
        queue.append(x * 2)
    return queue.pop()


def two_names(x: Any) -> Any:
    s, t = x * 1, x * 2
    u = s if x.sum() > 0 else t
    u.add_(x)
    return s + t


def random_of_python(x: Any) -> Any:
    if x.sum() > 0:
        x = x * random.random()
    return x + random.random()


def unpacked_rows(x: Any) -> Any:
    a, *rest = [v for v in x if v > -1.5]
    return a + len(rest)


def hashed(x: Any) -> Any:
    return x * (hash(float(x[0])) % 7)


def objects(x: Any) -> Any:
    class Box:
        def __init__(self, value: Any) -> None:
            self.value = value

    box = Box(x) if x.sum() > 0 else Box(-x)
    return box if False else (box.value, type(box).__name__)


def inner_list_result(x: Any) -> Any:
    return {"a": [x] if x.sum() > 0 else [x, x]}


def evaluated(x: Any) -> Any:
    return eval("x * 2 if x.sum() > 0 else x")


TABLE = [
    of_numpy, of_tolist, other_dtypes, other_ranks, other_keys, other_lengths, tensor_or_tuple, none_or_tensor, none_in_a_tuple, text_of_a_number,
    text_in_a_branch, number_as_key, whole_of_a_dict, recursion, a_generator, comprehension_with_a_condition, matched,
    zero_iterations, name_of_ours, list_of_unknown_length, repeated_list, numpy_function, sorted_by_values, set_of_numbers, raises_and_catches, a_deque,
    two_names, random_of_python, unpacked_rows, hashed, inner_list_result, evaluated,
]  # fmt: skip


# A file of these ends a run with an error where Python would return None, raise, or has drawn
# another number.
IN_FILES = (none_or_tensor, none_in_a_tuple, raises_and_catches, zero_iterations, random_of_python)


def plain(value: Any) -> Any:
    """Return a result with tensors as arrays."""
    if isinstance(value, list | tuple):
        return type(value)(map(plain, value))
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return (
        (str(value.dtype), value.shape, value.tolist())
        if isinstance(value, paddle.Tensor)
        else value
    )


def results(function: Callable[..., Any]) -> Any:
    random.seed(5)
    return [plain(function(x(*values))) for values in (UP, DOWN, UP, (1.0, 2.0, 3.0), UP)]


@pytest.mark.parametrize("function", TABLE)
def test_call_falls_back_to_python(function: Any) -> None:
    want = results(function)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = results(paddle.jit.to_static(function, full_graph=False))
    assert found == want
    texts = [str(w.message) for w in caught]
    assert len(texts) == 1, texts
    assert texts[0].startswith(f"{function.__name__} runs as Python"), texts
    assert ("<string>:" if function is evaluated else "test_fallback.py:") in texts[0]


@pytest.mark.parametrize("function", TABLE)
def test_full_graph_raises(function: Any) -> None:
    static = paddle.jit.to_static(function, full_graph=True)
    with pytest.raises(OarlockError):
        [static(x(*values)) for values in (UP, DOWN)]


@pytest.mark.filterwarnings("ignore:m. there are no parameters")
@pytest.mark.parametrize("function", [f for f in TABLE if f not in IN_FILES])
def test_save_raises(function: Any, tmp_path: Path) -> None:
    with pytest.raises(OarlockError):
        paddle.jit.save(
            paddle.jit.to_static(function, [InputSpec([None])], full_graph=False), tmp_path / "m"
        )


def test_default_equals_paddle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ENABLE_FALL_BACK")
    with pytest.warns(UserWarning, match="of_numpy runs as Python"):
        assert results(paddle.jit.to_static(of_numpy)) == results(of_numpy)
    monkeypatch.setenv("ENABLE_FALL_BACK", "False")
    with pytest.raises(OarlockError):
        results(paddle.jit.to_static(of_numpy))


class StatefulLayer(nn.Layer):
    """A layer with every kind of state that a call may change."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.norm = nn.BatchNorm1D(2)
        self.register_buffer("seen", paddle.zeros([2]))
        self.calls, self.log, self.table = 0, [], {"n": 0}
        self.queue, self.members, self.rows = collections.deque(), set(), np.zeros(3)
        self.large = list(range(2000))
        self.text = io.StringIO("one two three four")
        self.source = np.random.default_rng(3)
        self.late: Any = None

    def forward(self, x: Any) -> Any:
        global counted  # noqa: PLW0603
        counted += 1
        self.calls += 1
        self.log.append(self.calls)
        self.table["n"] += 2
        self.table.setdefault(f"call {self.calls}", []).append(random.random())
        self.queue.append(self.calls)
        self.members.add(self.calls)
        self.rows[self.calls % 3] += 1
        self.large.append(self.calls)
        self.seen.add_(paddle.ones([2]))
        if self.late is None:
            self.late = nn.Linear(2, 2)
        y = self.norm(self.late(self.fc(x))) + float(self.source.random()) + len(self.text.read(2))
        y = y + paddle.rand([2]) + np.random.rand()
        print("call", self.calls)
        return y * float(y.numpy().sum())  # no program has this


counted = 0


def test_side_effects_before_the_construct_happen_once(capsys: pytest.CaptureFixture[str]) -> None:
    global counted  # noqa: PLW0603
    found = []
    for static in (False, True):
        paddle.seed(2)
        random.seed(2)
        np.random.seed(2)
        counted = 0
        net = StatefulLayer()
        if static:
            net = paddle.jit.to_static(net, full_graph=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outputs = [net(paddle.to_tensor([[1.0, 2.0], [0.5, -1.0]])).tolist() for _ in range(4)]
        state = {k: v.tolist() for k, v in net.state_dict().items()}
        found.append(
            (
                outputs,
                state,
                net.calls,
                net.log,
                net.table,
                list(net.queue),
                net.members,
                net.rows.tolist(),
                net.large,
                net.text.tell(),
                counted,
            )
        )
        assert capsys.readouterr().out == "call 1\ncall 2\ncall 3\ncall 4\n"
    assert found[1] == found[0]


def test_argument_list_is_appended_once() -> None:
    kept: list[Any] = []
    static = paddle.jit.to_static(appended_in_a_branch, full_graph=False)
    with pytest.warns(UserWarning, match="appended_in_a_branch runs as Python"):
        [static(kept, x(*UP)) for _ in range(3)]
    assert len(kept) == 3


def test_python_errors_are_raised_unchanged() -> None:
    def wrong(x: Any) -> Any:
        return paddle.concat([x, x.reshape([1, 2])])

    with pytest.raises(OarlockError, match="concat"):
        paddle.jit.to_static(wrong, full_graph=False)(x(*UP))
    with pytest.raises(UnboundLocalError):
        paddle.jit.to_static(used_where_it_may_be_missing, full_graph=False)(x(-10.0, -20.0))


def test_failed_run_leaves_no_side_effects() -> None:
    class Checked(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("seen", paddle.zeros([2]))

        def forward(self, x: Any) -> Any:
            self.seen.add_(x)
            y = x + paddle.rand([2])
            if x.sum() < 0:
                raise KeyError("below")
            return y + self.seen

    found = []
    for static in (False, True):
        paddle.seed(1)
        net: Any = Checked()
        net = paddle.jit.to_static(net, full_graph=False) if static else net
        outputs = [net(x(*UP)).tolist()]
        with pytest.raises(KeyError, match="below"):
            net(x(*DOWN))
        outputs += [net(x(*UP)).tolist(), net.seen.tolist()]
        found.append(outputs)
    assert found[0] == found[1]


def test_other_calls_still_use_programs() -> None:
    def by_setting(x: Any, whole: bool) -> Any:
        return x * 2 if whole else of_numpy(x)

    static = paddle.jit.to_static(by_setting, full_graph=False)
    with pytest.warns(UserWarning, match="by_setting runs as Python"):
        static(x(*UP), False)
    assert static(x(*UP), True).tolist() == [2, 4]
    assert static.get_traced_count() == 1


@pytest.mark.parametrize("strategy", [False, None, 0])
def test_disabled_build_strategy(strategy: Any) -> None:
    assert paddle.jit.to_static(lambda x: x * 2, build_strategy=strategy)(x(*UP)).tolist() == [2, 4]
