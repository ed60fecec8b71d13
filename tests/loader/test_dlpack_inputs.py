"""The engine accepts arrays of other libraries by DLPack."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import oarlock as paddle
from oarlock.loader.engine import Engine

X = np.arange(8, dtype="float32").reshape(2, 4)


class Foreign:
    """An array that offers nothing but DLPack."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **arguments: Any) -> Any:
        return self.array.__dlpack__(**arguments)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


class ForeignBfloat16(Foreign):
    """An array of bfloat16, given as its bits, which NumPy does not export by DLPack."""

    def __dlpack__(self, **arguments: Any) -> Any:
        capsule = self.array.view("uint16").__dlpack__()
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        address = pointer(capsule, b"dltensor")
        # DLTensor: data (8 bytes), device (8), ndim (4), code of the dtype.
        ctypes.c_uint8.from_address(address + 20).value = 4
        return capsule

    def __dlpack_device__(self) -> Any:
        return (1, 0)


class NotExportable(Foreign):
    """An array that cannot be exported, as a tensor of PyTorch that requires gradients."""

    def __dlpack__(self, **arguments: Any) -> Any:
        raise RuntimeError("a tensor that requires grad")


def engine_of(layer: paddle.nn.Layer, dtype: str, folder: Path) -> Engine:
    """Save a layer with one input [?, 4], and open it."""
    spec = paddle.static.InputSpec([None, 4], dtype, "x")
    paddle.jit.save(layer, str(folder / "net"), input_spec=[spec])
    return Engine((folder / "net.pdmodel").read_bytes(), str(folder / "net.pdiparams"))


class Doubled(paddle.nn.Layer):
    """Twice the input, as float32."""

    def __init__(self) -> None:
        super().__init__()
        constant = paddle.nn.initializer.Constant(2.0)
        self.factor = self.create_parameter([1], default_initializer=constant)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        """Convert and multiply."""
        return x.astype("float32") * self.factor


@pytest.mark.parametrize("array", [X, np.asfortranarray(X), X[:, ::-1], X[:0]], ids=repr)
def test_arrays(array: Any, tmp_path: Path) -> None:
    engine = engine_of(Doubled(), "float32", tmp_path)
    np.testing.assert_array_equal(engine.run([Foreign(array)])[0], array * 2)


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "int64", "uint8", "float16", "float64", "bfloat16"]
)
def test_dtypes(dtype: str, tmp_path: Path) -> None:
    engine = engine_of(Doubled(), dtype, tmp_path)
    array = X.astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    foreign = ForeignBfloat16(array) if dtype == "bfloat16" else Foreign(array)
    np.testing.assert_array_equal(engine.run([foreign])[0], array.astype("float32") * 2)


class Cached(Foreign):
    """An array that returns one capsule at each call, as a producer must not."""

    def __init__(self, array: Any) -> None:
        super().__init__(array)
        self.capsule = array.__dlpack__()

    def __dlpack__(self, **arguments: Any) -> Any:
        return self.capsule


def test_capsule_is_used_once(tmp_path: Path) -> None:
    engine = engine_of(Doubled(), "float32", tmp_path)
    cached = Cached(X.copy())
    np.testing.assert_array_equal(engine.run([cached])[0], X * 2)
    assert '"used_dltensor"' in repr(cached.capsule)
    with pytest.raises(paddle.OarlockError, match="not an array in host memory"):
        engine.run([cached])


class RunsPython:
    """An array whose conversion runs a function."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def __array__(self, *_: Any, **__: Any) -> Any:
        self.function()
        return X


class WrongLength(list[Any]):
    """A list that is longer than it says."""

    def __len__(self) -> int:
        return 0


def test_inputs_that_change_during_the_call(tmp_path: Path) -> None:
    engine = engine_of(Doubled(), "float32", tmp_path)
    inputs: list[Any] = []
    inputs.append(RunsPython(lambda: inputs.extend([X] * 1000)))
    np.testing.assert_array_equal(engine.run(inputs)[0], X * 2)
    named: dict[str, Any] = {}
    named["x"] = RunsPython(named.clear)
    np.testing.assert_array_equal(engine.run(named)[0], X * 2)
    with pytest.raises(paddle.OarlockError, match="1000 inputs given, the model has 1"):
        engine.run(WrongLength([X] * 1000))


def test_ctrl_c_during_the_conversion(tmp_path: Path) -> None:
    engine = engine_of(Doubled(), "float32", tmp_path)

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        engine.run([RunsPython(interrupt)])


def test_errors(tmp_path: Path) -> None:
    engine = engine_of(Doubled(), "float32", tmp_path)
    with pytest.raises(paddle.OarlockError, match=r"not an array in host memory \(RuntimeError: a"):
        engine.run([NotExportable(X)])
    with pytest.raises(paddle.OarlockError, match="no output 3"):
        engine.run([X], [3])  # type: ignore[list-item]
    with pytest.raises(paddle.OarlockError, match=r"'x' is float64\[2,4\], the model requires"):
        engine.run([Foreign(X.astype("float64"))])
