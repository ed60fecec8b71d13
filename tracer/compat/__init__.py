"""Let programs that import `paddle` run on Oarlock, as they are; and, for them, what
`paddle.compat` has.

oarlock.compat.install()            # from here on, in this process and in those that it starts
with oarlock.compat.as_paddle():    # in the body
oarlock run-script train.py         # `python train.py`, unchanged
"""

from .install import as_paddle, install, uninstall
from .texts import (
    floor_division,
    get_exception_message,
    int_type,
    long_type,
    round,
    to_bytes,
    to_text,
)

__all__ = [
    "as_paddle",
    "floor_division",
    "get_exception_message",
    "install",
    "int_type",
    "long_type",
    "round",
    "to_bytes",
    "to_text",
    "uninstall",
]
