"""Run unchanged programs that import `paddle` on Oarlock. The package also contains the functions
of `paddle.compat`.

oarlock.compat.install()            # from now on, in this process and its child processes
with oarlock.compat.as_paddle():    # in the body
oarlock run-script train.py         # instead of `python train.py`
"""

from .install import as_paddle, install, uninstall
from .python2_compat import (
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
