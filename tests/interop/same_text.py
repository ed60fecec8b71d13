"""The same code for Oarlock and for real Paddle: the text of tensors; see same_code.py."""

import numpy as np


def texts_of(*arrays):
    """A case that shows tensors of these arrays."""

    def run(P):
        return {str(i): np.array(str(P.to_tensor(a))) for i, a in enumerate(arrays)}

    return run


rng = np.random.default_rng(4)


def with_options(P):
    """Other settings, and back."""
    given = np.arange(60, dtype="float32").reshape(6, 10) / 7 - 3
    found = {}
    usual = {"precision": 8, "threshold": 1000, "edgeitems": 3, "sci_mode": False, "linewidth": 80}
    narrow = {"precision": 3, "threshold": 5, "edgeitems": 2, "linewidth": 50}
    for i, options in enumerate([narrow, {"sci_mode": True, "threshold": 1000}, usual]):
        P.set_printoptions(**options)
        found[str(i)] = np.array(str(P.to_tensor(given)))
    return found


def halves(P):
    """bfloat16 and float16."""
    x = P.to_tensor(np.array([[1.5, -2.0], [0.125, 1e4]], "float32"))
    return {dtype: np.array(str(x.astype(dtype))) for dtype in ("bfloat16", "float16", "float64")}


def flags(P):
    """A leaf with stop_gradient=False, and a result."""
    x = P.to_tensor(np.array([1.0, 2.0], "float32"), stop_gradient=False)
    return {"leaf": np.array(str(x)), "made": np.array(repr(x * 2))}


CASES = {
    "text.numbers": texts_of(np.float32(1.5), np.float32(2)),
    "text.columns": texts_of(np.array([1.0, -2.5, 3e10], "f"), np.array([[1.123456789, 2e10], [3, 4]], "f"), np.array([1e-8, 1], "f")),
    "text.odd": texts_of(np.array([np.nan, np.inf, -np.inf, 1], "f"), np.array([np.nan, 2.5], "d"), np.array([-0.0, 0.0], "f")),
    "text.whole": texts_of(np.array([True, False]), np.arange(5), np.array([-3, 10, 200]), np.array([1, 2], "uint8"), np.int64(7), np.array(True)),
    "text.large": texts_of(np.arange(2000), rng.normal(size=(3, 40, 50)).astype("f"), rng.normal(size=(30, 50)), rng.normal(size=(2, 3, 4, 5)).astype("f")),
    "text.wide": texts_of(rng.normal(size=(3, 20)).astype("f"), np.arange(40), -np.arange(60.0).reshape(3, 20)),
    "text.empty": texts_of(np.zeros((0,), "f"), np.zeros((2, 0, 3), "f"), np.zeros((0, 3), "int64")),
    "text.complex": texts_of(np.array([1 + 2j], "complex64"), np.array([1.5 - 2j, 0], "complex128")),
    "text.halves": halves,
    "text.flags": flags,
    "text.options": with_options,
}  # fmt: skip
