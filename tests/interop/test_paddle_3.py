"""Programs that Oarlock writes for Paddle 3 return Oarlock's results in real Paddle 3.0 and 3.3."""

from __future__ import annotations

import json
import subprocess
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock
from oarlock.cli.demo import runner_path
from oarlock.cli.pipeline import write_pipeline_config
from oarlock.loader.runtime import UnsupportedError
from oarlock.static import InputSpec

from ..jit.program_rows import ROWS, check, made, results, specs
from ..pipeline.networks import classification
from .test_layers import CASES, in_order

pytestmark = [pytest.mark.paddle, pytest.mark.slow]

# Rows that change a list of run-time length in a branch or replace it in a branch or loop, which
# programs of Paddle 3 cannot express.
CHANGED_LISTS = {
    "inner_function_appends",
    "called_function_appends",
    "lists_in_a_tuple",
    "list_of_each_round",
    "list_of_a_branch_of_each_round",
    "list_that_may_be_empty",
    "suppression",
    "rising_rows",
    "rows_unlike_those_before",
    "length_of_a_list",
    "list_and_break",
    "a_loop_pops",
    "called_function_appends_in_rounds",
    "list_in_a_dict_grows",
    "list_of_an_object_grows",
    "comprehension_with_conditions",
    "list_deep_in_a_dict",
    "members_of_a_list",
    "any_and_all_of_rows",
    "the_rest_of_a_queue",
    "a_list_and_one_more",
    "one_more_before_a_list",
    "all_but_the_last",
    "a_window_of_the_last",
    "a_queue_is_appended_to_and_cut",
    "a_branch_replaces_a_list",
    "each_branch_makes_a_list",
    "an_expression_chooses_a_list",
    "branches_of_rounds_replace_a_list",
    "a_list_twice",
    "a_stack_of_work",
    "each_item_and_one_more",
    "a_list_is_emptied",
    "the_old_list_stays",
    "a_called_function_gives_a_longer_list",
    "a_list_in_a_dict_is_replaced",
    "lists_in_nested_loops",
    "the_first_and_others_are_taken_away",
    "a_queue_that_grows_at_its_end",
    "one_of_two_is_taken_away",
    "a_tuple_and_one_more",
    "a_tuple_that_is_added_to",
    "two_tuples_from_nothing",
}
# What Paddle 3 does not run, by row.
XFAILS = {"one_before_in_rounds_of_rounds": "Paddle 3 cannot stack an empty list"}


def save(
    layer: Any, prefix: Path, input_spec: list[InputSpec], file_format: str = "paddle3"
) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*there are no parameters")
        oarlock.jit.save(layer, prefix, input_spec=input_spec, format=file_format)


def assert_same_results(
    case: str, paddle3: Any, folder: Path, file_format: str, predict: bool
) -> None:
    """Save the layer of a case, and compare its results in Paddle with Oarlock's.

    predict: whether to run the model with Paddle's predictor, too.
    """
    create, inputs, shapes = CASES[case]
    layer = create()
    layer.eval()
    save(
        layer,
        folder / "m",
        [InputSpec(s, x.dtype) for s, x in zip(shapes, inputs, strict=True)],
        file_format,
    )
    expected = layer(*map(oarlock.to_tensor, inputs))
    flat = [expected] if isinstance(expected, oarlock.Tensor) else in_order(expected)
    np.savez(folder / "in.npz", *inputs)
    # the predictor of 3.0 requires a file of parameters
    loaders = ("jit", "predictor") if predict and (folder / "m.pdiparams").exists() else ("jit",)
    for loader, outputs in paddle3.run(folder / "m", folder / "in.npz", "out", loaders).items():
        assert len(outputs) == len(flat), loader
        for output, tensor in zip(outputs, flat, strict=True):
            assert output.shape == tuple(tensor.shape), loader
            np.testing.assert_allclose(output, tensor.numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("case", list(CASES))
def test_layers(case: str, paddle3: Any, tmp_path: Path) -> None:
    assert_same_results(case, paddle3, tmp_path, "paddle3", predict=True)


def test_other_files_that_oarlock_writes_beside_a_model(paddle3: Any, tmp_path: Path) -> None:
    """Paddle opens all files m.METHOD.json as programs."""
    layer = oarlock.nn.Linear(4, 3)
    layer.eval()
    save(layer, tmp_path / "inference", [InputSpec([None, 4], "float32", "x")])
    tune = [runner_path(), "tune", str(tmp_path), "--option", "threads=1"]
    subprocess.run(tune, check=True, capture_output=True)
    (tmp_path / "inference.yml").write_text(json.dumps(classification()))
    write_pipeline_config(str(tmp_path), None)
    assert {path.name for path in tmp_path.iterdir()} >= {
        "inference.oarlock.tune.json",
        "inference.yml.config.json",
    }
    x = np.ones((2, 4), "float32")
    np.savez(tmp_path / "in.npz", x)
    found = paddle3.run(tmp_path / "inference", tmp_path / "in.npz", "out", ("jit",))
    np.testing.assert_allclose(found["jit"][0], layer(oarlock.to_tensor(x)).numpy(), rtol=1e-5)


@pytest.mark.parametrize("paddle3", ["3.3.1 without PIR"], indirect=True)
@pytest.mark.parametrize("case", list(CASES))
def test_layers_as_pdmodel(case: str, paddle3: Any, tmp_path: Path) -> None:
    assert_same_results(case, paddle3, tmp_path, "paddle2", predict=False)


# Each version is a parameter of its own: pytest starts a fixture again for each row of several.
@pytest.mark.one_in(3, 0)
@pytest.mark.parametrize("paddle3", ["3.3.1"], indirect=True)
@pytest.mark.parametrize("name", ROWS)
def test_control_flow_in_3_3(name: str, paddle3: Any, tmp_path: Path) -> None:
    assert_same_results_of_row(name, paddle3, tmp_path)


@pytest.mark.one_in(12, 1)
@pytest.mark.parametrize("paddle3", ["3.0.0"], indirect=True)
@pytest.mark.parametrize("name", ROWS)
def test_control_flow_in_3_0(name: str, paddle3: Any, tmp_path: Path) -> None:
    assert_same_results_of_row(name, paddle3, tmp_path)


def assert_same_results_of_row(name: str, paddle3: Any, folder: Path) -> None:
    """Save the layer of a row, and compare its results in Paddle with Oarlock's."""
    row = ROWS[name]
    if row.files or row.real or name in XFAILS:
        pytest.xfail(row.files or row.real or XFAILS[name])
    if name in CHANGED_LISTS:
        with pytest.raises(UnsupportedError, match="tensor array"):
            save(made(row), folder / "m", specs(row))
        return
    save(made(row), folder / "m", specs(row))
    found = paddle3.call(folder / "m", row.calls)
    for outputs, expected in zip(found, results(made(row), row), strict=True):
        check([outputs], [expected])
