"""Options for tuning kernels, layouts and data loaders. Oarlock validates these options and
otherwise ignores them.
"""

from __future__ import annotations

import json
from typing import Any

from ..core.errors import OperandError, append_user_line, warn

__all__ = ["set_config"]

_SETTINGS: dict[str, dict[str, type]] = {
    "kernel": {"enable": bool, "tuning_range": list},
    "layout": {"enable": bool},
    "dataloader": {"enable": bool, "tuning_steps": int},
}


def set_config(config: dict[str, Any] | str | None = None) -> None:
    """Accept the settings of Paddle's auto-tuning. The settings change neither results nor speed,
    because Oarlock's kernels need no tuning.

    Parameters
    ----------
    config : dict, str or None
        Settings by part ('kernel', 'layout', 'dataloader'), or the path of a JSON file that holds
        them. A setting of a wrong type is warned about, as is a file that cannot be read.
    """
    if isinstance(config, str):
        try:
            with open(config, encoding="utf-8") as file:
                config = json.load(file)
        except (OSError, ValueError) as error:
            warn(f"autotune.set_config: {error}. Use default configuration for auto-tuning.")
            return
    if config is not None and not isinstance(config, dict):
        raise OperandError(
            append_user_line(
                f"autotune.set_config: config must be a dict or a path, not {type(config).__name__}"
            )
        )
    for section, settings in _SETTINGS.items():
        for name, type_ in settings.items():
            value = (config or {}).get(section, {}).get(name)
            if value is not None and not isinstance(value, type_):
                message = f"The auto-tuning configuration of the {section} is incorrect"
                warn(
                    f"{message}. The `{name}` should be {type_.__name__}. Use default parameter "
                    f"instead."
                )
