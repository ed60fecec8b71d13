"""Errors of code that cannot become a program: they name the variable, both lines, and a fix."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.core.errors import TraceError
from oarlock.jit import to_static
from oarlock.jit.explain import explain
from oarlock.static import InputSpec

X = [InputSpec([None, 4], "float32", "x")]


def other_dtypes(x: Any) -> Any:
    if x.sum() > 0:
        y = x.astype("int32")
    else:
        y = x * 2
    return y


def other_ranks(x: Any) -> Any:
    if x.sum() > 0:
        y = x.sum()
    else:
        y = x
    return y + 1


def one_branch_only(x: Any) -> Any:
    if x.sum() > 0:
        y = x * 2
    return y + 1


def given_back_as_it_is(x: Any) -> Any:
    if x.sum() > 0:
        y = x * 2
    return y


def deleted(x: Any) -> Any:
    if x.sum() > 0:
        del x
    return x


def no_return_on_one_way(x: Any) -> Any:  # noqa: RET503 - that is what is tested
    if x.sum() > 0:
        return x, x


def other_structures(x: Any) -> Any:
    if x.sum() > 0:
        y = (x, x)
    else:
        y = [x]
    return y


def text(x: Any) -> Any:
    if x.sum() > 0:
        y = "a"
    else:
        y = "b"
    return {"a": x, "b": x * 2}[y]


def loop_changes_the_dtype(x: Any) -> Any:
    i = paddle.zeros([], "int64")
    while i < 3:
        x = x.astype("int64")
        i = i + 1
    return x


def generator_over_rows(x: Any) -> Any:
    items = iter(range(x.shape[0]))
    return x + next(items)


def unpacked_rows(x: Any) -> Any:
    a, b = x
    return a + b


def values_for_python(x: Any) -> Any:
    return x if np.mean(x.numpy()) > 0 else -x


def a_list_as_result(x: Any) -> Any:
    return [row * 2 for row in x]


def text_from_a_loop(x: Any) -> Any:
    while x.sum() < 10:
        x = x + 1
        if x.max() > 5:
            return x, "early"
    return x, "late"


def dict_from_a_loop(x: Any) -> Any:
    while x.sum() < 10:
        x = x + 1
        if x.max() > 5:
            return {"x": x}
    return {"x": x}


def keys_in_another_order(x: Any) -> Any:
    held = {"a": x, "b": x * 2} if x.sum() > 0 else {"a": x, "b": x * 3}
    if x.max() > 0:
        held = {"b": x, "a": x}
    return held["a"]


def gradients_on_one_way(x: Any) -> Any:
    y = x * 2
    if x.sum() > 0:
        y.stop_gradient = True
    return y


def never_set(x: Any) -> Any:
    for _ in range(0):
        y = x
    return y * 2


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (
            other_dtypes,
            r"'y': the dtypes differ.*int32\[\?,4\] created at .*astype.*float32\[\?,4\] created at .*y = x \* 2",
        ),
        (
            other_ranks,
            r"number of axes in each branch.*if the condition holds: float32\[\].*if it does not: float32\[\?,4\].*return y \+ 1",
        ),
        (
            text_from_a_loop,
            r"'the value returned\[1\]' has a value only if .* str 'late' there.*a tensor, a number, None or a tuple of these",
        ),
        (
            dict_from_a_loop,
            r"'the value returned' has a value only if .*is dict .*a tensor, a number, None or a tuple of these",
        ),
        (keys_in_another_order, r"'held': the values of the dicts .* keys are in different orders"),
        (
            gradients_on_one_way,
            r"stop_gradient: it cannot be set to a symbolic value.*created at .*y = x \* 2",
        ),
        (
            no_return_on_one_way,
            r"not every path through no_return_on_one_way returns a value.* and tuple on another.*if x.sum\(\) > 0",
        ),
        (other_structures, r"'y': only tensors and numbers.*tuple.*list"),
        (text, r"'y': only tensors and numbers.*str 'a'.*str 'b'"),
        (
            loop_changes_the_dtype,
            r"'x': the dtypes differ.*before the loop: float32.*after an iteration: int64",
        ),
        (generator_over_rows, r"the number of items is known only at run time.*items = iter"),
        (unpacked_rows, r"the number of rows is known only at run time.*a, b = x"),
        (
            values_for_python,
            r"numpy\(\): the value of 'assign_0.*is not known.*np.mean\(x.numpy\(\)\)",
        ),
        (a_list_as_result, r"a list whose length is known only at run time"),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_rejection_names_both_lines(function: Callable[..., Any], words: str) -> None:
    with pytest.raises(paddle.TraceError) as caught:
        to_static(function, X)(paddle.ones([2, 4]))
    assert re.search(words, str(caught.value), re.DOTALL), str(caught.value)
    assert "test_conversion_errors.py" in str(caught.value)


def test_undefined_name_is_a_name_error() -> None:
    with pytest.raises(NameError, match="'y' was not given a value before"):
        to_static(never_set, X)(paddle.ones([2, 4]))


def test_undefined_name_in_an_expression_with_tensors() -> None:
    def f(x: Any) -> Any:
        if x.shape[1] == 5:
            y = x
        return x - y

    with pytest.raises(NameError, match="'y' was not given a value before"):
        to_static(f)(paddle.ones([2, 4]))


def test_function_without_source_is_reported() -> None:
    names: dict[str, Any] = {}
    exec("def made(x):\n    return x * 2 if x.sum() > 0 else x\n", names)
    with (
        pytest.warns(
            UserWarning,
            match="made is not converted, so Python runs its control flow: the source of",
        ),
        pytest.raises(paddle.TraceError, match=r"bool\(\): the value of"),
    ):
        to_static(names["made"], X)(paddle.ones([2, 4]))


def test_callbacks_are_reported_as_not_converted() -> None:
    def positive(v: Any) -> Any:
        return 1 if v.sum() > 0 else 2

    with pytest.raises(
        paddle.TraceError,
        match=r"positive is not converted: .*called by code that is not converted",
    ):
        to_static(lambda x: sorted([x, x * 2], key=positive)[0])(paddle.ones([2, 4]))


def test_tracebacks_show_user_lines(tmp_path: Path) -> None:
    def breaks(x: Any) -> Any:
        if x.shape[1] == 4:
            x = x + 1
            raise KeyError("mine")
        return x

    with pytest.raises(KeyError) as caught:
        to_static(breaks)(paddle.ones([2, 4]))
    entry = next(e for e in caught.traceback[::-1] if e.path.name == "test_conversion_errors.py")
    assert (entry.name, str(entry.statement).strip()) == ("breaks", 'raise KeyError("mine")')


def test_wrong_calls_are_rejected() -> None:
    static = to_static(other_ranks, X)
    with pytest.raises(TypeError, match="other_ranks: .*unexpected keyword"):
        static(paddle.ones([2, 4]), nothing=1)
    with pytest.raises(
        paddle.OpError, match=r"'x' should be float32\[\?,4\], as input_spec says \(got None\)"
    ):
        static(3.0)
    with pytest.raises(TypeError, match="input_spec should be a list or tuple"):
        to_static(other_ranks, input_spec=X[0])
    with pytest.raises(TypeError, match="a function, a method or a Layer"):
        to_static(3)
    with pytest.raises(
        paddle.OpError,
        match=r"'x' should be 3, as in input_spec; for a tensor, put an InputSpec there \(got float32\[2\]",
    ):
        to_static(other_ranks, input_spec=[3])(paddle.ones([2]))
    made: dict[str, Any] = {}
    exec("def f(x):\n    return x", made)
    with pytest.raises(paddle.OpError, match="f: the source of <string> is not available"):
        _ = to_static(made["f"]).code
    with pytest.raises(TypeError, match="len is not a Python function"):
        paddle.jit.ProgramTranslator().get_code(len)
    with pytest.raises(TypeError, match="there is no argument"):
        to_static(other_ranks, whatever=1)


def test_failed_recording_leaves_no_state() -> None:
    """The next call raises the same error, and a valid call works."""

    def sometimes(x: Any, bad: bool) -> Any:
        if x.sum() > 0:
            y = x.astype("int32") if bad else x
        else:
            y = x * 2
        return y

    static = to_static(sometimes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with pytest.raises(paddle.TraceError, match="the dtypes differ"):
                static(paddle.ones([2, 4]), True)
        assert static(paddle.ones([2, 4]), False).numpy().sum() == 8


def test_list_repeated_by_a_symbolic_scalar() -> None:
    def zeros(x: Any) -> Any:
        return x + paddle.to_tensor([0.0] * x.shape[0])

    with pytest.raises(
        paddle.TraceError,
        match=r"(?s)a list whose length is known only at run time.*paddle.full.*\[0.0\] \* x.shape",
    ):
        to_static(zeros, input_spec=[InputSpec([None], "float32")])(paddle.ones([2]))


def never_there(x: Any, k: Any) -> Any:
    rows: Any = [x]
    for i in range(k):
        if i > 0:
            x = x + rows[3]
    return x


def of_two_kinds(x: Any) -> Any:
    rows: Any = [x]
    if x.sum() > 0:
        rows[0] = x.astype("int64")
    return rows[0] + 1


def of_two_kinds_in_rounds(x: Any, k: Any) -> Any:
    rows: Any = [x]
    for i in range(k):
        if i > 0:
            rows[0] = x.astype("int64")
    return rows[0]


def of_two_lengths(x: Any) -> Any:
    if x.sum() > 0:
        return x, x
    return x


def test_missing_or_inconsistent_elements() -> None:
    x = paddle.ones([2])
    with pytest.raises(IndexError):
        to_static(never_there)(x, paddle.to_tensor(2))
    with pytest.raises(
        TraceError,
        match=r"(?s)another dtype or number of axes in each branch.*float32\[2\].*|int64",
    ):
        to_static(of_two_kinds)(x)
    with pytest.raises(TraceError, match="dtype"):
        to_static(of_two_kinds_in_rounds)(x, paddle.to_tensor(2))
    with pytest.raises(TraceError, match="Your if/else have different number of return value"):
        to_static(of_two_lengths)(x)


def keeps_an_older_value(x: Any) -> Any:
    y = x * 2
    if x.sum() > 0:
        late = y
    return late + 1


def test_explain_names_the_branch_line() -> None:
    (problem,) = explain(keeps_an_older_value, [X[0]]).problems
    assert "'late' has a value only if the condition holds" in problem.cause
    assert "y = x * 2" not in problem.cause


@pytest.mark.parametrize(
    ("function", "name", "sign", "wanted"),
    [
        (one_branch_only, "y", 1, 3),
        (given_back_as_it_is, "y", 1, 2),
        (keeps_an_older_value, "late", 1, 3),
        (deleted, "x", -1, -1),
    ],
)
@pytest.mark.filterwarnings("ignore:.*there are no parameters")
def test_value_of_the_other_branch_is_a_run_time_error(
    function: Callable[..., Any], name: str, sign: int, wanted: int, tmp_path: Path
) -> None:
    x = paddle.ones([2, 4]) * sign
    whole, fallback = to_static(function, full_graph=True), to_static(function, full_graph=False)
    paddle.jit.save(to_static(function, X), tmp_path / "m")
    for called in (whole, fallback, paddle.jit.load(tmp_path / "m")):
        np.testing.assert_array_equal(called(x).numpy(), np.full((2, 4), wanted, np.float32))
    for called in (whole, paddle.jit.load(tmp_path / "m")):
        with pytest.raises(
            paddle.OarlockError,
            match=f"'{name}' has no value: the branch that assigns it was not taken",
        ):
            called(-x)
    with pytest.raises(UnboundLocalError, match=name):
        fallback(-x)


@pytest.mark.parametrize("full_graph", [True, False])
def test_undefined_result_raises_like_python(full_graph: bool) -> None:
    def undefined(x: Any, flag: bool) -> Any:
        if flag:
            y = x
        return y

    with pytest.raises(UnboundLocalError, match="'y'"):
        to_static(undefined, full_graph=full_graph)(paddle.ones([2]), False)


class PrivateNames:
    """A method with private names, which Python mangles, and keywords, which it does not."""

    def __init__(self) -> None:
        self.__scale = 3.0

    def call(self, x: Any) -> Any:
        def scaled(**named: Any) -> Any:
            return named["__by"] * x

        match {"a": 1, "b": 2}:
            case {"a": 1, **__rest}:
                offset = float(len(__rest))
        return scaled(__by=self.__scale) + offset


def test_private_names_of_a_method() -> None:
    x = paddle.to_tensor([1.0, 2.0])
    assert paddle.jit.to_static(PrivateNames().call)(x).numpy().tolist() == [4.0, 7.0]
