"""Compiled programs: every row of the op table equals its kernel; errors name the op of the
program.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.capture.modes import Static
from oarlock.capture.recorder import Recorder
from oarlock.capture.variable import Variable
from oarlock.compiler import CompiledProgram
from oarlock.compiler.codegen import FunctionSourceWriter
from oarlock.compiler.instructions import ConditionalBody, FusedCalls
from oarlock.compiler.unsupported_ops import UnsupportedOpsError
from oarlock.core.errors import OpError
from oarlock.core.mode import use_base_mode
from oarlock.core.native import use_native_kernels
from oarlock.core.op import Meta
from oarlock.core.tensor import Tensor
from oarlock.ir.program import Attr, AttrType, OpDesc, Program

from ..ops.rows import Row
from ..ops.table import op_of
from ..ops.test_forward import flat_results
from ..ops.test_recorded import exact, recorded_if_known


@exact
def test_row_equals_kernel(row: Row) -> None:
    op = op_of(row)
    found = recorded_if_known(row)
    if found is None:
        return
    recorder, feeds, names = found
    wanted = flat_results(op, op.kernel(*row.args, **row.attrs), offsets=False)
    compiled = CompiledProgram(recorder.program, list(feeds), names)
    results = compiled.run(recorder.scope, {n: t.array for n, t in feeds.items()})
    for got, want in zip(map(np.asarray, results), wanted, strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got, want)


def compiled_of(
    function: Any, *arrays: Any, hide: bool = False
) -> tuple[CompiledProgram, dict[str, Tensor]]:
    """A function of tensors, compiled, and the values that go with it."""
    recorder, inputs = Recorder(), []
    for i, array in enumerate(arrays):
        shape = (-1,) * array.ndim if hide else array.shape
        inputs.append(Variable(recorder.feed(f"x{i}", Meta(shape, array.dtype))))
        recorder.bind(inputs[-1], inputs[-1].name)
    with use_base_mode(Static(recorder)):
        made = function(*inputs)
        for out in made if isinstance(made, tuple) else (made,):
            recorder.fetch(recorder.find_name_or_declare_persistable(out))
    return CompiledProgram(recorder.program), recorder.scope


ONES = np.ones((3, 4), np.float32)


def test_fused_broadcasts() -> None:
    source = np.random.default_rng(1)
    shapes = [(3, 4), (4,), (3, 1), (1, 4), (1,), (3, 4)]
    arrays = [source.standard_normal(s).astype(np.float32) for s in shapes]
    f = lambda a, b, c, d, e, g: (
        paddle.tanh((a + b) * c - d) / (e * e + 1) * paddle.nn.functional.sigmoid(g)
    )
    compiled, scope = compiled_of(f, *arrays)
    assert "NI" in compiled.source_text
    feed = {f"x{i}": a for i, a in enumerate(arrays)}
    np.testing.assert_allclose(
        compiled.run(scope, feed)[0], f(*map(Tensor, arrays)).array, rtol=1e-6
    )


@pytest.mark.parametrize("uses", [63, 64, 65, 130])
def test_value_with_many_uses(uses: int) -> None:
    """Its gradient is a sum of as many, which stands among neighbors."""

    def f(x: Tensor) -> Tensor:
        total = paddle.add_n([paddle.tanh(x * float(i)) for i in range(uses)])
        return (total * total + x).sum()

    given = np.linspace(-1.0, 1.0, 6).reshape(2, 3)
    eager, compiled = (paddle.to_tensor(given, stop_gradient=False) for _ in range(2))
    f(eager).backward()
    paddle.jit.to_static(f)(compiled).backward()
    np.testing.assert_allclose(compiled.grad.numpy(), eager.grad.numpy(), rtol=1e-12)


@pytest.mark.parametrize(
    "shapes",
    [
        [(3, 4), (3, 4)],
        [(3, 4), (1, 4)],
        [(3, 1), (1, 4)],
        [(1, 1), (3, 4)],
        [(0, 4), (0, 4)],
        [(40, 70), (70,)],
    ],
)
def test_fused_ops_with_dynamic_sizes(shapes: list[tuple[int, ...]]) -> None:
    source = np.random.default_rng(1)
    arrays = [source.standard_normal(s).astype(np.float32) for s in shapes]
    f = lambda a, b: (paddle.tanh(a * a + 1) * paddle.exp(b), a * 2 - 1)
    compiled, scope = compiled_of(
        f, *[a.reshape(a.shape if a.ndim == 2 else (1, -1)) for a in arrays], hide=True
    )
    feed = {f"x{i}": a.reshape(a.shape if a.ndim == 2 else (1, -1)) for i, a in enumerate(arrays)}
    for got, want in zip(compiled.run(scope, feed), f(*map(Tensor, feed.values())), strict=True):
        assert got.shape == want.array.shape
        np.testing.assert_allclose(got, want.array, rtol=1e-6)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: paddle.clip(x, -0.5, 0.25),
        lambda x: paddle.clip(x, min=1.0),
        paddle.nn.functional.relu6,
        paddle.nn.functional.leaky_relu,
        lambda x: paddle.nn.functional.leaky_relu(x, 1.0),
        lambda x: paddle.nn.functional.leaky_relu(x, 0.0),
        lambda x: paddle.nn.functional.leaky_relu(x, -2.0),
        paddle.nn.functional.hardsigmoid,
        paddle.nn.functional.hardswish,
        lambda x: paddle.nn.functional.hardswish(paddle.clip(x, -4, 4) * 2 + 1),
    ],
)
def test_clipping_is_bitwise_equal(f: Any) -> None:
    odd = [np.nan, np.inf, -np.inf, 0.0, -0.0, 0.25, -0.5, 3.0, -3.0, 6.5, 1e-40, -1e-40]
    x = np.concatenate([np.array(odd), np.random.default_rng(2).standard_normal(20) * 4]).astype(
        np.float32
    )
    compiled, scope = compiled_of(f, x)
    with np.errstate(all="ignore"):
        (found,), want = compiled.run(scope, {"x0": x}), f(Tensor(x)).numpy()
    np.testing.assert_array_equal(found, want)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(want))


def test_results_without_compiled_kernels() -> None:
    f = lambda x: paddle.nn.functional.gelu(paddle.tanh(x) * 2 + x).mean(1)
    compiled, scope = compiled_of(f, ONES)
    feed = {"x0": np.random.default_rng(2).standard_normal((3, 4)).astype(np.float32)}
    first = compiled.run(scope, feed)[0]
    with use_native_kernels(False):
        np.testing.assert_allclose(compiled.run(scope, feed)[0], first, rtol=1e-5)


def test_results_are_not_shared() -> None:
    weight = Tensor(ONES.copy())
    compiled, scope = compiled_of(
        lambda x: (x, paddle.reshape(x, [4, 3]), weight * 1, paddle.full([2], 3.0)), ONES
    )
    given = ONES.copy()
    for _ in range(2):
        results = compiled.run(scope, {"x0": given})
        for result in results:
            result[...] = 7
        assert (given == 1).all() and (weight.array == 1).all()
    assert compiled.run(scope, {"x0": given})[3].tolist() == [3.0, 3.0]


def test_missing_inputs_are_named() -> None:
    compiled, scope = compiled_of(lambda x: x * Tensor(ONES), ONES)
    with pytest.raises(OpError, match=r"inputs \['x0'\] are missing"):
        compiled.run(scope, {})
    with pytest.raises(OpError, match="have no values; run the startup program first"):
        compiled.run({}, {"x0": ONES})


def test_error_names_op_operands_and_line() -> None:
    compiled, scope = compiled_of(
        lambda x, y: paddle.matmul(paddle.tanh(x), y), ONES, ONES.T.copy(), hide=True
    )
    with pytest.raises(OpError) as caught:
        compiled.run(scope, {"x0": ONES, "x1": ONES})
    text = str(caught.value)
    assert text.startswith(
        "matmul: the inner axes differ, 4 and 3 (X=float32[3,4], Y=float32[3,4])"
    )
    assert "recorded at test_compiled.py" in text


def test_error_in_a_fused_group_names_the_op() -> None:
    compiled, scope = compiled_of(lambda x, y: paddle.tanh(x + 1) * y, ONES, ONES, hide=True)
    with pytest.raises(
        OpError, match=r"multiply: .*broadcast.* \(X=float32\[3,4\], Y=float32\[3,5\]\)"
    ):
        compiled.run(scope, {"x0": ONES, "x1": np.ones((3, 5), np.float32)})


def test_all_unknown_ops_are_listed() -> None:
    program = Program()
    for type in ("no_such", "nor_this"):
        program.block.ops.append(OpDesc(type, {}, {"Out": ["x"]}))
    with pytest.raises(UnsupportedOpsError, match="(?s)no_such: no such op.*nor_this: no such op"):
        CompiledProgram(program, [], [])


def test_fused_attributes_are_rejected() -> None:
    program = Program()
    attrs = {
        "fuse_relu": Attr(AttrType.BOOLEAN, True),
        "fuse_activation": Attr(AttrType.STRING, ""),
    }
    program.block.ops.append(
        OpDesc("conv2d", {"Input": ["x"], "Filter": ["w"]}, {"Output": ["y"]}, attrs)
    )
    with pytest.raises(
        UnsupportedOpsError, match="conv2d: attribute fuse_relu is not supported"
    ) as caught:
        CompiledProgram(program, [], [])
    assert "fuse_activation" not in str(caught.value)


@pytest.mark.parametrize(
    ("op", "words"),
    [
        (
            OpDesc("slice", {}, {"Out": ["y"]}, {"axes": Attr(AttrType.INTS, [0])}),
            "slice: Input is missing",
        ),
        (
            OpDesc("transpose2", {"X": ["x"]}, {"Out": ["y"]}, {"axis": Attr(AttrType.INT, 1)}),
            "transpose: axes",
        ),
    ],
)
def test_invalid_slots_and_attributes(op: OpDesc, words: str) -> None:
    program = Program()
    program.block.ops.append(op)
    with pytest.raises(OpError, match=words):
        CompiledProgram(program, ["x"], ["y"]).run({}, {"x": ONES})


def test_branch_with_unread_results() -> None:
    op = OpDesc("conditional_block")
    run = FunctionSourceWriter().write_and_compile_function(
        ["x"], [], [ConditionalBody(op, "{0}", ("x",), [FusedCalls(op, [], [], ())])], ["x"]
    )
    assert run(1) == (1,)


def test_threads() -> None:
    compiled, scope = compiled_of(lambda x: paddle.tanh(x * 3 - 1).sum(1), ONES)
    wrong = []

    def work(number: int) -> None:
        x = np.full((3, 4), number / 10, np.float32)
        wanted = np.tanh(x * 3 - 1).sum(1)
        for _ in range(200):
            if not np.allclose(compiled.run(scope, {"x0": x})[0], wanted, rtol=1e-5):
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_written_persistables_are_stored() -> None:
    norm = paddle.nn.BatchNorm1D(4)
    recorder = Recorder()
    x = Variable(recorder.feed("x", Meta((3, 4), ONES.dtype)))
    recorder.bind(x, "x")
    with use_base_mode(Static(recorder)):
        norm(x)
    before = norm._mean.numpy()
    CompiledProgram(recorder.program, ["x"], []).run(recorder.scope, {"x": ONES * 5})
    np.testing.assert_allclose(norm._mean.numpy(), before * 0.9 + 0.5, rtol=1e-6)


def test_unread_ops_are_removed_except_side_effects() -> None:
    called = []

    def f(x):
        paddle.tanh(x)
        paddle.static.py_func(lambda a: called.append(a.sum()), x, None)
        return x * 2

    compiled, scope = compiled_of(f, ONES)
    assert {op.type for op in compiled.program.block.ops} >= {"tanh", "py_func"}
    compiled.run(scope, {"x0": ONES})
    assert called == [12.0]
    assert "tanh" not in [getattr(f, "__name__", "") for f in compiled.global_callables_of_source]


def test_c_code_called_by_compiled_functions_can_import() -> None:
    # C code that imports a module, such as CuPy's, uses the builtins of the calling function.
    run = FunctionSourceWriter().write_and_compile_function(["x"], [], [], ["x"])
    assert run.__builtins__["__import__"] is __import__  # type: ignore[attr-defined]


def test_variable_fetched_twice_is_copied() -> None:
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            x = paddle.static.data("x", [2], "float32")
            y = x * 2
            first, second = paddle.static.Executor().run(
                feed={"x": np.ones(2, "float32")}, fetch_list=[y, y]
            )
        first[0] = 7
        assert second.tolist() == [2, 2]
    finally:
        paddle.disable_static()
