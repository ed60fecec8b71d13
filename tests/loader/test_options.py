"""The session options have one table: Python, C, the command line and docs/options.md agree."""

from __future__ import annotations

import re
import subprocess

import pytest

import oarlock as paddle
from oarlock.cli.demo import runner_path
from oarlock.loader.engine import check_engine_options
from oarlock.loader.runtime import runtime_module

from .options_page import PAGE, page

OPTIONS = runtime_module().session_option_infos()
VALUES = {"string": "", "int": 1, "bool": True, "map": {}, "sizes by name": {}}
NAMES = {"device": "cpu", "memory": "smallest"}
WRONG = {"string": 3, "int": "many", "bool": "maybe", "map": 3}


def test_options_page_is_up_to_date() -> None:
    assert PAGE.read_text() == page(), "run: python -m tests.loader.options_page"


@pytest.mark.parametrize(("name", "kind"), [option[:2] for option in OPTIONS])
def test_option_types_are_checked(name: str, kind: str) -> None:
    check_engine_options({name: NAMES.get(name, VALUES.get(kind, []))})
    with pytest.raises(paddle.OarlockError, match=f"options: '{name}' is a"):
        check_engine_options({name: WRONG.get(kind, 3)})


def test_runner_help_lists_every_option() -> None:
    text = subprocess.run(
        [runner_path(), "--help"], capture_output=True, text=True, check=False
    ).stdout
    _, options = text.split("Session options")
    words = " ".join(options.split())
    for name, _, _, description in OPTIONS:
        assert re.search(rf"^  {name} ", options, re.MULTILINE)
        assert description in words


def test_every_option_has_a_description() -> None:
    for name, _, _, description in OPTIONS:
        assert description, name
        assert not description.endswith("."), name
