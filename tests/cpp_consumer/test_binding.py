"""The C++ runtime as Python sees it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
import pytest

from oarlock.loader import _runtime

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


def varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def one_op_program(to: int, out: str) -> bytes:
    """feed x: dtype `to` -> scale by 1 -> fetch, with the dtype's number in a `.pdmodel`."""

    def field(number: int, body: bytes) -> bytes:
        return varint(number << 3 | 2) + varint(len(body)) + body

    def number(field_number: int, value: int) -> bytes:
        return varint(field_number << 3) + varint(value % (1 << 64))

    def var(name: str) -> bytes:
        tensor = number(1, to) + number(2, -1)
        return field(3, field(1, name.encode()) + field(2, number(1, 7) + field(3, field(1, tensor))))

    def op(kind: str, inputs: dict[str, str], outputs: dict[str, str], attrs: bytes = b"") -> bytes:
        def slots(n: int, all_: dict[str, str]) -> bytes:
            return b"".join(field(n, field(1, s.encode()) + field(2, v.encode())) for s, v in all_.items())

        return field(4, slots(1, inputs) + slots(2, outputs) + field(3, kind.encode()) + attrs)

    col = field(4, field(1, b"col") + number(2, 0) + number(3, 0))
    ops = op("feed", {"X": "feed"}, {"Out": "x"}, col) + op("scale", {"X": "x"}, {"Out": out})
    ops += op("fetch", {"X": out}, {"Out": "fetch"}, col)
    return field(1, number(1, 0) + number(2, -1) + var("x") + var(out) + ops)


def test_numbers_are_paddles(mlp: _runtime.Session) -> None:
    for feeds in ({"x": X}, [X], (X,), {"x": np.asfortranarray(X)}, {"x": np.repeat(X, 2, axis=1)[:, ::2]}):
        for got, wanted in zip(mlp.run(feeds), WANTED, strict=True):
            np.testing.assert_allclose(got, wanted, atol=1e-5)


def test_interface(mlp: _runtime.Session) -> None:
    assert mlp.inputs == [("x", "float32", ["x.0", 4])]
    assert [(dtype, shape[1]) for _, dtype, shape in mlp.outputs] == [("float32", 3), ("float32", 8)]
    assert mlp.version == onnxruntime.__version__
    assert mlp.library == ENGINE
    assert "CPUExecutionProvider" in mlp.providers
    assert _runtime.library_info(ENGINE)["path"] == ENGINE
    assert "matmul_v2" in _runtime.lowered_ops()


def test_fetch_by_name_and_inner_variables(mlp: _runtime.Session) -> None:
    (second,) = mlp.run([X], [mlp.outputs[1][0]])
    np.testing.assert_allclose(second, WANTED[1], atol=1e-5)
    assert mlp.run([X], []) == []
    inner = session(outputs=["linear_0.tmp_0"])
    np.testing.assert_allclose(np.maximum(inner.run([X])[2], 0), WANTED[1], atol=1e-5)


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (
            lambda s: s.run({"x": X.astype("float64")}),
            "input",
            "input 'x' is float64[2,4], the model wants float32[?,4]",
        ),
        (lambda s: s.run({"y": X}), "input", "input 'x' is missing"),
        (lambda s: s.run({"x": X, "y": X}), "input", "no input 'y'"),
        (lambda s: s.run([X, X]), "input", "2 inputs given, the model has 1"),
        (lambda s: s.run({"x": "text"}), "input", "input 'x' has elements of type str"),
        (lambda s: s.run(3), "input", "wants a dict of arrays"),
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
def test_refusals(mlp: _runtime.Session, call: Callable[[_runtime.Session], Any], kind: str, said: str) -> None:
    with pytest.raises(_runtime.Error) as caught:
        call(mlp)
    assert caught.value.kind == kind
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("number", "dtype"),
    [
        (0, np.bool_), (1, np.int16), (2, np.int32), (3, np.int64), (4, np.float16), (5, np.float32), (6, np.float64),
        (20, np.uint8), (21, np.int8), (22, ml_dtypes.bfloat16),
    ],
)  # fmt: skip
@pytest.mark.parametrize("count", [0, 3, 100_000])
def test_every_dtype_goes_through_unchanged(number: int, dtype: Any, count: int) -> None:
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


def test_onnx_files_are_legal(tmp_path: Path) -> None:
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
