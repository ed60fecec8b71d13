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


def test_errors(tmp_path: Path) -> None:
    engine = engine_of(Doubled(), "float32", tmp_path)
    with pytest.raises(paddle.OarlockError, match=r"not an array in host memory \(RuntimeError: a"):
        engine.run([NotExportable(X)])
    with pytest.raises(paddle.OarlockError, match=r"'x' is float64\[2,4\], the model requires"):
        engine.run([Foreign(X.astype("float64"))])
