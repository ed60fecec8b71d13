"""Op lists and signatures of amp are those of real Paddle."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from oarlock import amp
from oarlock.amp import amp_lists

PADDLE = Path(
    os.environ.get("OARLOCK_PADDLE", Path.home() / ".cache/oarlock/paddle-2.6.2/bin/python")
)
REQUIRED = os.environ.get("OARLOCK_REQUIRE_PADDLE") == "1"
pytestmark = [
    pytest.mark.paddle,
    pytest.mark.skipif(
        not PADDLE.exists() and not REQUIRED,
        reason=f"no real Paddle at {PADDLE}; set OARLOCK_PADDLE",
    ),
]
FUNCTIONS = ("auto_cast", "decorate", "GradScaler", "is_float16_supported", "is_bfloat16_supported")
ASK = f"""
import inspect, json, paddle
from paddle import amp
from paddle.amp import amp_lists
named = lambda lists: {{d: {{k: sorted(v) for k, v in of.items()}} for d, of in lists.items()}}
parameters = lambda f: [[p.name, repr(p.default)] for p in inspect.signature(f).parameters.values()]
print(json.dumps({{
    "white": named(amp_lists.white_list()), "black": named(amp_lists.black_list()),
    "signatures": {{n: parameters(getattr(amp, n)) for n in {FUNCTIONS!r}}},
    "methods": {{n: parameters(m) for n, m in inspect.getmembers(amp.GradScaler) if n[0] != "_" and callable(m)}},
}}))
"""


@pytest.fixture(scope="module")
def paddle_answers() -> Any:
    out = subprocess.run(
        [PADDLE, "-W", "ignore", "-c", ASK], capture_output=True, text=True, check=True
    ).stdout
    return json.loads(out.splitlines()[-1])


def sorted_lists(lists: dict[str, dict[str, set[str]]]) -> dict[str, dict[str, list[str]]]:
    return {d: {level: sorted(ops) for level, ops in of.items()} for d, of in lists.items()}


def parameters(function: Any) -> list[list[str]]:
    return [[p.name, repr(p.default)] for p in inspect.signature(function).parameters.values()]


def test_op_lists_equal_paddle(paddle_answers: Any) -> None:
    assert sorted_lists(amp_lists.white_list()) == paddle_answers["white"]
    assert sorted_lists(amp_lists.black_list()) == paddle_answers["black"]


def test_signatures_equal_paddle(paddle_answers: Any) -> None:
    assert {name: parameters(getattr(amp, name)) for name in FUNCTIONS} == paddle_answers[
        "signatures"
    ]
    assert {
        name: parameters(getattr(amp.GradScaler, name)) for name in paddle_answers["methods"]
    } == paddle_answers["methods"]
