"""What static.nn has in Paddle and not here, with the reason: each may be named, and says why when
it is called.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NoReturn

from ...core.errors import OarlockError, with_user_line

SERVERS = "belongs to training with parameter servers"


def _refused(name: str, signature: str, why: str) -> Callable[..., NoReturn]:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise OarlockError(with_user_line(f"{name}: is not there: it {why}"))

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Not there: it {why}."
    refuse.__signature__ = inspect.signature(eval(f"lambda {signature}: None"))  # type: ignore[attr-defined]
    return refuse


data_norm = _refused(
    "data_norm",
    "input, act=None, epsilon=1e-05, param_attr=None, data_layout='NCHW', in_place=False, "
    "name=None, moving_mean_name=None, moving_variance_name=None, "
    "do_model_average_for_mean_and_var=True, slot_dim=-1, sync_stats=False, "
    "summary_decay_rate=0.9999999, enable_scale_and_shift=False",
    SERVERS,
)
sparse_embedding = _refused(
    "sparse_embedding",
    "input, size, padding_idx=None, is_test=False, entry=None, "
    "table_class='MemorySparseTable', param_attr=None, dtype='float32', slot=None",
    SERVERS,
)
