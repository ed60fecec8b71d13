"""The Python binding of the C++ runtime."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import onnxruntime  # type: ignore[import-untyped]
import pytest

from oarlock.loader import _runtime

from .wire import Guard, program

FIXTURES = Path(__file__).parents[1] / "fixtures"
MLP = (FIXTURES / "mlp.pdmodel").read_bytes()
WEIGHTS = str(FIXTURES / "mlp.pdiparams")
ENGINE = str(next((Path(onnxruntime.__file__).parent / "capi").glob("libonnxruntime.so.*")))
X = np.load(FIXTURES / "mlp.in.npz")["x"]
WANTED = list(np.load(FIXTURES / "mlp.out.npz").values())


def session(**options: Any) -> _runtime.Session:
    return _runtime.Session(MLP, WEIGHTS, {"ort_library": ENGINE, **options})


@pytest.fixture(scope="module")
def mlp() -> _runtime.Session:
    return session(threads=1)


def one_op_program(number: int, out: str) -> bytes:
    """feed x[?] -> scale by 1 -> fetch, elements of the dtype with that number in a `.pdmodel`."""
    return program(
        {"x": (number, [-1]), out: (number, [-1])},
        [("scale", {"X": "x"}, {"Out": out})],
        ["x"],
        [out],
    )


def test_results_equal_paddle(mlp: _runtime.Session) -> None:
    for feeds in (
        {"x": X},
        [X],
        (X,),
        {"x": np.asfortranarray(X)},
        {"x": np.repeat(X, 2, axis=1)[:, ::2]},
    ):
        for got, wanted in zip(mlp.run(feeds), WANTED, strict=True):
            np.testing.assert_allclose(got, wanted, atol=1e-5)


def test_interface(mlp: _runtime.Session) -> None:
    assert mlp.inputs == [("x", "float32", ["x.0", 4])]
    assert [(dtype, shape[1]) for _, dtype, shape in mlp.outputs] == [
        ("float32", 3),
        ("float32", 8),
    ]
    assert mlp.version == onnxruntime.__version__
    assert mlp.library == ENGINE
    assert "CPUExecutionProvider" in mlp.providers
    assert _runtime.ort_library_info(ENGINE)["path"] == ENGINE
    assert "matmul_v2" in _runtime.convertible_op_types()


def test_fetch_by_name_and_inner_variables(mlp: _runtime.Session) -> None:
    (second,) = mlp.run([X], [mlp.outputs[1][0]])
    np.testing.assert_allclose(second, WANTED[1], atol=1e-5)
    assert mlp.run([X], []) == []
    inner = session(outputs=["linear_0.tmp_0"])
    np.testing.assert_allclose(np.maximum(inner.run([X])[2], 0), WANTED[1], atol=1e-5)


def test_arrays_of_the_other_byte_order(mlp: _runtime.Session) -> None:
    swapped = X.astype(X.dtype.newbyteorder())
    for given, wanted in zip(mlp.run([swapped]), mlp.run([X]), strict=True):
        np.testing.assert_array_equal(given, wanted)


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (
            lambda s: s.run({"x": X.astype("float64")}),
            "input",
            "input 'x' is float64[2,4], the model requires float32[?,4]",
        ),
        (lambda s: s.run({"y": X}), "input", "input 'x' is missing"),
        (lambda s: s.run({"x": X, "y": X}), "input", "no input 'y'"),
        (lambda s: s.run([X, X]), "input", "2 inputs given, the model has 1"),
        (lambda s: s.run({"x": "text"}), "input", "input 'x' has elements of type str"),
        (lambda s: s.run(3), "input", "expected a dict of arrays"),
        (lambda s: s.run([X], ["nobody"]), "input", "no output 'nobody'"),
        (lambda _: session(colour=1), "input", "there is no 'colour'"),
        (lambda _: session(threads="two"), "input", "'threads' is a str"),
        (lambda _: session(outputs=["nobody"]), "input", "no variable 'nobody'"),
        (lambda _: session(ort_library="/no/such.so"), "engine", "/no/such.so"),
        (lambda _: _runtime.Session(MLP, None, {}), "file", "has 4 weights but no .pdiparams"),
        (lambda _: _runtime.describe(MLP[:50], WEIGHTS), "file", "are left"),
        (lambda _: _runtime.describe(MLP, __file__), "file", "version is"),
        (lambda _: _runtime.to_onnx(MLP, WEIGHTS, opset=99), "input", "opset"),
    ],
)
def test_errors(
    mlp: _runtime.Session, call: Callable[[_runtime.Session], Any], kind: str, said: str
) -> None:
    with pytest.raises(_runtime.Error) as caught:
        call(mlp)
    assert caught.value.kind == kind
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("number", "dtype"),
    [
        (0, np.bool_),
        (1, np.int16),
        (2, np.int32),
        (3, np.int64),
        (4, np.float16),
        (5, np.float32),
        (6, np.float64),
        (20, np.uint8),
        (21, np.int8),
        (22, ml_dtypes.bfloat16),
    ],
)
@pytest.mark.parametrize("count", [0, 3, 100_000])
def test_all_dtypes_pass_through(number: int, dtype: Any, count: int) -> None:
    through = _runtime.Session(one_op_program(number, "y"), None, {"ort_library": ENGINE})
    x = (np.arange(count) % 2).astype(dtype)
    (y,) = through.run({"x": x})
    assert y.dtype == x.dtype
    assert np.array_equal(x, y)


def test_large_results_outlive_the_session() -> None:
    through = _runtime.Session(one_op_program(5, "y"), None, {"ort_library": ENGINE})
    x = np.arange(1_000_000, dtype="float32")
    (y,) = through.run([x])
    del through
    assert not y.flags.owndata
    assert y.flags.writeable
    np.testing.assert_array_equal(x, y)


def test_onnx_files_are_valid(tmp_path: Path) -> None:
    (tmp_path / "mlp.pdiparams").write_bytes(Path(WEIGHTS).read_bytes())
    for inline in (False, True):
        path = tmp_path / f"{inline}.onnx"
        path.write_bytes(_runtime.to_onnx(MLP, WEIGHTS, inline=inline))
        onnx.checker.check_model(str(path), full_check=True)
        raw = onnxruntime.InferenceSession(str(path)).run(None, {"x": X})
        for got, wanted in zip(raw, WANTED, strict=True):
            np.testing.assert_allclose(got, wanted, atol=1e-5)
    assert _runtime.to_onnx(MLP, WEIGHTS) == _runtime.to_onnx(MLP, WEIGHTS)


def test_many_threads(mlp: _runtime.Session) -> None:
    wrong: list[float] = []

    def work() -> None:
        for _ in range(200):
            wrong.extend(d for d in [float(np.abs(mlp.run([X])[0] - WANTED[0]).max())] if d > 1e-5)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []


def guarded(guard: Guard) -> _runtime.Session:
    """r = relu(x); y = r + bias, both float32[?,4], with one guard."""
    variables = {name: (5, [-1, 4]) for name in ("x", "bias", "r", "y")}
    ops = [
        ("relu", {"X": "x"}, {"Out": "r"}),
        ("elementwise_add", {"X": "r", "Y": "bias"}, {"Out": "y"}),
    ]
    return _runtime.Session(
        program(variables, ops, ["x", "bias"], ["y"], (guard,)), None, {"ort_library": ENGINE}
    )


def test_violated_guard_explains_the_failure() -> None:
    two = guarded(Guard("dim", "r", 0, "2", "shape[0]", "net.py:4 in forward", "h = r.shape[0]"))
    assert two.run([X[:2], X[:2]])[0].shape == (2, 4)
    with pytest.raises(_runtime.Error) as caught:
        # 3 + 2 rows: the engine itself would only say that Add failed
        two.run([np.zeros((3, 4), "float32"), X[:2]])
    assert caught.value.kind == "guard"
    assert str(caught.value) == (
        "model.pdmodel: r.shape[0] is 3, the trace assumed 2 (read by shape[0])\n"
        "  at net.py:4 in forward: h = r.shape[0]"
    )
    with pytest.raises(_runtime.Error) as caught:
        two.run([X[:2], np.zeros((3, 4), "float32")])
    assert caught.value.kind == "engine"


@pytest.mark.parametrize(
    ("number", "dtype", "expected", "good", "bad"),
    [
        (5, "float32", "0.1", 0.1, 0.2),
        (5, "float32", "2", 2.5, 3.0),  # int(y)
        (5, "float32", "True", 7.0, 0.0),  # bool(y)
        (3, "int64", "9007199254740993", 9007199254740993, 9007199254740992),
        (2, "int32", "-4", -4, 4),
        (0, "bool", "False", False, True),
        (6, "float64", "nan", float("nan"), 1.0),
    ],
)
def test_value_guards(number: int, dtype: str, expected: str, good: float, bad: float) -> None:
    guard = Guard("value", "y", 0, expected, "item()", "net.py:2 in forward", "if y.item():")
    ops = [("scale", {"X": "x"}, {"Out": "y"})]
    bytes_ = program({"x": (number, [1]), "y": (number, [1])}, ops, ["x"], ["y"], (guard,))
    reader = _runtime.Session(bytes_, None, {"ort_library": ENGINE})
    assert np.array_equal(
        reader.run([np.array([good], dtype)])[0], np.array([good], dtype), equal_nan=dtype[0] == "f"
    )
    with pytest.raises(_runtime.Error, match=f"the trace assumed {re.escape(expected)}") as caught:
        reader.run([np.array([bad], dtype)])
    assert caught.value.kind == "guard"
