"""No op creates a result above OARLOCK_MAX_RESULT_BYTES, whatever determines its size."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.core import native
from oarlock.core.errors import MemoryLimitError, OpError
from oarlock.core.op import OPS

F = paddle.nn.functional
LIMIT = 4 << 20
N = 1200  # N x N float32 are 5.8 MB


def column_of_ones() -> paddle.Tensor:
    """Return ones [N, 1]."""
    return paddle.ones([N, 1])


def row_of_ones() -> paddle.Tensor:
    """Return ones [1, N]."""
    return paddle.ones([1, N])


def shape_tensor(*shape: int) -> paddle.Tensor:
    """A shape as a tensor."""
    return paddle.to_tensor(list(shape), "int32")


GROWS: dict[str, Callable[[], Any]] = {
    "add": lambda: column_of_ones() + row_of_ones(),
    "add int64": lambda: column_of_ones().astype("int64") + row_of_ones().astype("int64"),
    "add with axis": lambda: OPS["elementwise_add"](
        paddle.ones([N, 1, 1]), paddle.ones([1, N]), axis=1
    ),
    "float16": lambda: paddle.ones([4 * N, 1], "float16") * paddle.ones([1, N], "float16"),
    "maximum": lambda: paddle.maximum(column_of_ones(), row_of_ones()),
    "equal": lambda: paddle.ones([4 * N, 1]) == row_of_ones(),
    "logical_and": lambda: paddle.logical_and(
        paddle.ones([4 * N, 1], "bool"), paddle.ones([1, N], "bool")
    ),
    "where": lambda: paddle.where(column_of_ones() > 0, row_of_ones(), column_of_ones()),
    "pow": lambda: paddle.pow(column_of_ones(), row_of_ones()),
    "matmul": lambda: paddle.matmul(column_of_ones(), row_of_ones()),
    "matmul float64": lambda: paddle.matmul(
        column_of_ones().astype("float64"), row_of_ones().astype("float64")
    ),
    "matmul transposed": lambda: paddle.matmul(
        row_of_ones(), column_of_ones(), transpose_x=True, transpose_y=True
    ),
    "bmm": lambda: paddle.bmm(column_of_ones()[None], row_of_ones()[None]),
    "mm": lambda: paddle.mm(column_of_ones(), row_of_ones()),
    "addmm": lambda: paddle.addmm(paddle.ones([1]), column_of_ones(), row_of_ones()),
    "outer": lambda: paddle.outer(column_of_ones(), row_of_ones()),
    "einsum": lambda: paddle.einsum("i,j->ij", column_of_ones().flatten(), row_of_ones().flatten()),
    "kron": lambda: paddle.kron(column_of_ones(), row_of_ones()),
    "linear": lambda: F.linear(column_of_ones(), row_of_ones()),
    "cdist": lambda: paddle.linalg.norm(column_of_ones()[:, None] - column_of_ones(), axis=-1),
    "meshgrid": lambda: (
        paddle.meshgrid(column_of_ones().flatten(), row_of_ones().flatten())[0] * 2.0
    ),
    "diag": lambda: paddle.diag(column_of_ones().flatten()),
    "diag_embed": lambda: F.diag_embed(column_of_ones().flatten()),
    "cov": lambda: paddle.linalg.cov(paddle.rand([N, 2])),
    "gather": lambda: paddle.gather(row_of_ones(), paddle.zeros([N], "int32")),
    "embedding": lambda: F.embedding(paddle.zeros([N], "int64"), row_of_ones()),
    "index": lambda: row_of_ones()[paddle.zeros([N], "int64")],
    "take_along_axis": lambda: paddle.take_along_axis(
        row_of_ones(), paddle.zeros([N, 1], "int64"), 0
    ),
    "expand_as": lambda: paddle.expand_as(row_of_ones(), paddle.ones([N, N // 2 * 2])) + 0.0,
    "expand by a tensor": lambda: paddle.expand(row_of_ones(), shape_tensor(N, N)) + 0.0,
    "tile by a tensor": lambda: paddle.tile(row_of_ones(), shape_tensor(N, 1)),
    "full by a tensor": lambda: paddle.full(shape_tensor(N, N), 1.0),
    "uniform by a tensor": lambda: paddle.uniform(shape_tensor(N, N)),
    "arange by tensors": lambda: paddle.arange(
        paddle.to_tensor(0), paddle.to_tensor(N * N), paddle.to_tensor(1)
    ),
    "linspace by a tensor": lambda: paddle.linspace(0, 1, paddle.to_tensor(N * N)),
    "one_hot": lambda: F.one_hot(paddle.zeros([N], "int64"), N),
    "one_hot by a tensor": lambda: F.one_hot(paddle.zeros([N], "int64"), paddle.to_tensor(N)),
    "repeat by a tensor": lambda: paddle.repeat_interleave(
        row_of_ones(), paddle.to_tensor([N] * N), axis=1
    ),
    "sequence_mask": lambda: F.sequence_mask(paddle.to_tensor([N * N]), maxlen=None),
    "bincount": lambda: paddle.bincount(paddle.to_tensor([N * N])),
    "interpolate by tensors": lambda: F.interpolate(
        paddle.ones([1, 1, 2, 2]), size=[paddle.to_tensor(N)] * 2
    ),
    "pad by a tensor": lambda: F.pad(paddle.ones([1, 1, 2, 2]), shape_tensor(N, N, N, N)),
    "conv": lambda: F.conv2d(paddle.ones([1, 1, 2, 2]), paddle.ones([N * N, 1, 1, 1])),
    "conv_transpose": lambda: F.conv2d_transpose(
        paddle.ones([1, 1, 2, 2]), paddle.ones([1, N, 40, 40])
    ),
    "concat": lambda: paddle.concat([row_of_ones()] * N),
    "stack": lambda: paddle.stack([row_of_ones()] * N),
    "cumsum": lambda: paddle.cumsum(paddle.ones([N // 2, N]), dtype="float64"),
    "cast": lambda: paddle.ones([N // 2, N]).astype("float64"),
    "unfold": lambda: F.unfold(paddle.ones([1, 1, 300, 300]), 4),
    "fill_diagonal": lambda: paddle.eye(N),
    "searchsorted": lambda: paddle.searchsorted(row_of_ones().flatten(), paddle.ones([N * N // 2])),
    "combinations": lambda: paddle.combinations(paddle.arange(N), 2),
    "vander": lambda: paddle.vander(paddle.ones([N]), N),
}
ENDS_SMALL = {"searchsorted", "cast", "cumsum"}  # operands as large as half of the limit


@pytest.fixture(autouse=True)
def limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OARLOCK_MAX_RESULT_BYTES", str(LIMIT))


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "numpy"])
@pytest.mark.parametrize("name", GROWS)
def test_result_above_the_limit_is_rejected(name: str, compiled: bool) -> None:
    with (
        native.use_native_kernels(compiled),
        pytest.raises(MemoryLimitError, match="more than the .* OARLOCK_MAX_RESULT_BYTES"),
    ):
        GROWS[name]()


def test_error_names_op_and_shape() -> None:
    with pytest.raises(
        MemoryLimitError, match=r"add: its result float32\[1200,1200\] takes"
    ) as error:
        column_of_ones() + row_of_ones()
    assert "X=float32[1200,1], Y=float32[1,1200]" in str(error.value)
    assert "test_memory_limit.py" in str(error.value)


def test_copy_of_a_view_that_does_not_fit_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OARLOCK_MAX_RESULT_BYTES", str(1 << 62))
    view = paddle.expand(paddle.ones([1, 3]), [1 << 50, 3])
    with pytest.raises(MemoryLimitError, match=r"numpy\(\): .* float32\[1125899906842624,3\]"):
        view.numpy()


def test_fetched_view_that_does_not_fit_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OARLOCK_MAX_RESULT_BYTES", str(1 << 62))
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            x, shape = paddle.static.data("x", [1, 3]), paddle.static.data("shape", [2], "int64")
            view = paddle.expand(x, shape)
            feed = {"x": np.ones((1, 3), "float32"), "shape": np.array([1 << 50, 3])}
            with pytest.raises(MemoryLimitError, match=r"run: \S+: there is not enough memory"):
                paddle.static.Executor().run(feed=feed, fetch_list=[view])
    finally:
        paddle.disable_static()


def test_result_at_the_limit() -> None:
    assert (paddle.ones([1024, 1]) + paddle.ones([1, 1024])).shape == [1024, 1024]


def test_gradient_above_the_limit_is_rejected() -> None:
    x = paddle.ones([N, 1])
    x.stop_gradient = False
    with pytest.raises(MemoryLimitError, match="OARLOCK_MAX_RESULT_BYTES"):
        paddle.autograd.backward(
            [
                paddle.expand(x, [N, N // 2]).sum() * (x @ row_of_ones()[:, :10]).sum()
                + (x + row_of_ones()).sum()
            ]
        )


@pytest.mark.parametrize(
    "forward",
    [lambda x, y: x + y, lambda x, y: paddle.matmul(x, y), lambda x, y: paddle.tanh(x * y + x)],
    ids=["add", "matmul", "fused"],
)
def test_limit_in_trained_programs(forward: Callable[..., Any]) -> None:
    """Programs that record gradients run compiled; without gradients they run in the engine, which
    has no such limit.
    """
    spec = [paddle.static.InputSpec([None, 1]), paddle.static.InputSpec([1, None])]
    f = paddle.jit.to_static(forward, input_spec=spec, full_graph=True)
    f(paddle.ones([3, 1]), paddle.ones([1, 5]))
    with pytest.raises(OpError, match="OARLOCK_MAX_RESULT_BYTES"):
        f(with_gradient(paddle.ones([4 * N, 1])), with_gradient(paddle.ones([1, 4 * N])))


def with_gradient(x: paddle.Tensor) -> paddle.Tensor:
    """Return x with stop_gradient=False."""
    x.stop_gradient = False
    return x


def test_limit_in_other_threads() -> None:
    found: list[BaseException] = []

    def work() -> None:
        try:
            column_of_ones() + row_of_ones()
        except MemoryLimitError as error:
            found.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found


def test_no_limit_for_numpy_outside_of_ops() -> None:
    """The user's arrays and the inputs of ops are not counted."""
    large = np.ones((N, N), "float64")
    assert (large + large).nbytes > LIMIT
    assert paddle.to_tensor(large).numpy().nbytes > LIMIT
    assert float(paddle.to_tensor(large).sum()) == N * N


def test_limit_in_other_contexts() -> None:
    """NumPy's allocation handler belongs to a context, for example an asyncio task."""

    def work() -> None:
        with pytest.raises(MemoryLimitError):
            column_of_ones() + row_of_ones()

    def run_in_new_contexts() -> None:
        for _ in range(2):
            contextvars.Context().run(work)
        work()

    thread = threading.Thread(target=run_in_new_contexts)
    thread.start()
    thread.join()
    run_in_new_contexts()
