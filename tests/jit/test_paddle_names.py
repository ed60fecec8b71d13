"""Paddle's names for the conversion, and their checks."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.core.errors import OpError
from oarlock.jit import api, dy2static, load, not_to_static, save, to_static
from oarlock.jit.dy2static.convert_call_func import CONVERSION_OPTIONS
from oarlock.jit.dy2static.function_spec import FunctionSpec
from oarlock.jit.dy2static.program_translator import ConcreteProgram, StaticFunction
from oarlock.jit.guards import user_code
from oarlock.static import Executor, InputSpec
from oarlock.utils import assert_same_structure, flatten, map_structure, pack_sequence_as


def both(a: Any, b: Any, c: int = 1, d: int = 2) -> Any:
    return a + b if (a + b).sum() > 0 else a


def test_entry_points() -> None:
    made = api.to_static(both)
    x = paddle.ones([2])
    assert isinstance(made, StaticFunction)
    made(x, x)
    assert isinstance(made.concrete_program, ConcreteProgram)
    assert dy2static.convert_to_static(both)(x, x).tolist() == [2, 2]


def test_names_imported_by_test_suites(monkeypatch: pytest.MonkeyPatch) -> None:
    from oarlock.jit.dy2static import (
        error,
        internals,
        logging_utils,
        origin_info,
        partial_program,
        program_translator,
        utils,
    )
    from oarlock.utils import gast
    from oarlock.utils.environments import BooleanEnvironmentVariable, StringEnvironmentVariable

    assert origin_info.unwrap(to_static(both)) is both
    assert utils.func_to_source_code(to_static(both)).startswith("def both(")
    assert partial_program.PartialProgramLayer.__name__ == "PartialProgram"
    assert logging_utils.set_code_level is paddle.jit.set_code_level
    assert isinstance(gast.parse("x").body[0], gast.Expr)
    with pytest.raises(error.Dy2StKeyError):
        to_static(lambda x: {"x": x}["y"])(paddle.ones([2]))
    for rejected in (internals.NameVisitor, utils.FunctionNameLivenessAnalysis, error.ErrorData):
        with pytest.raises(NotImplementedError, match="is an internal of Paddle's conversion"):
            rejected()
    monkeypatch.setenv("SOME_FLAG", "yes")
    flag = BooleanEnvironmentVariable("SOME_FLAG", False)
    assert flag.get()
    flag.set(False)
    assert (flag.get(), repr(flag)) == (False, "Env(SOME_FLAG=False)")
    flag.delete()
    with pytest.raises(TypeError, match="expected str, got bool"):
        StringEnvironmentVariable("SOME_FLAG", True)  # type: ignore[arg-type]
    assert api.ProgramTranslator() is program_translator.ProgramTranslator()
    assert program_translator.FunctionSpec(lambda x, y=2: x).args_name == ["x", "y"]
    with api.sot_mode_guard(False):
        assert not api.ENV_ENABLE_SOT.get()


def test_fill_constant() -> None:
    made = paddle.tensor.fill_constant([1, 2], "int64", 9)
    assert (made.tolist(), made.dtype, made.stop_gradient) == ([[9, 9]], paddle.int64, True)
    other = paddle.ones([1, 2])
    assert paddle.tensor.fill_constant(shape=[1, 2], value=2, dtype="float32", out=other) is other
    assert other.tolist() == [[2.0, 2.0]]


def test_main_program() -> None:
    concrete = to_static(
        both, [InputSpec([2], name="a"), InputSpec([2], name="b")]
    ).concrete_program
    main = concrete.main_program
    assert main.global_block() is main.block(0)
    assert not {op.type for op in main.block(0).ops} & {"feed", "fetch"}
    assert list(main.block(0).var("a").shape) == [2]
    feed = {"a": np.ones(2, "float32"), "b": np.full(2, -3, "float32")}
    (found,) = Executor().run(main, feed=feed, fetch_list=[v.name for v in concrete.outputs])
    assert found.tolist() == [1, 1]


def test_excluded_methods() -> None:
    class Kept:
        def plain(self, x: Any) -> Any:
            return x + 1 if x.shape[0] > 1 else x

    kept = Kept()
    not_to_static(kept.plain)
    assert getattr(kept.plain, CONVERSION_OPTIONS).not_convert
    assert to_static(lambda x: kept.plain(x) * 2)(paddle.ones([2])).tolist() == [4, 4]


def test_excluded_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "left_as_it_is.py").write_text(
        "def f(x):\n    return x + 1 if x.sum() > 0 else x\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(user_code, "_IGNORED_MODULE_NAMES", set(user_code._IGNORED_MODULE_NAMES))
    module = importlib.import_module("left_as_it_is")
    assert to_static(lambda x: module.f(x) * 2)(paddle.ones([2])).tolist() == [4, 4]
    paddle.jit.ignore_module([module])
    with pytest.raises(
        paddle.TraceError,
        match=r"f is not converted: it is a generator, has no source, is excluded from",
    ):
        to_static(lambda x: module.f(x) * 2)(paddle.ones([2]))


def test_methods_of_classes() -> None:
    class Held:
        factor = 3.0

        @classmethod
        @to_static
        def times(cls, x: Any) -> Any:
            return x * cls.factor if x.sum() > 0 else x

    for owner in (Held, Held()):
        assert owner.times(paddle.ones([2])).tolist() == [3, 3]
    assert Held.times is Held.times  # its programs are kept


def test_build_strategy_type() -> None:
    with pytest.raises(TypeError, match="build_strategy should be a BuildStrategy, not str"):
        to_static(both, build_strategy="fast")


def test_function_spec() -> None:
    spec = FunctionSpec(both, [InputSpec([None, 10]), InputSpec([10])])
    assert spec.args_name == ["a", "b", "c", "d"]
    assert len(spec.flat_input_spec) == 2
    assert spec.unified_args_and_kwargs((10,), {"b": 20}) == ((10, 20, 1, 2), {})
    assert spec.unified_args_and_kwargs((10, 20), {"d": 4, "e": 5}) == ((10, 20, 1, 4), {"e": 5})
    assert spec.args_to_input_spec((10, 20, 3), {})[0][2] == 3
    made, named = FunctionSpec(both).args_to_input_spec(
        (np.ones([2, 3], "float32"), 2), {"c": paddle.ones([4])}
    )
    assert (made[0].shape, made[1], named["c"].shape) == ((2, 3), 2, (4,))
    for args in ((10,), (1, 2, 3, 4, 5)):
        with pytest.raises(ValueError, match="both"):
            spec.unified_args_and_kwargs(args, {})
    with pytest.raises(TypeError, match="input_spec should be a list or tuple"):
        FunctionSpec(both, InputSpec([1]))


def test_function_spec_leaves_out_variadic_and_keyword_only_arguments() -> None:
    spec = FunctionSpec(lambda x, y=2, *args, flag=True, **kwargs: x)
    assert spec.args_name == ["x", "y"]
    assert spec.unified_args_and_kwargs((1,), {"z": 3}) == ((1, 2), {"z": 3})


def test_input_spec_constructors() -> None:
    x = paddle.ones([2, 3])
    assert InputSpec.from_tensor(x).name == x.name
    spec = InputSpec.from_numpy(np.ones([2, 3], "int64"), "n")
    assert (spec.shape, spec.dtype, spec.name) == ((2, 3), paddle.int64, "n")
    with pytest.raises(ValueError, match="InputSpec.from_numpy: int is not a ndarray"):
        InputSpec.from_numpy(3)  # type: ignore[arg-type]
    assert InputSpec([3]).batch([4]).shape == (4, 3)
    assert InputSpec([4, 3]).unbatch().shape == (3,)
    with pytest.raises(ValueError, match="the shape has no axis to remove"):
        InputSpec([]).unbatch()
    with pytest.raises(ValueError, match="should be one int, not 2"):
        InputSpec([3]).batch([4, 5])


def test_structure_utilities() -> None:
    nested = {"b": [1, (2, 3)], "a": 4}
    assert flatten(nested) == [4, 1, 2, 3]
    assert pack_sequence_as(nested, [40, 10, 20, 30]) == {"b": [10, (20, 30)], "a": 40}
    assert map_structure(lambda p, q: p + q, nested, nested) == {"b": [2, (4, 6)], "a": 8}
    assert_same_structure(nested, {"b": [0, (0, 0)], "a": 0})
    for other, kind in (
        ({"b": [1, 2], "a": 4}, ValueError),
        ({"b": [1, [2, 3]], "a": 4}, TypeError),
    ):
        with pytest.raises(kind, match="assert_same_structure"):
            assert_same_structure(nested, other)
    with pytest.raises(ValueError, match="the structure has 4 values, flat_sequence 1"):
        pack_sequence_as(nested, [1])


class Labeled(nn.Layer):
    """Returns a loss, too; its label is not an input of the saved program."""

    def __init__(self) -> None:
        super().__init__()
        self.line = nn.Linear(4, 3)

    @to_static(
        input_spec=[InputSpec([None, 4], name="image"), InputSpec([None, 1], "int64", name="label")]
    )
    def forward(self, image: Any, label: Any) -> Any:
        out = self.line(image)
        return out, nn.functional.cross_entropy(out, label)


def test_save_with_some_inputs(tmp_path: Path) -> None:
    net, x = Labeled(), paddle.rand([2, 4])
    for spec in (InputSpec([None, 4], name="image"), InputSpec([None, 4])):
        save(net, tmp_path / "m", input_spec=[spec], output_spec=net.forward.outputs[:1])
        loaded = load(tmp_path / "m")
        assert len(loaded.program().feed_names()) == 1
        np.testing.assert_allclose(loaded(x).numpy(), net.line(x).numpy(), rtol=1e-5)
    with pytest.raises(OpError, match="'label' is needed by the outputs"):
        save(net, tmp_path / "m", input_spec=[InputSpec([None, 4], name="image")])


class Hooked(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.line = nn.Linear(2, 1)

    @to_static
    def forward(self, x: Any) -> Any:
        return self.line(x)


def test_pre_hooks_are_saved(tmp_path: Path) -> None:
    net, x = Hooked(), paddle.ones([1, 2])
    net.register_forward_pre_hook(lambda layer, given: (given[0] * 3,))
    save(net, tmp_path / "m", input_spec=[InputSpec([None, 2])], with_hook=True)
    found = load(tmp_path / "m")(x)
    assert found.numpy() == pytest.approx(net(x).numpy()) == net.line(x * 3).numpy()


def test_module_names() -> None:
    assert paddle.jit.translated_layer.TranslatedLayer is paddle.jit.TranslatedLayer
    assert paddle.static.nn.common.fc is paddle.static.nn.fc


def test_verbosity_type() -> None:
    for level in ("1", 1.5):
        with pytest.raises(TypeError, match="set_verbosity: level should be"):
            paddle.jit.set_verbosity(level)  # type: ignore[arg-type]
