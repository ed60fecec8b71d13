"""Programs for `to_static`, `jit.save` and `jit.load` give what they give on real Paddle 2.6.2.

`to_static_programs/paddle_2_6_2.json` holds what real Paddle gave, so that the comparison needs no Paddle; a slow test asks it again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import oarlock

from .conftest import _DEFAULT

sys.path.insert(0, str(Path(__file__).parent))
import to_static_programs

sys.path.pop(0)
HERE = Path(__file__).parent
ANSWERS = HERE / "to_static_programs" / "paddle_2_6_2.json"
THEIRS: dict[str, Any] = json.loads(ANSWERS.read_text())
# What Oarlock returns for the programs of DIFFERENT: `python -m to_static_programs.run oarlock.json NAMES`.
OURS: dict[str, Any] = json.loads((HERE / "to_static_programs" / "oarlock.json").read_text())

# Where Oarlock differs on purpose: the program, and the reason.
RAISES = "real Paddle raises an error; Oarlock returns what the same Python code returns"
NAMES = "a loaded layer has the names of the layer that was saved, in Paddle `param_0`, `buffer_0`"
TRAINED = "a layer that real Paddle loads has no gradients in this case: its outputs have stop_gradient"
ERROR = "the class of the error differs"
ARRAYS = "arguments that are ndarrays become tensors of the program; Paddle with full_graph=False runs the function on the arrays"
NUMBERS = "numbers of Python in a program are int64 and float64, in Paddle int32 and float32"
DIFFERENT = {
    "api.a_call_that_does_not_fit_its_spec": ERROR,
    "api.enable_to_static_wants_a_bool": "real Paddle takes a text for True",
    "api.forms_of_input_spec": "the dtype of an InputSpec is one of paddle, whatever it was given as",
    "api.ignore_module_leaves_modules_alone": RAISES,
    "api.names_of_paddle_jit": "names of older versions are listed as well",
    "api.one_program_for_each_python_value": "1 and 1.0 are two values, since they lead to different dtypes",
    "api.the_program_translator": "the methods of Paddle 1.8 to 2.4 are there as well",
    "api.wrong_input_specs": ERROR,
    "branches.BranchWithSublayers": "in a program, parameters of the branch that was not taken have zero gradients, in Python none",
    "containers.int_float_bool": NUMBERS,
    "containers.item_of_one": RAISES,
    "containers.tensor_array_length": "the length of a tensor array is a tensor in a program, an int in Python",
    "functions.builtins_on_tensors": RAISES,
    "layers.Recurrent": "recurrent networks have no buffer `_dropout_state`",
    "saving.a_function_with_parameters": RAISES,
    "saving.a_layer_with_a_spec": NAMES,
    "saving.a_wrong_call_of_a_loaded_layer": ERROR,
    "saving.gradients_through_a_loaded_layer": TRAINED,
    "saving.int_inputs_and_bool_outputs": "real Paddle returns the outputs in another order than forward",
    "saving.names_of_parameters_after_loading": NAMES,
    "saving.saved_after_a_call": ERROR,
    "saving.set_state_dict_of_a_loaded_layer": NAMES,
    "saving.several_methods": RAISES,
    "saving.trained_on_after_loading": TRAINED,
    "tensors.a_python_list_of_arrays_is_given": ARRAYS,
    "tensors.an_array_is_given": ARRAYS,
    "tensors.numpy_of_a_value": NUMBERS,
    "training.bfloat16_parameters": "real Paddle has no kernels of bfloat16 on a CPU",
}

# What real Paddle itself returns differently from process to process, or from processor to processor.
VARYING = {
    (
        "tensors.static_control_flow_functions",
        "whole",
    ): "gradients of a `while_loop` beside a `cond` are wrong by a factor that varies",
    ("training.bfloat16_parameters", "fallback"): "which error it raises depends on the processor",
    ("training.bfloat16_parameters", "eager"): "which error it raises depends on the processor",
}


def plain(value: Any) -> Any:
    return json.loads(json.dumps(value))


def found(name: str) -> list[tuple[str, str, str]]:
    """Where a program differs from real Paddle here: the way of running it, the kind of difference, and a text."""
    ours = {way: plain(to_static_programs.run_program(name, way)) for way in to_static_programs.ways_of(name)}
    return to_static_programs.differences(ours, THEIRS[name])


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = oarlock.get_rng_state()
    yield
    oarlock.set_rng_state(before)


@pytest.mark.parametrize("name", to_static_programs.PROGRAMS)
def test_it_gives_what_real_paddle_gives(name: str) -> None:
    """Or, where real Paddle's conversion returns something else than its own eager execution, what that returns."""
    different = [text for _, kind, text in found(name) if kind == "differs"]
    if name in DIFFERENT:
        assert different, f"it agrees now: {DIFFERENT[name]}"
        ours = {way: plain(to_static_programs.run_program(name, way)) for way in to_static_programs.ways_of(name)}
        assert not to_static_programs.problems(ours, OURS[name])
        assert not to_static_programs.problems(OURS[name], ours)
    else:
        assert not different, "\n".join(different)


def test_at_least_nine_of_ten_agree() -> None:
    assert set(to_static_programs.PROGRAMS) == set(THEIRS)
    assert len(DIFFERENT) <= 0.1 * len(THEIRS)
    assert set(DIFFERENT) <= set(THEIRS)
    assert set(DIFFERENT) == set(OURS)


def steady(name: str, ways: dict[str, Any]) -> dict[str, Any]:
    """What a program returns in the ways in which real Paddle returns the same each time."""
    return {way: value for way, value in ways.items() if (name, way) not in VARYING}


@pytest.mark.slow
@pytest.mark.paddle
def test_the_answers_are_those_of_real_paddle(tmp_path: Path) -> None:
    python = os.environ.get("OARLOCK_PADDLE", str(_DEFAULT))
    words = [python, "-m", "to_static_programs.run", str(tmp_path / "out.json")]
    subprocess.run(words, check=True, cwd=HERE, env={**os.environ, "PYTHONPATH": str(HERE)}, capture_output=True)
    asked = json.loads((tmp_path / "out.json").read_text())
    different = {
        name: to_static_programs.problems(steady(name, asked[name]), steady(name, THEIRS[name])) for name in THEIRS
    }
    assert not {name: texts for name, texts in different.items() if texts}
