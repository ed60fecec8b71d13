"""The public names of `paddle.jit.dy2static.error`. Error messages of Oarlock contain the user's
line already, so nothing here rewrites tracebacks.
"""

from __future__ import annotations

from .internals import unsupported_internal as __getattr__  # noqa: F401 - for the other names

ERROR_DATA = "Error data about original source code information and traceback."
SIMPLIFY_ERROR_ENV_NAME, DEFAULT_SIMPLIFY_NEW_ERROR = "TRANSLATOR_SIMPLIFY_NEW_ERROR", 1
DISABLE_ERROR_ENV_NAME, DEFAULT_DISABLE_NEW_ERROR = "TRANSLATOR_DISABLE_NEW_ERROR", 0
Dy2StKeyError = KeyError
