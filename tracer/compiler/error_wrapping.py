"""Convert Python exceptions caused by a malformed program into an OpError that names the op."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..core.errors import OarlockError, OpError
from ..ir.program import OpDesc

_CONVERTED_EXCEPTIONS = (
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
def errors_as_op_error(desc: OpDesc | None = None) -> Iterator[None]:
    """Context manager that converts an exception of its body, which compiles or runs the op `desc`,
    to OpError.
    """
    try:
        yield
    except OarlockError:
        raise
    except _CONVERTED_EXCEPTIONS as error:
        what = (
            "the program is malformed"
            if desc is None
            else f"{desc.type}: its operands, outputs or attributes are invalid"
        )
        where = f"\n  recorded at {desc.user_line}" if desc is not None and desc.user_line else ""
        raise OpError(f"{what} ({type(error).__name__}: {str(error)[:200]}){where}") from error
