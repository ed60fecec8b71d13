"""Programs that make no sense: whatever Python stumbles over in them is an OpError of the op."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..core.errors import OarlockError, OpError
from ..ir.program import OpDesc

_ODD = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    AssertionError,
    StopIteration,
    RecursionError,
)


@contextmanager
def malformed(desc: OpDesc | None = None) -> Iterator[None]:
    """Raise OpError for whatever Python stumbles over in a program that makes no sense."""
    try:
        yield
    except OarlockError:
        raise
    except _ODD as error:
        what = (
            "the program makes no sense"
            if desc is None
            else f"{desc.type}: its operands, results or attributes make no sense"
        )
        where = f"\n  recorded at {desc.where}" if desc is not None and desc.where else ""
        raise OpError(f"{what} ({type(error).__name__}: {str(error)[:200]}){where}") from error
