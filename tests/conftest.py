"""Options and fixtures of all tests: `--one-in N`, and `to_static` that raises for unsupported
code.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

# Tests of the conversion need its errors; tests of the fallback to Python say `full_graph=False`.
os.environ["ENABLE_FALL_BACK"] = "False"

# A shell starts background jobs with SIGINT ignored, and processes of tests would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--one-in N`."""
    parser.addoption(
        "--one-in",
        type=int,
        default=1,
        metavar="N",
        help="of a test with many rows, every N-th of them",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Let property tests try fewer examples where rows are left out."""
    examples = max(100 // config.getoption("--one-in"), 1)
    settings.register_profile("rows", max_examples=examples)
    settings.load_profile("rows")


@pytest.hookimpl(wrapper=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Iterator[None]:
    """Drop rows before pytest creates their items, the same ones in each run; tests without rows
    stay.
    """
    yield
    metafunc._calls = metafunc._calls[:: metafunc.config.getoption("--one-in")]
