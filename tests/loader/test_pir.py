"""Programs of Paddle 3 (`.json`): the models of tests/fixtures/make_pir.py return what real Paddle
computed with them, and invalid files are rejected with the JSON path.
"""

from __future__ import annotations

import copy
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import FileError
from oarlock.loader.pdmodel import parse_program
from oarlock.loader.pir_conversion import convert_pir_to_pdmodel, is_pir
from oarlock.loader.runtime import UnsupportedError

FIXTURES = Path(__file__).parents[1] / "fixtures"
MODELS = sorted(path.stem for path in FIXTURES.glob("pir_*.json"))


def load_arrays(name: str, side: str) -> dict[str, Any]:
    with np.load(FIXTURES / f"{name}.{side}.npz") as file:
        return dict(file)


def assert_equal_outputs(outputs: Any, name: str) -> None:
    expected = list(load_arrays(name, "out").values())
    flat = list(outputs) if isinstance(outputs, list | tuple) else [outputs]
    assert len(flat) == len(expected)
    for output, array in zip(flat, expected, strict=True):
        actual = output if isinstance(output, np.ndarray) else output.numpy()
        assert actual.dtype == array.dtype
        np.testing.assert_allclose(actual, array, rtol=1e-4, atol=1e-5)


def test_there_are_models_of_both_versions() -> None:
    assert len(MODELS) == 8
    assert sum("_v1_" in name for name in MODELS) == 4


@pytest.mark.parametrize("name", MODELS)
def test_engine_returns_what_paddle_computed(name: str) -> None:
    layer = paddle.jit.load(str(FIXTURES / name))
    layer.eval()
    inputs = load_arrays(name, "in")
    assert_equal_outputs(layer(*map(paddle.to_tensor, inputs.values())), name)


@pytest.mark.parametrize("name", MODELS)
def test_kernels_return_what_paddle_computed(name: str) -> None:
    layer = paddle.jit.load(str(FIXTURES / name))
    inputs = [paddle.to_tensor(a) for a in load_arrays(name, "in").values()]
    for x in inputs:
        x.stop_gradient = x.numpy().dtype.kind != "f"  # a call with gradients runs the kernels
    layer.eval()
    assert_equal_outputs(layer(*inputs), name)


@pytest.mark.parametrize("name", MODELS)
def test_static_program(name: str) -> None:
    paddle.enable_static()
    try:
        executor = paddle.static.Executor()
        with paddle.static.scope_guard(paddle.static.Scope()):
            program, feeds, fetches = paddle.static.load_inference_model(
                str(FIXTURES / name), executor
            )
            outputs = executor.run(program, feed=load_arrays(name, "in"), fetch_list=fetches)
        assert feeds == list(load_arrays(name, "in"))
        assert_equal_outputs(outputs, name)
    finally:
        paddle.disable_static()


@pytest.mark.parametrize("name", MODELS)
def test_predictor(name: str) -> None:
    config = paddle.inference.Config(
        str(FIXTURES / f"{name}.json"), str(FIXTURES / f"{name}.pdiparams")
    )
    predictor = paddle.inference.create_predictor(config)
    for key, array in load_arrays(name, "in").items():
        predictor.get_input_handle(key).copy_from_cpu(array)
    predictor.run()
    outputs = [predictor.get_output_handle(n).copy_to_cpu() for n in predictor.get_output_names()]
    assert_equal_outputs(outputs, name)


def test_gradients_and_training() -> None:
    layer = paddle.jit.load(str(FIXTURES / "pir_conv"))
    assert all(not p.stop_gradient for p in layer.parameters())
    layer.train()
    image = paddle.to_tensor(load_arrays("pir_conv", "in")["image"])
    optimizer = paddle.optimizer.SGD(0.05, parameters=layer.parameters())
    losses = []
    for _ in range(5):
        loss = (layer(image)[1] ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    assert losses[-1] < losses[0]


@pytest.mark.parametrize("stem", ["inference", "model"])
@pytest.mark.parametrize("name", ["pir_conv", "conv"])
def test_model_directory(tmp_path: Path, stem: str, name: str) -> None:
    for suffix in (".json", ".pdmodel", ".pdiparams"):
        if (FIXTURES / (name + suffix)).exists():
            shutil.copy(FIXTURES / (name + suffix), tmp_path / (stem + suffix))
    layer = paddle.jit.load(str(tmp_path))
    layer.eval()
    inputs = load_arrays(name, "in").values()
    if name == "pir_conv":
        assert_equal_outputs(layer(*map(paddle.to_tensor, inputs)), name)
    else:
        assert len(layer(*map(paddle.to_tensor, inputs))) == 2


def test_other_json_files_beside_a_model_are_not_methods(tmp_path: Path) -> None:
    """Earlier versions of `oarlock pipeline-config` wrote `inference.yml.json`."""
    for suffix in (".json", ".pdiparams"):
        shutil.copy(FIXTURES / f"pir_conv{suffix}", tmp_path / f"inference{suffix}")
        shutil.copy(FIXTURES / f"pir_control{suffix}", tmp_path / f"inference.other{suffix}")
    other = tmp_path / "inference.yml.json"
    other.write_text(json.dumps({"PreProcess": {}, "program": "base"}))
    os.mkfifo(tmp_path / "inference.pipe.json")
    layer = paddle.jit.load(str(tmp_path))
    assert callable(layer.other)
    assert not hasattr(layer, "yml")
    paddle.jit.save(layer, str(tmp_path / "inference"), format="paddle3")
    assert other.exists()


def test_directory_without_program(tmp_path: Path) -> None:
    with pytest.raises(paddle.FileError, match=r"neither __model__ nor one of inference\.json, "):
        paddle.jit.load(str(tmp_path))


def test_pdmodel_comes_first(tmp_path: Path) -> None:
    shutil.copy(FIXTURES / "mlp.pdmodel", tmp_path / "net.pdmodel")
    shutil.copy(FIXTURES / "mlp.pdiparams", tmp_path / "net.pdiparams")
    (tmp_path / "net.json").write_text("{}")
    paddle.jit.load(str(tmp_path / "net"))
    with pytest.raises(
        FileError, match=r"net\.json: is not a program of Paddle 3: no field 'base_code'"
    ):
        paddle.jit.load(str(tmp_path / "net.json"))


# -- errors
# ---------------------------------------------------------------------------------------------


def program_json() -> Any:
    return json.loads((FIXTURES / "pir_control.json").read_text())


def ops_of(program: Any) -> Any:
    return program["program"]["regions"][0]["blocks"][0]["ops"]


def find_op(program: Any, name: str) -> Any:
    return next(op for op in ops_of(program) if op["#"] == name)


def convert(program: Any) -> bytes:
    return convert_pir_to_pdmodel(json.dumps(program).encode(), "net.json")


def test_valid_program_converts_to_a_valid_pdmodel() -> None:
    data = convert(program_json())
    assert not is_pir(data)
    program = parse_program(data, "net")
    assert program.feed_names() == ["x", "count"]
    assert {"while", "conditional_block", "select_input"} <= {op.type for op in program.ops()}


ERRORS: list[tuple[str, Callable[[Any], Any], str]] = [
    ("magic", lambda p: p["base_code"].update(magic="pdf"), "base_code: magic is not 'pir'"),
    ("version", lambda p: p["base_code"].update(version=0), "base_code: version 0"),
    ("regions", lambda p: p["program"].update(regions=[]), "program.regions: a program has one"),
    ("no operands", lambda p: ops_of(p)[-1].pop("I"), "no field 'I'"),
    (
        "undefined value",
        lambda p: ops_of(p)[-1].update(I=[{"%": 9999}]),
        "value %9999 is not defined before",
    ),
    (
        "value defined twice",
        lambda p: ops_of(p).append(copy.deepcopy(find_op(p, "1.data"))),
        "is 0 or defined twice",
    ),
    (
        "unknown element type",
        lambda p: find_op(p, "1.data")["O"][0]["TT"]["D"][0].update({"#": "0.t_f13"}),
        "elements of type '0.t_f13'",
    ),
    (
        "rank",
        lambda p: find_op(p, "1.data")["O"][0]["TT"]["D"].__setitem__(1, [1] * 33),
        "rank 33",
    ),
    (
        "dialect",
        lambda p: ops_of(p)[-1].update({"#": "9.add"}),
        "operation '9.add' has an unknown dialect",
    ),
    (
        "attribute type",
        lambda p: find_op(p, "1.full")["A"][0]["AT"].update({"#": "0.a_new"}),
        "an attribute of type '0.a_new'",
    ),
    (
        "input name",
        lambda p: [op["A"][0]["AT"].update(D="x") for op in ops_of(p) if op["#"] == "1.data"],
        "input name 'x' is given twice",
    ),
    (
        "branch without yield",
        lambda p: find_op(p, "1.while")["regions"][0]["blocks"][0]["ops"].pop(),
        "without cf.yield",
    ),
    (
        "yielded values",
        lambda p: find_op(p, "1.while")["regions"][0]["blocks"][0]["ops"][-1]["I"].pop(),
        "pd_op.while: the body yields",
    ),
    (
        "parameter twice",
        lambda p: next(op for op in ops_of(p) if op["#"] == "p")["A"].__setitem__(3, ""),
        "parameter name '' is empty",
    ),
]


@pytest.mark.parametrize(("change", "message"), [e[1:] for e in ERRORS], ids=[e[0] for e in ERRORS])
def test_errors_name_the_place(change: Callable[[Any], Any], message: str) -> None:
    program = program_json()
    change(program)
    with pytest.raises(FileError, match=r"net\.json: ") as error:
        convert(program)
    assert message in str(error.value)


def test_unsupported_operations_are_all_listed() -> None:
    program = program_json()
    ops_of(program)[-1]["#"] = "1.flash_attn"
    ops_of(program)[-2]["#"] = "3.my_op"
    ops_of(program)[-2]["A"].append(
        {"N": "struct_name", "AT": {"#": "0.a_str", "D": "/Net/Linear/"}}
    )
    with pytest.raises(UnsupportedError) as error:
        convert(program)
    last = len(ops_of(program)) - 1
    assert str(error.value).splitlines()[:3] == [
        "net.json: 2 operations are not supported:",
        f"  program.regions[0].blocks[0].ops[{last - 1}]: custom_op.my_op of /Net/Linear/",
        f"  program.regions[0].blocks[0].ops[{last}]: pd_op.flash_attn",
    ]


def test_newer_versions_are_read_with_a_warning() -> None:
    program = program_json()
    program["base_code"]["version"] = 5
    with pytest.warns(UserWarning, match=r"net\.json: .* newer than 3\.3"):
        data = convert(program)
    assert data == convert(program_json())


@pytest.mark.parametrize("spelling", ["NaN", "NAN"])
def test_both_spellings_of_nan(spelling: str) -> None:
    program = json.loads((FIXTURES / "pir_types.json").read_text())
    attrs = [a for op in ops_of(program) if op["#"] != "p" for a in op["A"]]
    infinite = [a["AT"] for a in attrs if "VD" in a["AT"]]
    assert [a["VD"] for a in infinite] == ["-INF"]
    infinite[0]["VD"] = spelling
    ops = parse_program(convert(program), "net").ops()
    assert any(
        isinstance(a.value, float) and np.isnan(a.value) for op in ops for a in op.attrs.values()
    )


def test_program_that_is_not_trainable(tmp_path: Path) -> None:
    program = json.loads((FIXTURES / "pir_conv.json").read_text())
    program["base_code"]["trainable"] = False
    for op in ops_of(program):
        op.pop("OA")
    (tmp_path / "net.json").write_text(json.dumps(program))
    shutil.copy(FIXTURES / "pir_conv.pdiparams", tmp_path / "net.pdiparams")
    layer = paddle.jit.load(str(tmp_path / "net"))
    layer.eval()
    inputs = load_arrays("pir_conv", "in").values()
    assert_equal_outputs(layer(*map(paddle.to_tensor, inputs)), "pir_conv")


@pytest.mark.parametrize("length", [-1, 65, 2**62])
def test_vector_of_unknown_or_hostile_length_as_positions(length: int) -> None:
    """Its elements become separate inputs."""
    document = {
        "base_code": {"magic": "pir", "trainable": True, "version": 1},
        "program": {"regions": [{"#": "region_0", "blocks": [positions_block(length)]}]},
    }
    with pytest.raises(
        FileError, match="'starts' must be a constant or a vector of a known length"
    ):
        convert_pir_to_pdmodel(json.dumps(document).encode())


def positions_block(length: int) -> dict[str, Any]:
    """`x[starts:starts:starts] = y`, with a vector of a given length as positions."""

    def tensor(kind: str, sizes: list[int]) -> dict[str, Any]:
        return {"#": "0.t_dtensor", "D": [{"#": kind}, sizes, "NCHW", [], 0]}

    def attr(name: str, kind: str, value: Any) -> dict[str, Any]:
        return {"N": name, "AT": {"#": kind, "D": value}}

    types = [tensor("0.t_f32", [4]), tensor("0.t_f32", [1]), tensor("0.t_i64", [length])]
    ops = [
        {
            "#": "1.data",
            "A": [attr("name", "0.a_str", name)],
            "I": [],
            "O": [{"%": i + 1, "TT": types[i]}],
        }
        for i, name in enumerate(("x", "y", "positions"))
    ]
    axes = [attr(name, "0.a_array", []) for name in ("axes", "decrease_axes", "none_axes")]
    ops.append(
        {
            "#": "1.set_value_with_tensor_",
            "A": axes,
            "I": [{"%": i} for i in (1, 2, 3, 3, 3)],
            "O": [{"%": 4, "TT": types[0]}],
        }
    )
    fetch = [attr("name", "0.a_str", "out"), attr("col", "0.a_i32", 0)]
    ops.append({"#": "1.fetch", "A": fetch, "I": [{"%": 4}], "O": [{"%": 5, "TT": types[0]}]})
    return {"#": "block_0", "args": [], "ops": ops}
