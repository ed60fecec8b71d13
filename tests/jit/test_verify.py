"""The report of a verification for an engine that is wrong."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.cli.model import verify_saved_model
from oarlock.export.pdmodel import to_bytes
from oarlock.ir.program import Program
from oarlock.jit import verify
from oarlock.loader.engine import Engine
from oarlock.loader.pdmodel import load_program
from oarlock.loader.runtime import EngineError
from oarlock.nn.quant.format import LinearDequanter, LinearQuanter
from oarlock.static import InputSpec

BEFORE = ("matmul_v2_0", "elementwise_add_0")  # results of the first layer


def wrong_engine(*, optimized_only: bool) -> type[Engine]:
    """An engine whose results are off from the activation on, always or only when it optimizes."""

    class Wrong(Engine):
        def __init__(self, *args: Any, **options: Any) -> None:
            self._right = optimized_only and options.get("optimize") == 0
            super().__init__(*args, **options)

        def run(
            self, feeds: Mapping[str, Any] | Sequence[Any], fetch: list[str] | None = None
        ) -> list[Any]:
            found = super().run(feeds, fetch)
            names = fetch or [name for name, _, _ in self.outputs]
            right = [self._right or name.startswith(BEFORE) for name in names]
            return [a if ok else a + 1 for ok, a in zip(right, found, strict=True)]

    return Wrong


def test_complex_results_have_the_tolerance_of_their_precision() -> None:
    for complex_type, real in (("complex64", "float32"), ("complex128", "float64")):
        assert verify.tolerance_for_dtype_in_program(
            np.dtype(complex_type), Program()
        ) == verify.tolerance_for_dtype_in_program(np.dtype(real), Program())


@pytest.mark.parametrize(
    ("optimized_only", "said"),
    [(False, "the first op"), (True, "an optimization of the engine differs; the first op")],
)
def test_first_differing_op_is_named(
    optimized_only: bool, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verify, "Engine", wrong_engine(optimized_only=optimized_only))
    net = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2))
    net.eval()
    with pytest.raises(
        paddle.VerifyError, match=rf"{said} to differ is relu, output 'relu_0.tmp_0'"
    ):
        paddle.jit.save(
            net,
            str(tmp_path / "m"),
            input_spec=[paddle.static.InputSpec([None, 4], "float32", "x")],
        )


def test_different_shapes_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Wrong(Engine):
        def run(
            self, feeds: Mapping[str, Any] | Sequence[Any], fetch: list[str] | None = None
        ) -> list[Any]:
            return [a[:1] for a in super().run(feeds, fetch)]

    monkeypatch.setattr(verify, "Engine", Wrong)
    with pytest.raises(
        paddle.VerifyError,
        match=r"output '.*' is float32\[1, 3\], not float32\[2, 3\] at x\[2, 4\]; ",
    ):
        paddle.jit.save(
            nn.Linear(4, 3),
            str(tmp_path / "m"),
            [paddle.static.InputSpec([None, 4], "float32", "x")],
        )


@pytest.mark.filterwarnings("ignore:m. there are no parameters")
def test_sizes_rejected_by_the_layer_are_skipped(tmp_path: Path) -> None:
    def third(x: Any) -> Any:
        return x[2] * 2

    spec = [paddle.static.InputSpec([None], "float32", "x")]
    paddle.jit.save(paddle.jit.to_static(third), str(tmp_path / "m"), input_spec=spec)
    assert paddle.jit.load(str(tmp_path / "m"))(paddle.arange(5.0)).item() == 4.0


@pytest.mark.filterwarnings("ignore:m. there are no parameters")
def test_layer_that_accepts_no_generated_size_warns(tmp_path: Path) -> None:
    def hundredth(x: Any) -> Any:
        return x[99] * 2

    spec = [paddle.static.InputSpec([None], "float32", "x")]
    with pytest.warns(
        UserWarning, match="none of the generated inputs fits; index: 99 is out of range"
    ):
        paddle.jit.save(paddle.jit.to_static(hundredth), str(tmp_path / "m"), input_spec=spec)
    assert paddle.jit.load(str(tmp_path / "m"))(paddle.arange(100.0)).item() == 198.0


class ClockOnOneWay(nn.Layer):
    """Reads a clock if the input is negative."""

    def forward(self, x: Any) -> Any:
        if x.sum() < 0:
            x = x + float(time.perf_counter_ns() % 1000003)
        return x


@pytest.mark.filterwarnings(
    "ignore:m. there are no parameters", "ignore:forward. .* differs at each call"
)
def test_both_branches_are_verified(tmp_path: Path) -> None:
    net = ClockOnOneWay()
    net.eval()
    with pytest.raises(paddle.VerifyError, match="the program itself returns other values"):
        paddle.jit.save(net, str(tmp_path / "m"), [paddle.static.InputSpec([1], "float32", "x")])


@pytest.mark.filterwarnings("ignore:m. there are no parameters")
def test_endless_loop_with_generated_inputs_times_out(tmp_path: Path) -> None:
    def spread(x: Any) -> Any:
        while x.max() < 1000:  # never, where no element is above 500
            x = paddle.where(x > 500, x * 2, x)
        return x

    spec = [paddle.static.InputSpec([None], "float32", "x")]
    with pytest.warns(
        UserWarning,
        match=r"none of the generated inputs fits; a loop \(op while\) at .*has more than 2000 iterations",
    ):
        paddle.jit.save(paddle.jit.to_static(spread), str(tmp_path / "m"), input_spec=spec)
    assert paddle.jit.load(str(tmp_path / "m"))(paddle.to_tensor([600.0, 1.0])).tolist() == [
        1200.0,
        1.0,
    ]


class Squeezed(nn.Layer):
    """Leaves an axis that is not 1, which a program cannot."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = self.create_parameter([1])

    def forward(self, x: Any) -> Any:
        return x.squeeze(2) * self.scale


def test_squeezed_size_is_fixed_in_files(tmp_path: Path) -> None:
    prefix = tmp_path / "m"
    with pytest.warns(
        UserWarning, match="not verified: none of the generated inputs fits; engine: squeeze2"
    ):
        paddle.jit.save(Squeezed(), prefix, input_spec=[InputSpec([None, 3, None], "float32")])
    loaded = paddle.jit.load(prefix)
    assert loaded(paddle.ones([2, 3, 1])).shape == [2, 3]
    with pytest.raises(EngineError, match="of size 4, not 1"):
        loaded(paddle.ones([2, 3, 4]))


class Rough(Engine):
    """An engine that rounds its input up."""

    def run(
        self, feeds: Mapping[str, Any] | Sequence[Any], fetch: list[str] | None = None
    ) -> list[Any]:
        (x,) = feeds.values() if isinstance(feeds, Mapping) else feeds
        return super().run([np.nextafter(x, np.float32(np.inf))], fetch)


def test_amplified_rounding_errors_are_tolerated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error of one bit in the engine's result is amplified by a sine."""

    class Wave(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.high = self.create_parameter([1], default_initializer=nn.initializer.Constant(1e6))

        def forward(self, x: Any) -> Any:
            return paddle.sin(self.high * x), x + 1

    path, spec = str(tmp_path / "wave"), [InputSpec([None, 64], "float32", "x")]
    monkeypatch.setattr(verify, "Engine", Rough)
    paddle.jit.save(Wave(), path, spec)
    (worst,) = re.findall(rb"largest difference ([0-9.e+-]+)", Path(path + ".pdmodel").read_bytes())
    assert float(worst) > 1e-2
    monkeypatch.setattr(verify, "Engine", wrong_engine(optimized_only=False))
    with pytest.raises(paddle.VerifyError, match="the first op to differ"):
        paddle.jit.save(Wave(), path, spec)


def test_integers_that_differ_by_rounding_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Floor(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.high = self.create_parameter([1], default_initializer=nn.initializer.Constant(1e6))

        def forward(self, x: Any) -> Any:
            return paddle.floor(self.high * x).astype("int64")

    monkeypatch.setattr(verify, "Engine", Rough)
    paddle.jit.save(Floor(), str(tmp_path / "m"), [InputSpec([None, 64], "float32", "x")])
    report = paddle.jit.load(str(tmp_path / "m")).program().contract.verified
    assert report.endswith(": integers, NaN or infinity differ, which rounding explains")


@pytest.mark.parametrize("has_equal_scores", [True, False])
def test_order_of_almost_equal_scores_is_explained_by_rounding(
    has_equal_scores: bool, tmp_path: Path
) -> None:
    class Select(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            factor = nn.initializer.Constant(1e-9 if has_equal_scores else 1.0)
            self.factor = self.create_parameter([1], default_initializer=factor)

        def forward(self, x: Any) -> Any:
            return paddle.gather(x, paddle.argsort(nn.functional.softmax(x * self.factor)))

    path, net = str(tmp_path / "m"), Select()
    paddle.jit.save(net, path, [InputSpec([8], "float32", "x")], verify=False)
    program = load_program(Path(path + ".pdmodel"))
    x = paddle.to_tensor(np.random.default_rng(0).standard_normal(8).astype("float32"))
    scope = {net.factor.name: net.factor}
    assert (
        verify._is_difference_explained_by_rounding(program, scope, [x], 0, 1.0) is has_equal_scores
    )


@pytest.mark.parametrize(("levels", "is_accepted"), [(1, True), (3, False)])
def test_engine_may_round_to_a_neighboring_level(
    levels: int, is_accepted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Rounded(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.quanter, self.dequanter = LinearQuanter(4.0), LinearDequanter(4.0)

        def forward(self, x: Any) -> Any:
            return self.dequanter(self.quanter(x))

    class OtherLevel(Engine):
        def run(
            self, feeds: Mapping[str, Any] | Sequence[Any], fetch: list[str] | None = None
        ) -> list[Any]:
            found = [np.array(a) for a in super().run(feeds, fetch)]
            for array in found:
                array.flat[0] += levels * 4 / 127
            return found

    path, spec = str(tmp_path / "rounded"), [InputSpec([None, 64], "float32", "x")]
    monkeypatch.setattr(verify, "Engine", OtherLevel)
    if is_accepted:
        paddle.jit.save(Rounded(), path, spec)
    else:
        with pytest.raises(paddle.VerifyError, match="differs by 0.0"):
            paddle.jit.save(Rounded(), path, spec)


def test_images_too_small_for_the_engine_are_skipped(tmp_path: Path) -> None:
    """At the first generated sizes a window begins inside of the image and ends outside."""
    net = nn.Sequential(nn.Conv2D(3, 2, 3, stride=16), nn.Conv2D(2, 2, 3, stride=2))
    net.eval()
    paddle.jit.save(net, str(tmp_path / "m"), [InputSpec([None, 3, None, None], "float32", "x")])
    x = paddle.ones([1, 3, 80, 80])
    np.testing.assert_allclose(
        paddle.jit.load(str(tmp_path / "m"))(x).numpy(), net(x).numpy(), rtol=1e-5, atol=1e-6
    )


def test_lod_results_of_the_interpreter_are_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The interpreter returns LoD of an output with more levels than the engine supports."""
    fixtures = Path(__file__).parents[1] / "fixtures"
    program = load_program(fixtures / "mlp.pdmodel")
    for var in program.block.vars.values():
        var.lod_level = 3 if var.shape else 0
    tmp_path.joinpath("m.pdmodel").write_bytes(to_bytes(program))
    tmp_path.joinpath("m.pdiparams").write_bytes((fixtures / "mlp.pdiparams").read_bytes())
    verify_saved_model(str(tmp_path / "m"))
    assert "agree by the interpreter" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore:verify. checked by the interpreter")
@pytest.mark.parametrize("shape", [[paddle.static.Dim("n", 10**9), 2], [2 * 10**9, 2]])
def test_inputs_that_would_exhaust_the_memory_are_not_generated(
    shape: list[Any], tmp_path: Path
) -> None:
    layer = nn.PReLU()
    layer.eval()
    spec = [paddle.static.InputSpec(shape, "float32", "x")]
    with pytest.warns(UserWarning, match="not verified: .* more than 134217728 elements"):
        paddle.jit.save(layer, tmp_path / "m", input_spec=spec)
