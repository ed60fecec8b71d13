"""Non-tensors as operands of public functions and Layers: Oarlock's error with name and line, or
Python's own.
"""

from __future__ import annotations

import contextlib
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.core.errors import OperandError
from oarlock.core.op import OPS

WRONG = {
    "ndarray": np.ones((2, 3, 8, 8), "float32"),
    "list": [[1.0, 2.0], [3.0, 4.0]],
    "none": None,
    "str": "abc",
    "int": 3,
}
PLACES = {
    "paddle": paddle, "F": paddle.nn.functional, "linalg": paddle.linalg, "fft": paddle.fft, "signal": paddle.signal,
    "vision.ops": paddle.vision.ops, "geometric": paddle.geometric,
}  # fmt: skip
# They change the process, or files, and take no operand.
APART = {
    "batch", "disable_signal_handler", "disable_static", "enable_static", "flops", "get_flags", "grad", "in_dynamic_mode", "load",
    "run_check", "save", "seed", "set_cuda_rng_state", "set_default_dtype", "set_device", "set_flags", "set_grad_enabled",
    "set_printoptions", "set_rng_state", "summary",
}  # fmt: skip
NO_LINE = "dtype: "  # of a dtype that is none; files are read by it as well
# in the name of an argument that takes a number
NUMBERS = ("kernel", "num", "axis", "k", "size", "n", "p", "dim")


def required_arguments(function: Callable[..., Any]) -> list[str]:
    """The names of the arguments without a default."""
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    found = inspect.signature(function).parameters.values()
    return [p.name for p in found if p.default is p.empty and p.kind in positional]


def functions() -> Iterator[tuple[str, Callable[..., Any], list[str]]]:
    """Iterate over the public functions with required arguments: name, function, argument names."""
    for place, module in PLACES.items():
        for name in sorted(getattr(module, "__all__", dir(module))):
            function = getattr(module, name, None)
            if inspect.isfunction(function) and not name.startswith("_") and name not in APART:
                yield f"{place}.{name}", function, required_arguments(function)


def layers() -> Iterator[tuple[str, Callable[..., Any], list[str]]]:
    """Iterate over layers of each class that can be created from small numbers."""
    for name in sorted(dir(paddle.nn)):
        made = getattr(paddle.nn, name)
        if (
            inspect.isclass(made)
            and issubclass(made, paddle.nn.Layer)
            and made.forward is not paddle.nn.Layer.forward
        ):
            for number in (2, 4):
                try:
                    layer = made(*[number] * len(required_arguments(made)))
                except Exception:  # it needs something else than numbers
                    continue
                yield f"nn.{name}", layer, required_arguments(layer.forward) or ["inputs"]
                break


def error_name(function: Callable[..., Any], name: str) -> set[str]:
    """What an error of a function, or Layer, may call it."""
    own = function if inspect.isfunction(function) else type(function)
    row = getattr(own, "row", None)  # of a Layer that is a function with settings
    return {name.rsplit(".", maxsplit=1)[-1], own.__name__} | ({row.function} if row else set())


def find_problem(name: str, function: Callable[..., Any], args: list[Any]) -> str:
    """What is wrong with how a call ends, "" if nothing is."""
    try:
        function(*args)
    except paddle.OarlockError as error:
        told = f"{type(error).__name__}: {error}"
        head = re.match(r"([\w.]+)(\(\))?: ", str(error))
        lines = str(error).count("\n  at test_wrong_operands.py:")
        if head is None or lines != (0 if str(error).startswith(NO_LINE) else 1):
            return told
        if "not a Tensor" in str(error) and not (
            isinstance(error, OperandError) and head[1] in OPS.keys() | error_name(function, name)
        ):
            return told
    except (TypeError, ValueError):
        pass
    except Exception as error:  # the very thing that is looked for
        return f"{type(error).__name__}: {error}"
    return ""


def find_problems(
    found: Iterator[tuple[str, Callable[..., Any], list[str]]], right: Any
) -> Iterator[str]:
    """Iterate over the problems of all calls with an invalid first argument, or invalid required
    arguments.
    """
    for name, function, needed in found:
        others = [2 if any(w in n for w in NUMBERS) else right for n in needed[1:]]
        for kind, value in WRONG.items():
            for how, args in (("", [value, *others]), ("all ", [value] * len(needed))):
                said = find_problem(name, function, args)
                if said:
                    yield f"{name}({how}{kind}): {said}"


@contextlib.contextmanager
def static_program() -> Iterator[None]:
    """Programs are written by hand in the body."""
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
            yield
    finally:
        paddle.disable_static()


@pytest.mark.parametrize("found", [functions, layers])
def test_eager(found: Callable[[], Any]) -> None:
    assert len(list(found())) > 80
    assert list(find_problems(found(), paddle.ones([2, 3, 8, 8]))) == []


@pytest.mark.parametrize("found", [functions, layers])
def test_static(found: Callable[[], Any]) -> None:
    with static_program():
        assert list(find_problems(found(), paddle.static.data("right", [2, 3, 8, 8]))) == []


def first_line(function: Callable[..., Any], *args: Any) -> str:
    with pytest.raises(paddle.OarlockError) as error:
        function(*args)
    assert isinstance(error.value, TypeError) and isinstance(error.value, ValueError)
    said, line = str(error.value).split("\n")
    assert line.startswith("  at test_wrong_operands.py:") and "first_line" in line
    return said


# What is called, and the name that its error begins with.
CALLS = [
    (paddle.tanh, "tanh"), (paddle.square, "square"), (paddle.add_, "add_"), (paddle.sum, "sum"), (paddle.mean, "mean"), (paddle.t, "t"),
    (paddle.zeros_like, "zeros_like"), (paddle.flatten, "flatten"), (paddle.fft.fft, "fft"), (paddle.linalg.cond, "cond"),
    (paddle.nn.functional.relu_, "relu_"), (paddle.nn.functional.interpolate, "interpolate"), (paddle.nn.BatchNorm1D(2), "BatchNorm1D"),
    (paddle.nn.Softmax2D(), "Softmax2D"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "name"), CALLS, ids=[name for _, name in CALLS])
def test_error_text(function: Callable[..., Any], name: str) -> None:
    more = (1,) * (len(required_arguments(getattr(function, "forward", function))) - 1)
    expected = (
        rf"{name}: (\w+|an argument) must be a Tensor, not list; convert it with paddle.to_tensor"
    )
    assert re.fullmatch(expected, first_line(function, [1.0], *more))
    with static_program():
        assert re.fullmatch(expected, first_line(function, [1.0], *more))


def test_error_names_function_not_user_layer() -> None:
    class Mine(paddle.nn.Layer):
        def forward(self, x: Any) -> Any:
            return paddle.tanh(x)

    with pytest.raises(
        OperandError,
        match=r"^tanh: x must be a Tensor, not int; convert it with paddle.to_tensor\n  at test_wrong_operands.py:\d+ in forward",
    ):
        Mine()(3)


def test_user_attribute_errors_are_unchanged() -> None:
    class Mine(paddle.nn.Layer):
        def forward(self, x: Any) -> Any:
            return x.nothing

    with pytest.raises(AttributeError, match="nothing"):
        paddle.nn.Sequential(Mine())(paddle.ones([1]))


def test_list_that_contains_itself_is_rejected() -> None:
    cyclic: list[Any] = []
    cyclic.append(cyclic)
    with pytest.raises(OperandError, match="^exp: x must be a Tensor, not list\n"):
        paddle.exp(cyclic)  # type: ignore[arg-type]


def test_none_in_a_list_is_rejected() -> None:
    with pytest.raises(OperandError, match="^concat: X\\[1\\] must be a Tensor, not NoneType\n"):
        paddle.concat([paddle.ones([1]), None])


@pytest.mark.parametrize("shape", [[], [3], [2, 3, 4]])
def test_bilinear_tensor_product_rank(shape: list[int]) -> None:
    with static_program():
        x = paddle.static.data("x", shape)
        with pytest.raises(
            paddle.OarlockError, match="^bilinear_tensor_product: X and Y must have two axes"
        ):
            paddle.static.nn.bilinear_tensor_product(x, x, 4)
        assert paddle.static.default_startup_program().global_block().ops == []


SCALAR = paddle.ones([])
AXES = [
    lambda: paddle.unstack(SCALAR), lambda: paddle.nn.functional.dropout2d(SCALAR), lambda: paddle.tensordot(SCALAR, SCALAR, 1),
    lambda: paddle.trapezoid(SCALAR), lambda: paddle.nn.functional.adaptive_avg_pool2d(SCALAR, [None, 2]),
    lambda: paddle.nn.functional.embedding(paddle.ones([2], "int64"), SCALAR), lambda: paddle.nn.Unflatten(0, [1])(SCALAR),
    lambda: paddle.fft.fftshift(paddle.ones([2]), 1), lambda: paddle.fft.ifftshift(paddle.ones([2]), [-2]),
]  # fmt: skip


@pytest.mark.parametrize("call", AXES)
def test_invalid_axis(call: Callable[[], Any]) -> None:
    with pytest.raises(
        paddle.OarlockError, match=r"(ax[ei]s|rank).*\n  at test_wrong_operands.py:"
    ):
        call()


def test_convolution_rank() -> None:
    weight = paddle.ones([2, 3, 1, 1])
    for function in (paddle.nn.functional.conv2d, paddle.nn.functional.conv2d_transpose):
        for args in ((paddle.ones([3]), weight), (paddle.ones([1, 3, 2, 2]), paddle.ones([3]))):
            with pytest.raises(
                paddle.OarlockError, match="^conv2d.*\n  at test_wrong_operands.py:"
            ):
                function(*args)
