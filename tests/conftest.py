"""What all tests share: `--one-in N`, and `to_static` that raises what it cannot convert."""

from __future__ import annotations

import os
from collections import Counter

import pytest

# Tests of the conversion need its errors; tests of the fallback to Python say `full_graph=False`.
os.environ["ENABLE_FALL_BACK"] = "False"


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--one-in N`."""
    parser.addoption(
        "--one-in",
        type=int,
        default=1,
        metavar="N",
        help="of a test with many rows, every N-th of them",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave rows out, the same ones at each call; tests without rows all stay."""
    step = config.getoption("--one-in")
    if step == 1:
        return
    seen: Counter[str] = Counter()
    kept, dropped = [], []
    for item in items:
        name = item.nodeid.split("[")[0]
        rows = "[" in item.nodeid
        (kept if not rows or seen[name] % step == 0 else dropped).append(item)
        seen[name] += 1
    config.hook.pytest_deselected(items=dropped)
    items[:] = kept
