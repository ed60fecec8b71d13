"""to_static: caching, methods, copies, switches, state between calls, training, and debugging."""

from __future__ import annotations

import copy
import gc
import linecache
import sys
import weakref
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.jit import (
    ProgramTranslator,
    StaticFunction,
    declarative,
    enable_to_static,
    not_to_static,
    set_code_level,
    set_verbosity,
    to_static,
)
from oarlock.static import InputSpec

ONES = paddle.ones([2, 3])
LIMIT = 1.0
FACTOR = 1.0


class Net(nn.Layer):
    """A layer with several entry points."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.scale = 2.0

    @to_static
    def forward(self, x: Any) -> Any:
        return self.linear(x) * self.scale

    @to_static(input_spec=[InputSpec([None, 3])])
    def infer(this, x: Any) -> Any:
        return this.linear(x) if x.sum() > 0 else x

    @staticmethod
    @to_static
    def plain(x: Any) -> Any:
        return x * 2 if x.sum() > 0 else x

    @not_to_static
    def left(self, x: Any) -> Any:
        return x


def doubled(x: Any) -> Any:
    return x * 2 if x.mean() > 0 else x


# -- calls
# ------------------------------------------------------------------------------


def test_one_program_per_signature() -> None:
    static = to_static(doubled)
    for shape in ([2, 3], [2, 3], [4, 3], [2, 3]):
        assert static(paddle.ones(shape)).shape == shape
    static(paddle.ones([2, 3], "float64"))
    assert static.get_traced_count() == len(static.program_cache) == 3
    static.program_cache.clear()
    assert static.get_traced_count() == 0


def test_nested_arguments_defaults_and_other_values() -> None:
    @to_static
    def f(a: Any, b: int = 2, *rest: Any, c: Any = None, **more: Any) -> Any:
        y = a["x"][0] * b
        if y.sum() > 0:
            y = y + len(rest)
        if c is not None:
            y = y + c
        for k in more.values():
            y = y * k
        return {"y": y, "b": b, "none": None, "pair": (y, [b, "text"])}

    found = f({"x": [ONES]})
    assert (found["b"], found["none"], found["pair"][1]) == (2, None, [2, "text"])
    assert f({"x": [ONES]}, 3, ONES, c=ONES, k=2.0)["y"].numpy().tolist() == [[10.0] * 3] * 2
    assert f({"x": [ONES]}, b=5)["y"].numpy()[0, 0] == 5
    assert f.get_traced_count() == 3


def test_ndarray_arguments() -> None:
    assert to_static(doubled)(np.ones([2, 3], "float32")).numpy().sum() == 12


def test_methods_static_methods_and_functions_of_a_layer() -> None:
    net = Net()
    net.eval()
    assert (
        net(ONES).shape
        == net.infer(ONES).shape
        == Net.plain(ONES).shape
        == net.plain(ONES).shape
        == [2, 3]
    )
    assert isinstance(net.forward, StaticFunction)
    assert net.forward is net.forward
    assert not isinstance(net.left, StaticFunction)
    assert [v.shape for v in net.infer.inputs] == [(-1, 3)]
    assert len(net.infer.concrete_program.main_program.blocks) == 3
    assert [p.shape for p in net.infer.concrete_program.parameters] == [[3, 3], [3]]


def test_deepcopy_has_own_tensors() -> None:
    net = Net()
    net(ONES)
    other = copy.deepcopy(net)
    other.linear.weight.set_value(np.zeros([3, 3], "float32"))
    assert other(ONES).numpy().sum() == 0
    assert net(ONES).numpy().any()


def test_rollback() -> None:
    net = Net()
    plain = net.forward.rollback()
    assert not isinstance(net.forward, StaticFunction)
    np.testing.assert_allclose(plain(ONES).numpy(), net(ONES).numpy())
    layer = to_static(nn.Linear(3, 2))
    layer.forward.rollback()
    assert layer(ONES).shape == [2, 2]


def test_changed_attribute_is_detected() -> None:
    net = Net()
    before = net(ONES).numpy()
    net.scale = 4.0
    np.testing.assert_allclose(net(ONES).numpy(), before * 2, rtol=1e-6)
    net.scale = 2.0
    np.testing.assert_allclose(net(ONES).numpy(), before, rtol=1e-6)
    assert net.forward.get_traced_count() == 2
    assert "Net.scale" in {g.var for g in net.forward.guards}


def test_changed_global_and_closure_are_detected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    factor = 2

    def f(x: Any) -> Any:
        return x * factor if x.sum() > LIMIT else x

    static = to_static(f)
    assert static(ONES).numpy().sum() == 12
    factor = 5
    assert static(ONES).numpy().sum() == 30
    monkeypatch.setitem(globals(), "LIMIT", 100.0)
    assert static(ONES).numpy().sum() == 6


# -- state
# ------------------------------------------------------------------------------


class LayerWithState(nn.Layer):
    """A layer whose calls change its state."""

    def __init__(self) -> None:
        super().__init__()
        self.linear, self.norm, self.drop = nn.Linear(3, 3), nn.BatchNorm1D(3), nn.Dropout(0.3)
        self.register_buffer("calls", paddle.zeros([1]))
        self.hidden = None

    def forward(self, x: Any) -> Any:
        self.calls = self.calls + 1
        y = self.norm(self.linear(x))
        if y.mean() > -1:
            y = y * 1.5
        i = paddle.zeros([], "int64")
        while i < 3:
            y = y + self.linear(y) * 0.1
            i = i + 1
        y = self.drop(y)
        if self.hidden is not None:
            y = y + self.hidden
        self.hidden = y.detach()
        return y


def train(static: bool, layer: type[nn.Layer], **settings: Any) -> tuple[list[float], nn.Layer]:
    """The losses of 20 steps, and the layer."""
    paddle.seed(3)
    net: Any = layer()
    if static:
        net = to_static(net)
    adam = paddle.optimizer.Adam(0.01, parameters=net.parameters())
    rng, losses = np.random.default_rng(0), []
    for _ in range(20):
        x = paddle.to_tensor(rng.standard_normal((4, 3)).astype("float32"))
        with paddle.amp.auto_cast(**{"enable": False, **settings}):
            loss = (net(x).astype("float32") ** 2).mean()
        loss.backward()
        adam.step()
        adam.clear_grad()
        losses.append(loss.item())
    return losses, net


def test_training_equals_eager() -> None:
    eager, one = train(False, LayerWithState)
    static, other = train(True, LayerWithState)
    assert static == pytest.approx(eager, rel=1e-6)
    assert other.forward.get_traced_count() == 2  # with nothing in `hidden`, and with a tensor
    assert one.calls.item() == other.calls.item() == 20
    np.testing.assert_allclose(other.hidden.numpy(), one.hidden.numpy(), rtol=1e-5)
    for (name, a), b in zip(one.state_dict().items(), other.state_dict().values(), strict=True):
        np.testing.assert_allclose(b.numpy(), a.numpy(), rtol=1e-4, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_training_under_auto_cast(dtype: str) -> None:
    settings = {"enable": True, "dtype": dtype}
    eager, _ = train(False, LayerWithState, **settings)
    static, net = train(True, LayerWithState, **settings)
    assert static == pytest.approx(eager, rel=2e-2)
    assert any(
        op.type == "cast" for op in net.forward.concrete_program.main_program.global_block().ops
    )


def test_train_and_eval_programs() -> None:
    net = to_static(nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5)))
    net.train()
    paddle.seed(1)
    training = net(ONES).numpy()
    net.eval()
    np.testing.assert_allclose(net(ONES).numpy(), net[0](ONES).numpy(), rtol=1e-6)
    net.train()
    paddle.seed(1)
    np.testing.assert_array_equal(net(ONES).numpy(), training)
    assert net.forward.get_traced_count() == 2


def test_changed_parameters_are_used() -> None:
    net = to_static(nn.Linear(3, 2))
    net.eval()
    with paddle.no_grad():
        net(ONES)
        net.weight.set_value(np.zeros([3, 2], "float32"))
        for _ in range(3):
            np.testing.assert_allclose(
                net(ONES).numpy(), np.broadcast_to(net.bias.numpy(), [2, 2]), atol=1e-7
            )


# -- switches and the old names
# -------------------------------------------------------------------------------------


def test_enable_to_static_switch() -> None:
    static = to_static(doubled)
    try:
        enable_to_static(False)
        assert static(ONES).numpy().sum() == 12
        assert static.get_traced_count() == 0
    finally:
        enable_to_static(True)
    with pytest.raises(TypeError):
        enable_to_static("yes")  # type: ignore[arg-type]


def test_program_translator() -> None:
    translator = ProgramTranslator()
    assert translator is ProgramTranslator.get_instance() is ProgramTranslator()
    assert translator.get_output(doubled, ONES).numpy().sum() == 12
    assert translator.get_func(doubled)(ONES).numpy().sum() == 12
    assert "if_expression" in translator.get_code(doubled)
    main, startup, inputs, outputs = translator.get_program(doubled, ONES)
    assert (len(main.blocks), len(startup.blocks), len(inputs), len(outputs)) == (3, 1, 1, 1)
    assert translator.get_program_cache().concrete_programs()
    translator.enable(False)
    assert not translator.enable_to_static
    ProgramTranslator.reset()
    assert translator.enable_to_static
    assert declarative is to_static


def test_program_translator_keeps_no_references() -> None:
    class Doubling(nn.Layer):
        def infer(self, x: Any) -> Any:
            return x * 2

    layer, translator = Doubling(), ProgramTranslator()
    assert translator.get_output(layer.infer, ONES).numpy().sum() == 12
    made = translator.get_program_cache().concrete_programs()
    assert translator.get_output(layer.infer, ONES).numpy().sum() == 12
    assert translator.get_program_cache().concrete_programs() == made
    alive = weakref.ref(layer)
    del layer, made
    gc.collect()
    assert alive() is None


def test_get_concrete_program_reuses_programs() -> None:
    function = to_static(lambda x: x * 2)
    function(ONES)
    program, recording = function.get_concrete_program(ONES)
    assert function.get_traced_count() == 1
    assert (program, recording) == (function.concrete_program, program.captured_program)
    function.get_concrete_program(InputSpec([2, 3]))
    function.concrete_program_specify_input_spec([InputSpec([2, 3])])
    assert function.get_traced_count() == 1


def test_main_and_startup_program() -> None:
    function = to_static(doubled, [InputSpec([None, 3], name="given")])
    main, startup = function.main_program, function.concrete_program.startup_program
    assert isinstance(main, paddle.static.Program)
    assert isinstance(startup, paddle.static.Program)
    assert main is function.concrete_program.main_program
    assert [op.type for op in main.global_block().ops].count("conditional_block") == 2
    assert not startup.global_block().ops
    assert [v.name for v in function.inputs] == ["given"]
    assert function.inputs[0] is main.global_block().var("given")
    assert function.outputs[0].block is main.global_block()
    assert "# test_to_static.py:" in str(main)
    for found in ProgramTranslator().get_program(function, ONES)[:2]:
        assert isinstance(found, paddle.static.Program)


def test_changing_number_argument() -> None:
    function = to_static(lambda x, k, flag=True: x * k)
    for k in range(15):
        function(ONES, float(k))
        function(ONES, float(k), flag=False)
    with pytest.warns(
        UserWarning, match="16 programs were made that differ only in the number 'k'"
    ) as said:
        function(ONES, 15.0)
    assert [w.filename for w in said] == [__file__]
    assert "function(ONES, 15.0)" in linecache.getline(__file__, said[0].lineno)
    function(ONES, 16.0)  # said once


def test_program_limit_warning_names_the_guard(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    function = to_static(lambda x: x * LIMIT if x.ndim == 1 else x * FACTOR)
    for i in range(16):
        monkeypatch.setitem(globals(), "FACTOR", float(i))
        function(ONES)
    monkeypatch.setitem(globals(), "FACTOR", 16.0)
    function(ONES[0])  # made last, of another kind: nothing broke of it
    with pytest.warns(UserWarning, match="'FACTOR' differs at each call") as said:
        function(ONES)
    assert [w.filename for w in said] == [__file__]


def test_code_after_each_transformation(capsys: pytest.CaptureFixture[str]) -> None:
    def first_above(x: Any) -> Any:
        for row in x:
            if row.sum() > 0 and row.max() < 9:
                return row
        return x[0]

    said = []
    try:
        for level in (1, 2, 3):
            set_code_level(level, also_to_stdout=True)
            to_static(first_above)(paddle.ones([2, 2]))
            said.append(capsys.readouterr().out)
    finally:
        set_code_level(0)
    assert "_ol_returned = True" in said[0] and "__ol.for_(" not in said[0]
    assert "after jumps" in said[0] and "after statements" in said[1]
    assert "__ol.for_(" in said[1] and "__ol.and_(" not in said[1]
    assert "__ol.and_(" in said[2] and "first_above, converted" in said[2]


def test_code_level_and_verbosity(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        set_code_level(100, also_to_stdout=True)
        set_verbosity(1, also_to_stdout=True)
        to_static(doubled)(ONES)
    finally:
        set_code_level(0)
        set_verbosity(0)
    said = capsys.readouterr().out
    assert "to_static: recording doubled" in said
    assert "__ol.if_expression(" in said
    assert to_static(doubled).code == said.split("# doubled, converted\n")[1].rstrip("\n")


# -- debugging
# ------------------------------------------------------------------------------


def test_debugger_sees_user_lines_and_variables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import pdb

    seen: list[Any] = []

    def stop() -> None:
        frame = sys._getframe(1)
        line = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
        seen.append((frame.f_code.co_name, line, frame.f_locals["y"].shape))

    monkeypatch.setattr(pdb, "set_trace", stop)

    def f(x: Any) -> Any:
        y = x * 2
        if x.sum() > 0:
            pdb.set_trace()
            y = y + 1
        return y

    to_static(f)(ONES)
    assert seen == [("f", "pdb.set_trace()", [2, 3])]


def test_ops_have_source_lines() -> None:
    concrete = to_static(doubled, [InputSpec([None, 3])]).concrete_program
    where = [op.user_line for op in concrete.captured_program.program.ops() if op.type == "scale"]
    assert len(where) == 1
    assert where[0].endswith("in doubled: return x * 2 if x.mean() > 0 else x")


def test_branch_in_try_with_exception_groups() -> None:
    @paddle.jit.to_static
    def branch(x: Any) -> Any:
        try:
            y = x + 1 if x.sum() > 0 else x - 1
            if x.sum() > 5:
                y = y * 2
        except* ValueError:
            y = x
        return y

    assert branch(paddle.full([2], 3.0)).tolist() == [8, 8]
    assert branch(paddle.full([2], -1.0)).tolist() == [-2, -2]


class _PrivateNames(nn.Layer):
    @paddle.jit.to_static
    def forward(self, x: Any) -> Any:
        __count = 0

        def __increment() -> None:
            nonlocal __count
            __count += 1

        __increment()
        return x + __count


def test_private_function_and_nonlocal_in_method() -> None:
    assert _PrivateNames()(paddle.ones([1])).item() == 2


class _PrivateFactor:
    def __init__(self) -> None:
        self.__factor = 3.0

    def function(self) -> Any:
        __offset = 1.0

        def scale(x: Any) -> Any:
            return x * self.__factor + __offset if x.sum() > 0 else x

        return scale


def test_private_names_in_inner_function_of_method() -> None:
    scale = to_static(_PrivateFactor().function())
    assert [scale(paddle.full([1], v)).item() for v in (2.0, -2.0)] == [7.0, -2.0]


class Codes:
    ONE, TWO = 1, 2


def name_read_by_a_pattern(x: Any, code: int) -> Any:
    if x.sum() > 0:
        codes = Codes
    else:
        codes = Codes
    match code:
        case codes.ONE:
            return x + 1
        case codes.TWO:
            return x + 2
    return x


def test_names_that_patterns_read_are_live() -> None:
    function = paddle.jit.to_static(name_read_by_a_pattern)
    for code in (1, 2, 3):
        expected = [{1: 2.0, 2: 3.0}.get(code, 1.0)] * 2
        assert function(paddle.ones([2]), code).tolist() == expected
