"""User programs return the results of real Paddle 2.6.2 or 1.8.5.

`paddle_programs/FAMILY` holds what real Paddle returned, so that the comparison needs no Paddle; a
slow test asks it again.
"""

from __future__ import annotations

import importlib
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
from paddle_programs.compare import differences, problems
from paddle_programs.table import FAMILIES, load, run_program, ways_of

HERE = Path(__file__).parent
FOLDER = HERE / "paddle_programs"
PYTHONS = {
    "2.6.2": Path(os.environ.get("OARLOCK_PADDLE", _DEFAULT)),
    "1.8.5": Path(
        os.environ.get("OARLOCK_PADDLE_1_8_5", "~/.cache/oarlock/paddle-1.8.5/bin/python")
    ).expanduser(),
}


class Family:
    """The programs of a family, real Paddle's results, and the intended differences."""

    def __init__(self, name: str) -> None:
        folder = FOLDER / name
        self.programs = load(name)
        self.theirs: dict[str, Any] = json.loads(
            (folder / f"paddle_{FAMILIES[name].replace('.', '_')}.json").read_text()
        )
        # What Oarlock returns for the programs of DIFFERENT: `python -m paddle_programs.run FAMILY
        # oarlock.json NAMES`.
        self.ours: dict[str, Any] = json.loads((folder / "oarlock.json").read_text())
        written = importlib.import_module(f"paddle_programs.{name}.different")
        self.different: dict[str, str] = written.DIFFERENT
        self.varying: dict[tuple[str, str], str] = written.VARYING


ALL = {name: Family(name) for name in FAMILIES}
CASES = [(family, name) for family, held in ALL.items() for name in held.programs]
sys.path.pop(0)


def run_here(family: str, name: str) -> dict[str, Any]:
    """Return the results of a program for each way of running it, as JSON values."""
    return {
        way: json.loads(json.dumps(run_program(family, name, way))) for way in ways_of(family, name)
    }


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = oarlock.get_rng_state()
    yield
    oarlock.set_rng_state(before)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(("family", "name"), CASES)
def test_program_equals_paddle(family: str, name: str) -> None:
    """If real Paddle's conversion differs from its own eager results, the eager results count."""
    held, ours = ALL[family], run_here(family, name)
    different = [
        text for _, kind, text in differences(ours, held.theirs[name]) if kind == "differs"
    ]
    if name in held.different:
        assert different, f"it agrees now: {held.different[name]}"
        assert not problems(ours, held.ours[name])
        assert not problems(held.ours[name], ours)
    else:
        assert not different, "\n".join(different)


@pytest.mark.parametrize("family", FAMILIES)
def test_at_least_90_percent_agree(family: str) -> None:
    held = ALL[family]
    assert set(held.programs) == set(held.theirs)
    assert len(held.different) <= 0.1 * len(held.theirs)
    assert set(held.different) <= set(held.theirs)
    assert set(held.different) == set(held.ours)


def steady(held: Family, name: str, ways: dict[str, Any]) -> dict[str, Any]:
    """Return the results for the ways in which real Paddle is deterministic."""
    return {way: value for way, value in ways.items() if (name, way) not in held.varying}


def ask(family: str, names: list[str], out: Path, hash_seed: int) -> dict[str, Any]:
    """Return real Paddle's results for some programs of a family."""
    words = [str(PYTHONS[FAMILIES[family]]), "-m", "paddle_programs.run", family, str(out), *names]
    subprocess.run(
        words,
        check=True,
        cwd=HERE,
        env={**os.environ, "PYTHONPATH": str(HERE), "PYTHONHASHSEED": str(hash_seed)},
        capture_output=True,
    )
    found: dict[str, Any] = json.loads(out.read_text())
    return found


@pytest.mark.slow
@pytest.mark.paddle
@pytest.mark.parametrize("family", FAMILIES)
def test_recorded_answers_equal_paddle(
    family: str, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    """In one of three runs, because a few programs of real Paddle crash or vary between processes.
    If rows are sampled, one in four programs.
    """
    python, held = PYTHONS[FAMILIES[family]], ALL[family]
    required = FAMILIES[family] == "2.6.2" and os.environ.get("OARLOCK_REQUIRE_PADDLE") == "1"
    if not python.exists() and not required:
        pytest.skip(f"real Paddle is not at {python}")
    step = 4 if pytestconfig.getoption("--rows") > 1 else 1
    names, found = list(held.theirs)[::step], {}
    for k in range(3):
        asked = ask(family, names, tmp_path / f"{k}.json", hash_seed=k)
        found = {
            n: problems(steady(held, n, asked[n]), steady(held, n, held.theirs[n])) for n in names
        }
        names = [name for name, texts in found.items() if texts]
        if not names:
            return
    raise AssertionError({name: found[name] for name in names})
