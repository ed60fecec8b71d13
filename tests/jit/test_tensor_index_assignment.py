"""`x[index] = value` with index tensors returns NumPy's result eagerly, in programs and after
saving.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.static import InputSpec

X = np.arange(120, dtype="float32").reshape(2, 3, 4, 5)
IDS, IDS_2D = np.array([0, 2]), np.array([[0, 1], [2, 0]])
MASK = np.array([True, False, True])
ALL = slice(None)
# index, shapes of the value; arrays become tensors
CASES: dict[str, tuple[tuple[Any, ...], list[tuple[int, ...]]]] = {
    "after a slice": ((ALL, IDS), [(2, 2, 4, 5), (2, 4, 5), (5,), (), (2, 1, 1), (1, 1, 2, 4, 5)]),
    "after two slices": ((ALL, ALL, IDS), [(2, 3, 2, 5), (2, 5)]),
    "beside a bounded slice": ((ALL, slice(1, None), IDS), [(2, 2, 2, 5), (2, 5)]),
    "two adjacent": ((ALL, IDS, IDS), [(2, 2, 5), (2, 5)]),
    "two apart": ((ALL, IDS, ALL, IDS), [(2, 2, 4)]),
    "beside an int": ((ALL, IDS, 1), [(2, 2, 5), (2, 5)]),
    "scalar": ((ALL, np.array(1)), [(2, 4, 5), (4, 5)]),
    "of one element": ((ALL, np.array([1])), [(2, 1, 4, 5), (1, 4, 5)]),
    "after an ellipsis": ((Ellipsis, IDS), [(2, 3, 4, 2), (2,)]),
    "after None": ((ALL, None, IDS), [(2, 1, 2, 4, 5)]),
    "mask": ((ALL, MASK), [(2, 2, 4, 5), ()]),
    "2-D": ((ALL, IDS_2D), [(2, 2, 2, 4, 5)]),
}
ROWS = [(name, shape) for name, (_, shapes) in CASES.items() for shape in shapes]


class Assign(paddle.nn.Layer):
    """Assigns to an index whose arrays are replaced by the tensors of the call."""

    def __init__(self, index: tuple[Any, ...]) -> None:
        super().__init__()
        self.index = index

    def forward(self, x: Any, value: Any, first: Any, second: Any) -> Any:
        x = x * 1.0
        i, j = self.index_arrays()
        if j is not None:
            index = (*self.index[:i], first, *self.index[i + 1 : j], second, *self.index[j + 1 :])
        else:
            index = (*self.index[:i], first, *self.index[i + 1 :])
        x[index] = value
        return x

    def index_arrays(self) -> tuple[int, int | None]:
        """Return the positions of the arrays in the index."""
        at = [i for i, item in enumerate(self.index) if isinstance(item, np.ndarray)]
        return at[0], at[1] if len(at) > 1 else None


def arguments(name: str, shape: tuple[int, ...]) -> list[np.ndarray]:
    value = -1 - np.arange(np.prod(shape, dtype=int), dtype="float32").reshape(shape)
    arrays = [item for item in CASES[name][0] if isinstance(item, np.ndarray)]
    return [X, value, arrays[0], arrays[-1]]


@pytest.mark.parametrize(("name", "shape"), ROWS)
def test_assignment(name: str, shape: tuple[int, ...], tmp_path: Path) -> None:
    index = CASES[name][0]
    arrays = arguments(name, shape)
    expected = X.copy()
    expected[index] = arrays[1]
    layer = Assign(index)
    tensors = [paddle.to_tensor(array) for array in arrays]
    np.testing.assert_array_equal(layer(*tensors).numpy(), expected)
    np.testing.assert_array_equal(paddle.jit.to_static(Assign(index))(*tensors).numpy(), expected)
    x_shape = [2, 3, 4, 5] if shape else [None, 3, None, 5]
    spec = [InputSpec(x_shape, "float32"), *(InputSpec(a.shape, a.dtype) for a in arrays[1:])]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*there are no parameters")
        paddle.jit.save(layer, tmp_path / "m", input_spec=spec)
    loaded = paddle.jit.load(tmp_path / "m")
    np.testing.assert_array_equal(loaded(*tensors).numpy(), expected)


def test_int_before_a_slice_is_no_index_tensor() -> None:
    x = paddle.to_tensor(X)
    index = paddle.to_tensor(IDS)
    selected = x[0, :, index]
    assert selected.shape == [3, 2, 5]  # as in Paddle; NumPy's is [2, 3, 5]
    x[0, :, index] = selected + 1
    expected = X.copy()
    expected[0][:, IDS] += 1
    np.testing.assert_array_equal(x.numpy(), expected)


def test_gradients() -> None:
    x = paddle.to_tensor(X, stop_gradient=False)
    value = paddle.full([2, 4, 5], 3.0)
    value.stop_gradient = False
    y = x * 2.0
    y[:, paddle.to_tensor(IDS)] = value
    (y * paddle.to_tensor(X)).sum().backward()
    expected = 2 * X
    expected[:, IDS] = 0
    np.testing.assert_array_equal(x.grad.numpy(), expected)
    np.testing.assert_array_equal(value.grad.numpy(), X[:, IDS].sum(0))


@pytest.mark.parametrize("shape", [(3, 4, 5), (2, 2, 2, 4, 5)])
def test_value_of_wrong_shape(shape: tuple[int, ...]) -> None:
    x = paddle.to_tensor(X)
    message = r"setitem: the value does not broadcast to the selected elements, \[2, 2, 4, 5\]"
    with pytest.raises(ValueError, match=message):
        x[:, paddle.to_tensor(IDS)] = paddle.zeros(list(shape))


def test_index_out_of_range() -> None:
    x = paddle.to_tensor(X)
    with pytest.raises((IndexError, ValueError), match="out of range|range"):
        x[:, paddle.to_tensor(np.array([0, 3]))] = 1.0
