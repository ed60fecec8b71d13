"""Files of state dicts: `fluid.save_dygraph` and `load_dygraph`."""

from __future__ import annotations

import os
from typing import Any

from ...core.parameter import Parameter
from ...framework.io import load, save
from ..deprecated import warn_deprecated_on_first_use

__all__ = ["load_dygraph", "save_dygraph"]

_PARAMS, _OPT = ".pdparams", ".pdopt"


@warn_deprecated_on_first_use("fluid.dygraph.save_dygraph", "paddle.save")
def save_dygraph(state_dict: Any, model_path: str) -> None:
    """Write a state dict to `model_path`.pdparams, or to .pdopt if its first value is not a
    Parameter.
    """
    if not os.path.basename(model_path):
        raise AssertionError(
            "The input model_path MUST be format of dirname/filename, but received "
            "filename is empty string."
        )
    if not state_dict:
        raise AssertionError("state_dict is empty, no need to save")
    is_model = isinstance(next(iter(state_dict.values())), Parameter)
    save(dict(state_dict), model_path + (_PARAMS if is_model else _OPT), protocol=2)


@warn_deprecated_on_first_use("fluid.dygraph.load_dygraph", "paddle.load")
def load_dygraph(
    model_path: str, keep_name_table: bool = False
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Return the state dicts of a model and of its optimizer, as ndarrays by name; None if there is
    no optimizer state.

    model_path: with or without suffix; saved models and folders are read too

    Raises RuntimeError if no file exists.
    """
    prefix = model_path.removesuffix(_PARAMS).removesuffix(_OPT)
    optimizer = load(prefix + _OPT, return_numpy=True) if os.path.isfile(prefix + _OPT) else None
    if os.path.isfile(prefix + _PARAMS):
        return load(prefix + _PARAMS, return_numpy=True, keep_name_table=keep_name_table), optimizer
    if os.path.isdir(model_path) or os.path.isfile(prefix + ".pdmodel"):
        return load(prefix, return_numpy=True), optimizer
    if optimizer is not None:
        return {}, optimizer
    raise RuntimeError(f"Parameter file [ {prefix}{_PARAMS} ] not exists")
