"""Functions of static.nn that are not supported; they raise an error with the reason when
called.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NoReturn

from ...core.errors import OarlockError, append_user_line

PARAMETER_SERVER_REASON = "it trains with parameter servers"
DOCSTRING = """Raise an error: the function is not supported, because {reason}.

    Parameters
    ----------
    {parameters} : Any
        Not used.

    Raises
    ------
    OarlockError
        At each call.

    Examples
    --------
    >>> paddle.static.nn.{name}(paddle.ones([2]))
    Traceback (most recent call last):
    oarlock.core.errors.OarlockError: {name}: is not supported: {reason}...
    """


def _make_unsupported_function(name: str, signature: str, reason: str) -> Callable[..., NoReturn]:
    def function(*args: Any, **kwargs: Any) -> NoReturn:
        raise OarlockError(append_user_line(f"{name}: is not supported: {reason}"))

    function.__name__ = function.__qualname__ = name
    parameters = inspect.signature(eval(f"lambda {signature}: None"))
    function.__signature__ = parameters  # type: ignore[attr-defined]
    function.__doc__ = DOCSTRING.format(
        name=name, reason=reason, parameters=", ".join(parameters.parameters)
    )
    return function


data_norm = _make_unsupported_function(
    "data_norm",
    "input, act=None, epsilon=1e-05, param_attr=None, data_layout='NCHW', in_place=False, "
    "name=None, moving_mean_name=None, moving_variance_name=None, "
    "do_model_average_for_mean_and_var=True, slot_dim=-1, sync_stats=False, "
    "summary_decay_rate=0.9999999, enable_scale_and_shift=False",
    PARAMETER_SERVER_REASON,
)
sparse_embedding = _make_unsupported_function(
    "sparse_embedding",
    "input, size, padding_idx=None, is_test=False, entry=None, "
    "table_class='MemorySparseTable', param_attr=None, dtype='float32', slot=None",
    PARAMETER_SERVER_REASON,
)
