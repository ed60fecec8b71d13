"""Single ops on arrays of a million elements in Paddle's API: `op_cases.py oarlock` and
`op_cases.py paddle` run the same code.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from serve import Case, serve

P: Any = importlib.import_module(sys.argv[1])
F: Any = P.nn.functional
ROWS, COLUMNS = 1000, 1000
rng = np.random.default_rng(0)

# A function that returns the arrays of the inputs by name.
MakeInputs = Callable[[], dict[str, Any]]


def normal(*shape: int) -> Any:
    """Return a float32 array of normal numbers."""
    return rng.standard_normal(shape).astype("float32")


def factors(*shape: int) -> Any:
    """Return a float32 array of numbers whose products do not underflow."""
    return np.exp(normal(*shape) * 0.01)


def integers(high: int, *shape: int, low: int = 0) -> Any:
    """Return an int64 array of numbers from `low` to `high` - 1."""
    return rng.integers(low, high, shape)


def matrix() -> Any:
    """Return a float32 matrix of a million elements."""
    return normal(ROWS, COLUMNS)


def int_matrix(high: int = 1000, low: int = 0) -> Any:
    """Return an int64 matrix of a million elements."""
    return integers(high, ROWS, COLUMNS, low=low)


def images() -> Any:
    """Return float32 images of a million elements."""
    return normal(4, 16, 128, 128)


def boxes(count: int) -> Any:
    """Return boxes of which about two in three overlap others, as a detector's."""
    corners = rng.uniform(0, 600, (count, 2))
    return np.concatenate([corners, corners + rng.uniform(10, 120, (count, 2))], 1).astype(
        "float32"
    )


class OpCase:
    """An op and its inputs, of which `forward` and `backward` make calls to time.

    function: takes the tensors of the arrays that `make_inputs` returns, in their order.
    differentiated: the names of the inputs whose gradients the backward case computes; none: there
    is no backward case.
    """

    def __init__(
        self, function: Callable[..., Any], make_inputs: MakeInputs, *differentiated: str
    ) -> None:
        self.function, self.make_inputs, self.differentiated = function, make_inputs, differentiated

    def forward(self) -> Case:
        """Return a call of the op without gradient."""
        tensors = [P.to_tensor(v) for v in self.make_inputs().values()]
        return lambda: self.function(*tensors)

    def backward(self) -> Case:
        """Return a call of the backward pass of the op, without its forward pass."""
        tensors = {k: P.to_tensor(v) for k, v in self.make_inputs().items()}
        for name in self.differentiated:
            tensors[name].stop_gradient = False
        out = self.function(*tensors.values())
        out = out[0] if isinstance(out, (tuple, list)) else out
        out_grad = P.to_tensor(rng.standard_normal(out.shape).astype("float32"))
        inputs = [tensors[name] for name in self.differentiated]
        return lambda: P.grad([out], inputs, [out_grad], retain_graph=True)


def cumulative_cases(name: str) -> dict[str, OpCase]:
    """Return the cases of a cumulative function `name`, whose second argument is the axis."""
    function = getattr(P, name)
    shapes = {
        "axis 0": ((ROWS, COLUMNS), 0),
        "axis 1": ((ROWS, COLUMNS), 1),
        "of a vector": ((ROWS * COLUMNS,), 0),
        "axis 1 of 3": ((100, 100, 100), 1),
    }
    # Paddle's gradient of cumprod takes time proportional to the square of the size of the axis.
    differentiated = () if name == "cumprod" else ("x",)
    cases = {
        f"{name} {label}": OpCase(
            lambda x, axis=axis: function(x, axis),
            lambda shape=shape: {"x": factors(*shape)},
            *differentiated,
        )
        for label, (shape, axis) in shapes.items()
    }
    if name == "cumprod":
        cases["cumprod of rows of 10"] = OpCase(
            lambda x: function(x, 1), lambda: {"x": factors(100_000, 10)}, "x"
        )
    if name != "logcumsumexp":
        cases[f"{name} axis 1 int64"] = OpCase(
            lambda x: function(x, 1), lambda: {"x": int_matrix(3)}
        )
    return cases


def division_cases(name: str, *differentiated: str) -> dict[str, OpCase]:
    """Return the cases of `floor_divide` or `remainder`."""
    function = getattr(P, name)
    return {
        name: OpCase(function, lambda: {"x": matrix(), "y": matrix() + 5}, *differentiated),
        f"{name} by a row": OpCase(function, lambda: {"x": matrix(), "y": normal(COLUMNS) + 5}),
        f"{name} by a scalar": OpCase(
            lambda x: function(x, P.full([], 3.0)), lambda: {"x": matrix()}
        ),
        f"{name} int64": OpCase(
            function, lambda: {"x": int_matrix(1000, -1000), "y": int_matrix(100, 1)}
        ),
        f"{name} int32": OpCase(
            function,
            lambda: {
                "x": int_matrix(1000, -1000).astype("int32"),
                "y": int_matrix(100, 1).astype("int32"),
            },
        ),
    }


def gather_and_scatter_cases() -> dict[str, OpCase]:
    """Return the cases of ops that read or write at indices."""
    cases = {}
    for label, width in (("rows of 1000", 1000), ("rows of 10", 10)):
        n = ROWS * COLUMNS // width

        def inputs(n: int = n, width: int = width) -> dict[str, Any]:
            return {"x": normal(n, width), "i": integers(n, n), "u": normal(n, width)}

        cases |= {
            f"scatter, {label}": OpCase(P.scatter, inputs, "x", "u"),
            f"scatter add, {label}": OpCase(
                lambda x, i, u: P.scatter(x, i, u, overwrite=False), inputs, "x", "u"
            ),
            f"index_add, {label}": OpCase(
                lambda x, i, u: P.index_add(x, i, 0, u), inputs, "x", "u"
            ),
            f"scatter_nd_add, {label}": OpCase(
                lambda x, i, u: P.scatter_nd_add(x, i.reshape([-1, 1]), u), inputs, "x", "u"
            ),
            f"gather, {label}": OpCase(lambda x, i, _: P.gather(x, i), inputs, "x"),
            f"index_select, {label}": OpCase(lambda x, i, _: P.index_select(x, i), inputs, "x"),
            f"embedding, {label}": OpCase(lambda x, i, _: F.embedding(i, x), inputs, "x"),
        }
    square = {
        "x": matrix,
        "i": lambda: int_matrix(ROWS),
        "u": matrix,
    }

    def vectors() -> dict[str, Any]:
        n = ROWS * COLUMNS
        return {"x": normal(n), "i": integers(n, n), "u": normal(n)}

    def matrices() -> dict[str, Any]:
        return {k: make() for k, make in square.items()}

    def column_index() -> dict[str, Any]:
        return {"x": matrix(), "i": integers(COLUMNS, COLUMNS), "u": matrix()}

    return cases | {
        "scatter of elements": OpCase(P.scatter, vectors, "x", "u"),
        "scatter add of elements": OpCase(
            lambda x, i, u: P.scatter(x, i, u, overwrite=False), vectors, "x", "u"
        ),
        "scatter int64": OpCase(
            P.scatter,
            lambda: {"x": int_matrix(), "i": integers(ROWS, ROWS), "u": int_matrix()},
        ),
        "scatter add int64": OpCase(
            lambda x, i, u: P.scatter(x, i, u, overwrite=False),
            lambda: {"x": int_matrix(), "i": integers(ROWS, ROWS), "u": int_matrix()},
        ),
        "index_add of elements": OpCase(lambda x, i, u: P.index_add(x, i, 0, u), vectors, "x", "u"),
        "index_add axis 1": OpCase(lambda x, i, u: P.index_add(x, i, 1, u), column_index, "x", "u"),
        "index_add int64": OpCase(
            lambda x, i, u: P.index_add(x, i, 0, u),
            lambda: {"x": int_matrix(), "i": integers(ROWS, ROWS), "u": int_matrix()},
        ),
        "gather axis 1": OpCase(lambda x, i, _: P.gather(x, i, axis=1), column_index, "x"),
        "index_select axis 1": OpCase(
            lambda x, i, _: P.index_select(x, i, axis=1), column_index, "x"
        ),
        "scatter_nd_add of elements": OpCase(
            P.scatter_nd_add,
            lambda: {
                "x": matrix(),
                "i": integers(ROWS, ROWS * COLUMNS, 2),
                "u": normal(ROWS * COLUMNS),
            },
            "x",
            "u",
        ),
        "gather_nd of elements": OpCase(
            P.gather_nd,
            lambda: {"x": matrix(), "i": integers(ROWS, ROWS * COLUMNS, 2)},
            "x",
        ),
        "put_along_axis axis 0": OpCase(
            lambda x, i, u: P.put_along_axis(x, i, u, 0), matrices, "x", "u"
        ),
        "put_along_axis axis 1": OpCase(
            lambda x, i, u: P.put_along_axis(x, i, u, 1), matrices, "x", "u"
        ),
        "put_along_axis add, axis 0": OpCase(
            lambda x, i, u: P.put_along_axis(x, i, u, 0, "add"), matrices
        ),
        "put_along_axis add, axis 1": OpCase(
            lambda x, i, u: P.put_along_axis(x, i, u, 1, "add"), matrices
        ),
        "take_along_axis axis 0": OpCase(lambda x, i, _: P.take_along_axis(x, i, 0), matrices, "x"),
        "take_along_axis axis 1": OpCase(lambda x, i, _: P.take_along_axis(x, i, 1), matrices, "x"),
        "index_put": OpCase(
            lambda x, i, j, u: P.index_put(x, (i, j), u), pairs_and_values, "x", "u"
        ),
        "index_put accumulate": OpCase(
            lambda x, i, j, u: P.index_put(x, (i, j), u, True),
            pairs_and_values,
            "x",
            "u",
        ),
        "index_sample": OpCase(lambda x, i, _: P.index_sample(x, i), matrices, "x"),
    }


def pairs_and_values() -> dict[str, Any]:
    """Return a matrix, index pairs and a value for each pair."""
    n = ROWS * COLUMNS
    return {"x": matrix(), "i": integers(ROWS, n), "j": integers(COLUMNS, n), "u": normal(n)}


def pooling_cases() -> dict[str, OpCase]:
    """Return the cases of pooling."""
    pools = {
        "max_pool2d 2, stride 2": lambda x: F.max_pool2d(x, 2, 2),
        "max_pool2d 3, stride 2, padding 1": lambda x: F.max_pool2d(x, 3, 2, 1),
        "max_pool2d 3, stride 1, padding 1": lambda x: F.max_pool2d(x, 3, 1, 1),
        "max_pool2d 5, stride 1, padding 2": lambda x: F.max_pool2d(x, 5, 1, 2),
        "max_pool2d 2, stride 2, with indices": lambda x: F.max_pool2d(x, 2, 2, return_mask=True),
        "max_pool2d 3, stride 2, with indices": lambda x: F.max_pool2d(
            x, 3, 2, 1, return_mask=True
        ),
        "max_pool2d 2, stride 2, NHWC": lambda x: F.max_pool2d(x, 2, 2, data_format="NHWC"),
        "avg_pool2d 2, stride 2": lambda x: F.avg_pool2d(x, 2, 2),
        "avg_pool2d 3, stride 2, padding 1": lambda x: F.avg_pool2d(x, 3, 2, 1),
        "avg_pool2d 3, stride 1, padding 1": lambda x: F.avg_pool2d(x, 3, 1, 1),
        "adaptive_avg_pool2d 1": lambda x: F.adaptive_avg_pool2d(x, 1),
        "adaptive_avg_pool2d 7": lambda x: F.adaptive_avg_pool2d(x, 7),
        "adaptive_max_pool2d 7": lambda x: F.adaptive_max_pool2d(x, 7),
    }
    return {
        name: OpCase(function, lambda: {"x": images()}, "x") for name, function in pools.items()
    } | {
        "max_pool3d 2, stride 2": OpCase(
            lambda x: F.max_pool3d(x, 2, 2), lambda: {"x": normal(2, 8, 32, 64, 32)}, "x"
        ),
        "max_pool1d 2, stride 2": OpCase(
            lambda x: F.max_pool1d(x, 2, 2), lambda: {"x": normal(8, 32, 4096)}, "x"
        ),
    }


def sort_and_search_cases() -> dict[str, OpCase]:
    """Return the cases of ops that sort or search."""
    matrix_input = lambda: {"x": matrix()}  # noqa: E731
    vector_input = lambda: {"x": normal(ROWS * COLUMNS)}  # noqa: E731
    return {
        "mode": OpCase(P.mode, matrix_input, "x"),
        "mode axis 0": OpCase(lambda x: P.mode(x, 0), matrix_input, "x"),
        "mode of repeated values": OpCase(P.mode, lambda: {"x": int_matrix(10).astype("float32")}),
        "mode of short rows": OpCase(P.mode, lambda: {"x": normal(100_000, 10)}),
        "mode int64": OpCase(P.mode, lambda: {"x": int_matrix(100)}),
        "sort": OpCase(P.sort, matrix_input, "x"),
        "sort axis 0": OpCase(lambda x: P.sort(x, 0), matrix_input, "x"),
        "sort of a vector": OpCase(P.sort, vector_input, "x"),
        "sort descending": OpCase(lambda x: P.sort(x, descending=True), matrix_input),
        "sort int64": OpCase(P.sort, lambda: {"x": int_matrix(10**9)}),
        "argsort": OpCase(P.argsort, matrix_input),
        "argsort of a vector": OpCase(P.argsort, vector_input),
        "topk 5": OpCase(lambda x: P.topk(x, 5), matrix_input, "x"),
        "topk 5 int64": OpCase(lambda x: P.topk(x, 5), lambda: {"x": int_matrix(10**9)}),
        "topk 5 of a vector": OpCase(lambda x: P.topk(x, 5), vector_input),
        "topk 500": OpCase(lambda x: P.topk(x, 500), matrix_input, "x"),
        "kthvalue 500": OpCase(lambda x: P.kthvalue(x, 500), matrix_input, "x"),
        "median": OpCase(lambda x: P.median(x, 1), matrix_input, "x"),
        "unique": OpCase(P.unique, lambda: {"x": integers(1000, ROWS * COLUMNS)}),
        "unique with counts": OpCase(
            lambda x: P.unique(x, return_index=True, return_inverse=True, return_counts=True),
            lambda: {"x": integers(1000, ROWS * COLUMNS)},
        ),
        "unique of floats": OpCase(P.unique, lambda: {"x": normal(ROWS * COLUMNS).round(2)}),
        "searchsorted": OpCase(
            P.searchsorted,
            lambda: {"s": np.sort(normal(100_000)), "x": normal(ROWS * COLUMNS)},
        ),
        "bincount": OpCase(P.bincount, lambda: {"x": integers(1000, ROWS * COLUMNS)}),
        "histogram": OpCase(lambda x: P.histogram(x, 100), vector_input),
        "argmax": OpCase(lambda x: P.argmax(x, 1), matrix_input),
    }


OP_CASES: dict[str, OpCase] = {
    **cumulative_cases("cumsum"),
    **cumulative_cases("cumprod"),
    **cumulative_cases("cummax"),
    **cumulative_cases("cummin"),
    **cumulative_cases("logcumsumexp"),
    "multinomial of a vector": OpCase(
        lambda x: P.multinomial(x, 1000), lambda: {"x": np.abs(normal(ROWS * COLUMNS))}
    ),
    "multinomial": OpCase(lambda x: P.multinomial(x, 5), lambda: {"x": np.abs(matrix())}),
    "multinomial of short rows": OpCase(
        lambda x: P.multinomial(x, 1), lambda: {"x": np.abs(normal(100_000, 10))}
    ),
    "multinomial with replacement": OpCase(
        lambda x: P.multinomial(x, 1000, True), lambda: {"x": np.abs(matrix())}
    ),
    **{
        f"nms of {n} boxes": OpCase(lambda x: P.vision.ops.nms(x, 0.5), lambda n=n: {"x": boxes(n)})
        for n in (100, 1000, 5000)
    },
    **{
        f"nms of {n} boxes with scores": OpCase(
            lambda x, s: P.vision.ops.nms(x, 0.5, s),
            lambda n=n: {"x": boxes(n), "s": rng.uniform(0, 1, n).astype("float32")},
        )
        for n in (1000, 5000)
    },
    **sort_and_search_cases(),
    **gather_and_scatter_cases(),
    **pooling_cases(),
    **division_cases("floor_divide"),
    **division_cases("remainder"),
    "where": OpCase(
        P.where,
        lambda: {"c": matrix() > 0, "x": matrix(), "y": matrix()},
        "x",
        "y",
    ),
    "where int64": OpCase(
        P.where,
        lambda: {"c": matrix() > 0, "x": int_matrix(), "y": int_matrix()},
    ),
    "masked_select": OpCase(P.masked_select, lambda: {"x": matrix(), "m": matrix() > 0}, "x"),
    "nonzero": OpCase(P.nonzero, lambda: {"x": matrix() > 0}),
    "one_hot": OpCase(lambda x: F.one_hot(x, 100), lambda: {"x": integers(100, 10_000)}),
    "tile": OpCase(lambda x: P.tile(x, [10, 10]), lambda: {"x": normal(100, 100)}, "x"),
    "tile of a row": OpCase(lambda x: P.tile(x, [1000, 1]), lambda: {"x": normal(1, 1000)}, "x"),
    "expand": OpCase(lambda x: P.expand(x, [1000, 1000]), lambda: {"x": normal(1000)}, "x"),
    "expand of a column": OpCase(
        lambda x: P.expand(x, [1000, 1000]), lambda: {"x": normal(1000, 1)}, "x"
    ),
    "repeat_interleave": OpCase(
        lambda x: P.repeat_interleave(x, 4, 0), lambda: {"x": normal(250, 1000)}, "x"
    ),
    "flip": OpCase(lambda x: P.flip(x, [1]), lambda: {"x": matrix()}, "x"),
    "roll": OpCase(lambda x: P.roll(x, 3, 1), lambda: {"x": matrix()}, "x"),
}


def cases() -> dict[str, Callable[[], Case]]:
    """Return the forward cases, and the backward cases of the differentiable ones."""
    result: dict[str, Callable[[], Case]] = {}
    for name, case in OP_CASES.items():
        result[name] = case.forward
        if case.differentiated:
            result[name + ", backward"] = case.backward
    return result


if __name__ == "__main__":
    P.seed(0)
    serve(cases(), sys.argv[1])
