"""Dynamic dimensions with names and ranges: specs, capture, files, checks of calls."""

from __future__ import annotations

import base64
import copy
import json
import os
import pickle
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.cli.inspect import show_model
from oarlock.cli.model import export_model, verify_saved_model
from oarlock.export.pdmodel import CONTRACT_VERSION, CONTRACT_VERSION_WITH_DIMS
from oarlock.export.proto import ProgramDesc
from oarlock.ir.dim import MAX_DIM_SIZE
from oarlock.ir.program import ContractInputOrOutput
from oarlock.jit import named_size_samples
from oarlock.loader.engine import Engine, ort_library_path
from oarlock.loader.model_files import read_model
from oarlock.onnx.writer import ExportOptions
from oarlock.serving.triton import model_config
from oarlock.static import Dim, InputSpec

pytestmark = pytest.mark.filterwarnings("ignore:.*there are no parameters")
HEIGHT = Dim("h", 32, 128, multiple=32)


class ScaledConv(nn.Layer):
    """A convolution whose results are multiplied by one number per image."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2D(3, 4, 3, padding=1)

    def forward(self, x: Any, scale: Any) -> Any:
        return self.conv(x) * scale.reshape([-1, 1, 1, 1])


SPECS = [
    InputSpec(["batch", 3, HEIGHT, None], "float32", "x"),
    InputSpec(["batch"], "float32", "scale"),
]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A saved model with three named dimensions."""
    paddle.seed(0)
    net = ScaledConv()
    net.eval()
    prefix = str(tmp_path_factory.mktemp("dims") / "m")
    paddle.jit.save(net, prefix, input_spec=SPECS)
    return prefix


def run_runner(*arguments: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["oarlock-runner", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"OARLOCK_ORT_LIBRARY": ort_library_path()},
    )


def images(*sizes: int) -> Any:
    return np.zeros(sizes, "float32")


# -- Dim


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("h",), "at least 1"),
        (("h", 0), "at least 0"),
        (("h", 2, 8), "from 2 to 8"),
        (("h", 8, 8), "8"),
        (("h", 32, 1280, 32), "a multiple of 32 from 32 to 1280"),
        (("h", 1, None, 2), "a multiple of 2 at least 1"),
    ],
)
def test_dim_contains_the_sizes_that_it_describes(arguments: Any, text: str) -> None:
    dim = Dim(*arguments)
    assert dim.describe_sizes() == text
    _, least, most, multiple = (*arguments, *(1, None, 1)[len(arguments) - 1 :])
    for size in range(1300):
        allowed = least <= size <= (most or size) and size % multiple == 0
        assert (size in dim) == allowed
    assert dim.smallest_size == next(size for size in range(1300) if size in dim)
    assert eval(repr(dim)) == dim
    assert pickle.loads(pickle.dumps(dim)) == copy.deepcopy(dim) == dim


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("2h",), "name='2h' should be an identifier"),
        (("",), "should be an identifier"),
        (("a\nb",), "should be an identifier"),
        (("a.b",), "should be an identifier"),
        (("größe",), "should be an identifier"),
        (("h" * 65,), "should be an identifier"),
        (("h" * 10_000_000,), "should be an identifier"),
        (("h", -1), "Dim 'h': min=-1 must be from 0"),
        (("h", 1, 0), "Dim 'h': max=0 must be from 1"),
        (("h", 1, 2, 0), "Dim 'h': multiple=0 must be from 1"),
        (("h", MAX_DIM_SIZE + 1), "must be from 0 to 2147483647"),
        (("h", 1, 1 << 70), "must be from 1 to 2147483647"),
        (("h", 9, 8), "Dim 'h': max=8 is less than min=9"),
        (("h", 33, 63, 32), "Dim 'h': no multiple of 32 lies in the range 33 to 63"),
        (("h", MAX_DIM_SIZE, None, 2), "no multiple of 2 lies in the range 2147483647 to 2147"),
    ],
)
def test_impossible_dims_are_rejected(arguments: Any, said: str) -> None:
    with pytest.raises(paddle.OpError, match=re.escape(said)) as error:
        Dim(*arguments)
    assert len(str(error.value)) < 500


@pytest.mark.parametrize("arguments", [(3,), ("h", 1.5), ("h", True), ("h", 1, "8"), ("h", None)])
def test_dims_of_wrong_types_are_rejected(arguments: Any) -> None:
    with pytest.raises(TypeError, match="should be an? (str|int), not"):
        Dim(*arguments)


@pytest.mark.parametrize(
    "compute",
    [
        lambda h: 2 * h,
        lambda h: h + 1,
        lambda h: h // 2,
        lambda h: 100 % h,
        lambda h: -h,
        lambda h: h**2,
        lambda h: pow(h, 2, 3),
        lambda h: 2**h,
    ],
)
def test_computed_dims_are_rejected(compute: Any) -> None:
    with pytest.raises(TypeError, match=r"are not supported; use a second Dim .* Dim\('h2', mul"):
        compute(HEIGHT)


@pytest.mark.parametrize("make", [lambda: Dim("2h"), lambda: InputSpec(["2h"])])
def test_errors_of_dims_name_the_line_of_the_user(make: Any) -> None:
    with pytest.raises(paddle.OpError, match=r"\n  at test_named_dims\.py:\d+ in <lambda>"):
        make()


# -- InputSpec


def test_input_spec_has_minus_one_as_in_paddle_and_shows_names() -> None:
    spec = InputSpec(["batch", 3, HEIGHT, None, -1], "float32", "x")
    assert spec.shape == (-1, 3, -1, -1, -1)
    assert spec.dims == (Dim("batch"), None, HEIGHT, None, None)
    assert repr(spec) == (
        "InputSpec(shape=('batch', 3, Dim('h', 32, 128, multiple=32), -1, -1), "
        "dtype=paddle.float32, name=x, stop_gradient=False)"
    )
    assert InputSpec([None, 3]).dims == ()


def test_input_specs_with_other_dims_differ() -> None:
    named = InputSpec(["batch", 3])
    assert named == InputSpec([Dim("batch"), 3]) == copy.deepcopy(named)
    assert pickle.loads(pickle.dumps(named)) == named
    assert hash(named) == hash(InputSpec(["batch", 3]))
    for other in ([None, 3], ["n", 3], [Dim("batch", 1, 8), 3]):
        assert named != InputSpec(other)


def test_batch_unbatch_and_assigned_shapes_keep_names_at_their_axes() -> None:
    spec = InputSpec([HEIGHT, 3])
    assert spec.batch("batch").dims == (Dim("batch"), HEIGHT, None)
    assert spec.unbatch().dims == (HEIGHT, None)
    assert spec.batch([8]).dims == (None, HEIGHT, None)
    assert spec.unbatch().unbatch().dims == ()
    spec.shape = (-1, 5)
    assert spec.shape == (-1, 5)
    assert spec.dims == ()


def test_unusable_names_in_shapes_are_rejected() -> None:
    with pytest.raises(ValueError, match="should be an identifier"):
        InputSpec(["the batch", 3])
    with pytest.raises(ValueError, match=r"shape\[1\] should be an int, None, a name or a Dim"):
        InputSpec(["batch", 3.5])


# -- files


def contract_of(prefix: str) -> Any:
    return ProgramDesc.parse(Path(prefix + ".pdmodel").read_bytes()).contract


def test_files_without_names_have_the_previous_version(tmp_path: Path, saved: str) -> None:
    net = nn.Linear(3, 2)
    paddle.jit.save(net, str(tmp_path / "m"), input_spec=[InputSpec([None, 3], "float32", "x")])
    assert contract_of(str(tmp_path / "m")).version == CONTRACT_VERSION
    assert contract_of(saved).version == CONTRACT_VERSION_WITH_DIMS


def test_loaded_layer_has_the_specs(saved: str) -> None:
    layer = paddle.jit.load(saved)
    assert [s.shape_with_dims() for s in layer._input_spec()] == [
        s.shape_with_dims() for s in SPECS
    ]
    assert all(spec.dims == () for spec in layer._output_spec())


def test_saving_a_loaded_layer_keeps_the_names(saved: str, tmp_path: Path) -> None:
    paddle.jit.save(paddle.jit.load(saved), str(tmp_path / "again"))
    assert contract_of(str(tmp_path / "again")).inputs == contract_of(saved).inputs
    assert contract_of(str(tmp_path / "again")).guards == []


class CallsSaved(nn.Layer):
    """Calls a loaded model with tensors that it has computed."""

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self.inner = paddle.jit.load(prefix)

    def forward(self, x: Any, scale: Any) -> Any:
        return self.inner(x * 2, scale + 1)


@pytest.mark.parametrize("runs", ["kernels", "engine", "runner"])
def test_a_program_that_calls_the_model_has_guards_for_unknown_sizes(
    saved: str, tmp_path: Path, runs: str
) -> None:
    outer = CallsSaved(saved)
    outer.eval()
    prefix = str(tmp_path / "outer")
    specs = [InputSpec([None, 3, None, None], "float32", "x"), InputSpec([None], name="scale")]
    paddle.jit.save(outer, prefix, input_spec=specs)

    def call(x: Any, scale: Any) -> str:
        if runs == "runner":
            np.savez(tmp_path / "in.npz", x=x, scale=scale)
            files = str(tmp_path / "in.npz"), str(tmp_path / "out.npz")
            return run_runner("run", prefix, "--input", files[0], "--output", files[1]).stderr
        model = paddle.jit.load(prefix)
        inputs = [paddle.to_tensor(x), paddle.to_tensor(scale)]
        for tensor in inputs:
            tensor.stop_gradient = runs == "engine"
        try:
            model(*inputs)
        except paddle.OarlockError as error:
            return str(error)
        return ""

    assert call(images(2, 3, 64, 5), images(2)) == ""
    assert "dimension 2 ('h') must be a multiple of 32 from 32 to 128" in call(
        images(2, 3, 33, 5), images(2)
    )
    assert "dimension 2 ('h') must be" in call(images(2, 3, 160, 5), images(2))
    assert "dimension 0 ('batch') must equal dimension 0 of input 'x'" in call(
        images(2, 3, 32, 5), images(1)
    )


def test_a_declared_dim_needs_no_guard_in_a_program_that_calls_the_model(
    saved: str, tmp_path: Path
) -> None:
    narrower = Dim("h", 64, 128, multiple=64)
    specs = [InputSpec(["batch", 3, narrower, None], name="x"), InputSpec(["batch"], name="scale")]
    paddle.jit.save(paddle.jit.load(saved), str(tmp_path / "again"), input_spec=specs)
    assert contract_of(str(tmp_path / "again")).guards == []


@pytest.mark.parametrize(
    ("allowed", "declared", "contains"),
    [
        (Dim("a", 2, 8), Dim("b", 2, 8), True),
        (Dim("a", 2, 8), Dim("b", 1, 8), False),
        (Dim("a", 2, 8), Dim("b", 2), False),
        (Dim("a", 2), Dim("b", 3), True),
        (Dim("a", 2, 8, multiple=2), Dim("b", 4, 8, multiple=4), True),
        (Dim("a", 2, 8, multiple=2), Dim("b", 3, 9, multiple=4), True),
        (Dim("a", 4, 8, multiple=4), Dim("b", 4, 8, multiple=2), False),
        (Dim("a", 4, 8, multiple=4), Dim("b", 7, 9, multiple=8), True),
        (Dim("a", 4, 8, multiple=4), Dim("b", 6, 6), False),
        (Dim("a", 4, 8, multiple=4), Dim("b", 8, 8), True),
    ],
)
def test_dim_contains_all_sizes_of_another(allowed: Dim, declared: Dim, contains: bool) -> None:
    assert allowed.allows_all_sizes_of(declared) is contains
    sizes = [n for n in range(100) if n in declared]
    assert all(n in allowed for n in sizes) is contains


def test_conversion_between_program_formats_keeps_the_names(saved: str, tmp_path: Path) -> None:
    options = ExportOptions(None, "", False, True)
    export_model(saved, tmp_path / "three", "paddle3", options)
    export_model(str(tmp_path / "three"), tmp_path / "two", "paddle2", options)
    assert not (tmp_path / "three.pdmodel").exists()
    three = paddle.jit.load(str(tmp_path / "three"))
    assert [s.dims for s in three._input_spec()] == [s.dims for s in SPECS]
    with pytest.raises(paddle.OpError, match=r"dimension 2 \('h'\) is 30"):
        three(images(1, 3, 30, 8), images(1))
    assert contract_of(str(tmp_path / "two")).inputs == contract_of(saved).inputs


# -- checks of calls

CALLS = [
    ((2, 3, 64, 7), (2,), ""),
    ((1, 3, 32, 1), (1,), ""),
    (
        (1, 3, 30, 8),
        (1,),
        "input 'x': dimension 2 ('h') is 30; it must be a multiple of 32 from 32 to 128 "
        "(x=float32[1,3,30,8])",
    ),
    ((1, 3, 160, 8), (1,), "dimension 2 ('h') is 160; it must be a multiple of 32"),
    ((0, 3, 32, 8), (0,), "dimension 0 ('batch') is 0; it must be at least 1"),
    (
        (2, 3, 32, 8),
        (1,),
        "input 'scale': dimension 0 ('batch') is 1, but dimension 0 of input 'x' is 2; they must "
        "be equal (x=float32[2,3,32,8], scale=float32[1])",
    ),
]


@pytest.mark.parametrize("runs", ["engine", "interpreter"])
@pytest.mark.parametrize(("x", "scale", "said"), CALLS)
def test_each_call_is_checked(saved: str, runs: str, x: Any, scale: Any, said: str) -> None:
    layer = paddle.jit.load(saved)
    given = paddle.to_tensor(images(*x))
    given.stop_gradient = runs == "engine"
    if not said:
        assert layer(given, images(*scale)).shape == [x[0], 4, *x[2:]]
        return
    with pytest.raises(paddle.OpError) as error:
        layer(given, images(*scale))
    assert said in str(error.value)


def test_runner_checks_each_call(saved: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "in.npz", x=images(1, 3, 30, 8), scale=images(1))
    paths = ("--input", tmp_path / "in.npz", "--output", tmp_path / "out.npz")
    done = run_runner("run", saved, *paths)
    assert done.returncode == 1
    assert "dimension 2 ('h') is 30; it must be a multiple of 32 from 32 to 128" in done.stderr
    assert not (tmp_path / "out.npz").exists()


def test_runner_generates_allowed_sizes(saved: str) -> None:
    done = run_runner("bench", saved, "--repeat", 1, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["mean_ms"] > 0


# -- to_static


def test_to_static_checks_sizes_and_compiles_one_program() -> None:
    @paddle.jit.to_static(input_spec=[InputSpec(["n", 3], "float32"), InputSpec(["n"], "float32")])
    def scale(x: Any, s: Any) -> Any:
        return x * s.unsqueeze(1)

    for n in (2, 5, 8):
        found = scale(paddle.ones([n, 3]), paddle.arange(n, dtype="float32"))
        np.testing.assert_array_equal(found.numpy()[:, 0], np.arange(n))
    assert len(scale.program_cache) == 1


@pytest.fixture
def double() -> Any:
    @paddle.jit.to_static(
        input_spec=[
            InputSpec([Dim("n", 2, 8), 3], "float32"),
            InputSpec([Dim("n", 2, 8)], "float32"),
        ]
    )
    def double(x: Any, s: Any) -> Any:
        return x * s.unsqueeze(1)

    return double


def test_to_static_rejects_sizes_that_the_spec_does_not_allow(double: Any) -> None:
    double(paddle.ones([2, 3]), paddle.ones([2]))
    with pytest.raises(
        paddle.OpError, match=r"double: input 'x': dimension 0 \('n'\) is 9; it must be from 2 to 8"
    ):
        double(paddle.ones([9, 3]), paddle.ones([9]))
    with pytest.raises(paddle.OpError, match=r"dimension 0 \('n'\) is 3, but dimension 0 of input"):
        double(paddle.ones([2, 3]), paddle.ones([3]))


def test_sizes_are_checked_although_the_function_may_run_as_python() -> None:
    @paddle.jit.to_static(full_graph=False, input_spec=[InputSpec([Dim("n", 2, 8)], "float32")])
    def total(x: Any) -> Any:
        return x + float(str(x.sum().item()))  # cannot be recorded

    with pytest.warns(UserWarning, match="runs as Python"):
        total(paddle.ones([2]))
    for n in (9, 1):
        with pytest.raises(paddle.OpError, match=rf"dimension 0 \('n'\) is {n}"):
            total(paddle.ones([n]))
    assert total(paddle.ones([8])).numpy()[0] == 9


def test_two_ranges_of_one_name_are_rejected(tmp_path: Path) -> None:
    specs = [InputSpec([Dim("n", 1, 8), 3]), InputSpec(["n", 3])]
    said = (
        r"dimension 0 of input 'y' is Dim\('n'\), but dimension 0 of input 'x' is "
        r"Dim\('n', 1, 8\); dimensions with the same name must have the same range"
    )

    class Add(nn.Layer):
        def forward(self, x: Any, y: Any) -> Any:
            return x + y

    with pytest.raises(paddle.OpError, match=said):
        paddle.jit.save(Add(), str(tmp_path / "m"), input_spec=specs)
    with pytest.raises(paddle.OpError, match=said):
        paddle.jit.to_static(Add(), input_spec=specs)(paddle.ones([2, 3]), paddle.ones([2, 3]))
    assert not list(tmp_path.iterdir())


def test_saved_specs_may_not_contradict_those_of_the_function(tmp_path: Path) -> None:
    net = paddle.jit.to_static(
        nn.Linear(3, 2), input_spec=[InputSpec([Dim("n", 2, 8), 3], "float32", "x")]
    )
    for first in (16, Dim("n", 2, 16), "m"):
        with pytest.raises(paddle.OpError, match="is conflict with the `input_spec`"):
            paddle.jit.save(net, str(tmp_path / "m"), input_spec=[InputSpec([first, 3])])
    paddle.jit.save(net, str(tmp_path / "m"), input_spec=[InputSpec([4, 3], "float32", "x")])
    assert paddle.jit.load(str(tmp_path / "m"))._input_spec()[0].shape == (4, 3)
    paddle.jit.save(net, str(tmp_path / "m"))
    assert paddle.jit.load(str(tmp_path / "m"))._input_spec()[0].dims == (Dim("n", 2, 8), None)


# -- capture


def test_comparison_of_a_named_size_is_computed_in_each_run(tmp_path: Path) -> None:
    class Branch(nn.Layer):
        def forward(self, x: Any) -> Any:
            if x.shape[0] > 4:
                return x + 1
            return x - 1

    spec = [InputSpec([Dim("n", 2, 8)], "float32", "x")]
    paddle.jit.save(Branch(), str(tmp_path / "m"), input_spec=spec)
    layer = paddle.jit.load(str(tmp_path / "m"))
    assert [layer(images(n)).numpy()[0] for n in (2, 4, 5, 8)] == [-1, -1, 1, 1]


def test_python_code_that_needs_the_number_is_an_error_with_the_line(tmp_path: Path) -> None:
    class Text(nn.Layer):
        def forward(self, x: Any) -> Any:
            return x + len(str(x.shape[0]))

    with pytest.raises(paddle.TraceError) as error:
        paddle.jit.save(Text(), str(tmp_path / "m"), input_spec=[InputSpec(["n"], "float32", "x")])
    assert "(int, the size of the dimension 'n')" in str(error.value)
    assert re.search(r"at test_named_dims.py:\d+ in forward", str(error.value))


# -- verification


def arg(*shape: Any) -> ContractInputOrOutput:
    spec = InputSpec(list(shape))
    return ContractInputOrOutput("x", "float32", spec.shape, "x", spec.dims)


@pytest.mark.parametrize(
    ("shape", "samples"),
    [
        ([None, 3], []),
        (["n", 3], [{"n": 1}, {"n": 3}]),
        ([Dim("n", 0), 3], [{"n": 0}, {"n": 3}]),
        ([Dim("n", 4, 4), 3], [{"n": 4}]),
        ([Dim("n", 1, 2), 3], [{"n": 1}, {"n": 2}]),
        (
            ["n", Dim("h", 32, 1280, 32)],
            [{"n": 1, "h": 32}, {"n": 3, "h": 96}, {"n": 1, "h": 1280}],
        ),
        (["a", "b"], [{"a": 1, "b": 1}, {"a": 3, "b": 5}]),
        ([Dim("h", 30, 100, 32)], [{"h": 32}, {"h": 96}]),
        ([1 << 19, Dim("h", 1, 1000)], [{"h": 1}, {"h": 3}, {"h": 2}]),
        ([1 << 22, Dim("h", 5, 1000)], [{"h": 5}, {"h": 7}]),
        (
            [Dim("a", 1, 9), 3, Dim("h", 1, 1024), Dim("w", 1, 1024)],
            [
                {"a": 1, "h": 1, "w": 1},
                {"a": 3, "h": 5, "w": 7},
                {"a": 9, "h": 1024, "w": 1},
                {"a": 1, "h": 1, "w": 1024},
            ],
        ),
    ],
)
def test_samples_of_named_sizes(shape: Any, samples: Any) -> None:
    assert named_size_samples.named_size_samples([arg(*shape)]) == samples


def test_samples_are_allowed() -> None:
    rng = np.random.default_rng(0)
    for _ in range(2000):
        least, span, multiple = (int(rng.integers(0, 1 << rng.integers(1, 31))) for _ in range(3))
        most = None if rng.integers(2) else min(least + span + 1, MAX_DIM_SIZE)
        try:
            dim = Dim("h", least, most, multiple + 1)
        except paddle.OpError:
            continue
        for sample in named_size_samples.named_size_samples([arg(dim, 3)]):
            assert sample["h"] in dim


def test_files_are_verified_at_the_smallest_a_middle_and_the_largest_size(saved: str) -> None:
    program = read_model(saved).program
    assert program.contract is not None
    for shape in ("x[1, 3, 32, 32]", "x[3, 3, 96, 48]", "x[1, 3, 128, 64]"):
        assert shape in program.contract.verified
    verify_saved_model(saved)


def test_allowed_sizes_that_the_layer_rejects_are_an_error(tmp_path: Path) -> None:
    class Halves(nn.Layer):
        def forward(self, x: Any) -> Any:
            return x.reshape([-1, 2])

    path = str(tmp_path / "m")
    with pytest.raises(paddle.VerifyError, match="sizes that its named dimensions allow") as error:
        paddle.jit.save(Halves(), path, input_spec=[InputSpec([Dim("n", 2, 8)], "float32", "x")])
    assert "x[3]: " in str(error.value)
    assert "at test_named_dims.py" in str(error.value)
    assert not list(tmp_path.iterdir())
    paddle.jit.save(
        Halves(), path, input_spec=[InputSpec([Dim("n", 2, 8, multiple=2)], "float32", "x")]
    )
    assert paddle.jit.load(path)(images(6)).shape == [3, 2]


# -- static mode


@pytest.fixture
def static_mode() -> Any:
    paddle.enable_static()
    yield
    paddle.disable_static()


@pytest.mark.usefixtures("static_mode")
def test_static_data(tmp_path: Path) -> None:
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        x = paddle.static.data("x", [Dim("batch", 1, 4), 3], "float32")
        y = paddle.static.data("y", [Dim("batch", 1, 4)], "float32")
        out = x * y.unsqueeze(1)
        assert tuple(x.shape) == (-1, 3)
        with pytest.raises(
            paddle.OpError, match="dimensions with the same name must have the same range"
        ):
            paddle.static.data("z", ["batch"], "float32")
        with pytest.raises(
            paddle.OpError, match=r"is already declared as \[batch,3\], not \[n,3\]"
        ):
            paddle.static.data("x", ["n", 3], "float32")
    exe = paddle.static.Executor()

    def run(program: Any, fetches: Any, rows: int, scales: int) -> Any:
        return exe.run(program, {"x": images(rows, 3), "y": images(scales)}, fetches)[0]

    prefix = str(tmp_path / "m")
    paddle.static.save_inference_model(prefix, [x, y], [out], exe, program=main)
    program, _, fetches = paddle.static.load_inference_model(prefix, exe)
    for p, f in ((main, [out]), (program, fetches)):
        assert run(p, f, 4, 4).shape == (4, 3)
        with pytest.raises(paddle.OpError, match=r"\('batch'\) is 5; it must be from 1 to 4"):
            run(p, f, 5, 5)
        with pytest.raises(paddle.OpError, match="they must be equal"):
            run(p, f, 4, 3)
    assert read_model(prefix).program.contract.inputs[0].dims == (Dim("batch", 1, 4), None)  # type: ignore[union-attr]


# -- other formats


def test_onnx_has_the_names_and_ranges(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    onnx = pytest.importorskip("onnx")
    net = ScaledConv()
    net.eval()
    paddle.onnx.export(net, str(tmp_path / "m"), input_spec=SPECS)
    model = onnx.load(str(tmp_path / "m.onnx"), load_external_data=False)
    names = [[d.dim_param for d in i.type.tensor_type.shape.dim] for i in model.graph.input]
    assert names == [["batch", "", "h", "x.3"], ["batch"]]
    metadata = {entry.key: entry.value for entry in model.metadata_props}
    assert json.loads(metadata["oarlock.dims"]) == {
        "batch": {"min": 1, "max": None, "multiple": 1},
        "h": {"min": 32, "max": 128, "multiple": 32},
    }
    message = ProgramDesc()
    message.contract.ParseFromString(base64.b64decode(metadata["oarlock.contract"]))
    assert message.contract.inputs[1].named_dims[0].name == "batch"
    show_model(str(tmp_path / "m.onnx"), False)
    text = capsys.readouterr().out
    assert "float32[batch,3,h,x.3]" in text
    assert f"dims: {metadata['oarlock.dims']}" in text


def test_inspect_prints_names_and_ranges(saved: str, capsys: pytest.CaptureFixture[str]) -> None:
    show_model(saved, False)
    text = capsys.readouterr().out
    assert "float32[batch,3,h,?]" in text
    assert "dim: h: a multiple of 32 from 32 to 128" in text
    text = run_runner("inspect", saved).stdout
    assert "input   x: float32[batch,3,h,?]" in text
    assert "dim     batch: at least 1\ndim     h: a multiple of 32 from 32 to 128" in text
    first = json.loads(run_runner("inspect", saved, "--json").stdout)["inputs"][0]
    assert first["shape"] == [-1, 3, -1, -1]
    assert first["dims"] == [
        {"axis": 0, "name": "batch", "min": 1, "max": None, "multiple": 1},
        {"axis": 2, "name": "h", "min": 32, "max": 128, "multiple": 32},
    ]


def test_triton_uses_allowed_sizes(tmp_path: Path) -> None:
    net = nn.Sequential(nn.Conv2D(3, 4, 3, padding=1), nn.ReLU())
    net.eval()
    prefix = str(tmp_path / "m")
    paddle.jit.save(net, prefix, input_spec=[InputSpec([Dim("n", 1, 4), 3, HEIGHT, None])])
    files = read_model(prefix)
    config = model_config("m", Engine(files.pdmodel, files.params_path), files)
    assert config["max_batch_size"] == 4
    assert config["input"][0]["dims"] == [3, -1, -1]
    assert config["model_warmup"][0]["inputs"][0]["value"]["dims"] == [3, 32, 1]


def test_trace_takes_tensors_only() -> None:
    with pytest.raises(TypeError, match="is InputSpec, not a Tensor; jit.save takes InputSpecs"):
        paddle.jit.TracedLayer.trace(nn.Linear(3, 2), [InputSpec(["n", 3])])
