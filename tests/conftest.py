"""What all tests share: `--one-in N`, and `to_static` that raises what it cannot convert."""

from __future__ import annotations

import os
from collections.abc import Iterator

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


@pytest.hookimpl(wrapper=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Iterator[None]:
    """Leave rows out before pytest creates their items, the same ones at each call; tests without
    rows all stay.
    """
    yield
    metafunc._calls = metafunc._calls[:: metafunc.config.getoption("--one-in")]
