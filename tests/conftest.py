"""Options and fixtures of all tests: `--one-in N`, `--rows N`, and `to_static` that raises for
unsupported code.
"""

from __future__ import annotations

import gc
import os
import re
import signal
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

from oarlock.core.errors import UserLine

# Tests of the conversion need its errors; tests of the fallback to Python say `full_graph=False`.
os.environ["ENABLE_FALL_BACK"] = "False"


def _format_user_line_without_texts(line: UserLine) -> str:
    code = re.sub(r"""(["']).*?\1""", '"..."', line.text)
    where = f"{line.file}:{line.lineno} in {line.function}"
    return f"{where}: {code}" if code else where


# Errors end with the line of the test that caused them. If that line also contains the expected
# words of the error, any error would match.
UserLine.__str__ = _format_user_line_without_texts

# A shell starts background jobs with SIGINT ignored, and processes of tests would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--one-in N` and `--rows N`."""
    parser.addoption(
        "--one-in",
        type=int,
        default=1,
        metavar="N",
        help="of a test with many rows, every N-th of them",
    )
    parser.addoption(
        "--rows",
        type=int,
        default=1,
        metavar="N",
        help="of rows whose ids differ only in numbers, such as those of one op, every N-th from "
        "the first on; if N > 1, the marker `one_in` drops rows",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Let property tests try fewer examples where rows are left out."""
    examples = max(100 // config.getoption("--one-in"), 1)
    settings.register_profile("rows", max_examples=examples)
    settings.load_profile("rows")
    gc.disable()  # until all tests are collected, which creates objects that stay


@pytest.hookimpl(wrapper=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Iterator[None]:
    """Drop rows before pytest creates their items, the same ones in each run; tests without rows
    stay.
    """
    yield
    calls = metafunc._calls[:: metafunc.config.getoption("--one-in")]
    step = metafunc.config.getoption("--rows")
    marker = metafunc.definition.get_closest_marker("one_in")
    if step > 1 and marker:
        number, first = marker.args
        calls = calls[first::number]
    metafunc._calls = sample_numbered_rows(calls, step)


def sample_numbered_rows(calls: list[Any], step: int) -> list[Any]:
    """Return every `step`-th of the calls whose ids differ only in numbers, and at least the first:
    of `relu-0-float16`, `relu-1-float16`, `relu-0-bfloat16` the first and the last.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    kept = []
    for call in calls:
        name = tuple(part for part in call.id.split("-") if not part.isdigit())
        if not name or seen[name] % step == 0:
            kept.append(call)
        seen[name] += 1
    return kept


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files with slow tests first, so that no worker waits for another one at the end."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


def pytest_collection_finish() -> None:
    """Keep the garbage collector from visiting the items of all tests again and again."""
    gc.collect()
    gc.freeze()
    gc.enable()
